"""Rules that copy cells: slices, concatenations and matrices passed on."""

from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add

import torch
from torch import Tensor

from attnviz.core.limits import MAX_HEADS
from attnviz.core.rules.base import Rule, Size, agree, expect
from attnviz.core.rules.expression import HEAD, I, Index, J, Piece, Source, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.core.rules.rows import COLUMNS, ROWS

PARTS = "parts"


@dataclass(frozen=True)
class PassOn(Rule):
    """The same numbers under another name."""

    name = "pass_on"
    in_formulas = "{0}"
    in_code = "{0}"

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,) = sources(1)
        return (Piece(x[I, J], (x.name(),), (sentence("explanation.pass_on.words", title=x.title),)),)


@dataclass(frozen=True)
class Slice(Rule):
    """The columns from `start` up to, but not including, `stop`."""

    start: int = 0
    stop: int = 1

    name = "slice"
    in_formulas = "{0}[:, {start}:{stop}]"
    in_code = "{0}[..., {start}:{stop}]"

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0][..., self.start : self.stop]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return all rows by these columns; a symbolic width becomes new.

        Raises ``ValueError`` for fewer than `stop` columns.
        """
        rows, columns = shapes[0]
        if isinstance(columns, int):
            expect(self.stop <= columns, "what is cut", shapes[0], f"at least {self.stop} columns")
            width: Size = self.stop - self.start  # type: ignore[assignment]
            return rows, width
        return rows, type(columns)()

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,) = sources(1)
        at = (I, J + self.start)
        places = {"matrix": x.symbol, "first": self.start, "last": self.stop - 1}
        of_head = "one" if self.stop - self.start == 1 else "words"
        words = (
            sentence(f"explanation.slice.{of_head}", head=HEAD, **places),
            sentence("explanation.slice.cut", **places),
        )
        return (Piece(x[at], (x.name(*at),), words),)


@dataclass(frozen=True)
class Recut(Rule):
    """One of the `parts` that ``matrix.view(parts, n_tokens, -1)`` makes.

    It has as many rows as the matrix and fewer columns; its rows hold pieces of other tokens' rows.

    >>> import torch
    >>> Recut(2, 1).compute(torch.tensor([[0, 1], [2, 3], [4, 5]]))
    tensor([[3],
            [4],
            [5]])
    """

    parts: int = 2
    part: int = 0

    name = "recut"
    in_formulas = "{0}.view({parts}, n, −1)[{part}]"
    in_code = "{0}.view({parts}, {0}.shape[0], -1)[{part}]"
    cuts_rows = True

    def compute(self, *sources: Tensor) -> Tensor:
        """Return a part of the view, without the transpose that heads need."""
        *batch, rows, columns = sources[0].shape
        return sources[0].reshape(*batch, self.parts, rows, columns // self.parts)[..., self.part, :, :]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return all rows by a part's columns; a symbolic width stays unknown.

        Raises ``ValueError`` if the columns aren't a multiple of the number of parts.
        """
        rows, columns = shapes[0]
        if not isinstance(columns, int):
            return rows, type(columns)()
        expect(columns % self.parts == 0, "what is cut", shapes[0], f"a multiple of {self.parts} columns")
        width: Size = columns // self.parts  # type: ignore[assignment]
        return rows, width

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,), (rows, columns) = sources(1), shapes[0]
        width = columns // self.parts
        at = Index(self.part * rows * width, i=width, j=1)
        words = (
            sentence("explanation.recut.of_token", matrix=x.symbol, row=x.row(at), token=x.token_at(at)),
            sentence("explanation.recut.words", matrix=x.symbol, row=x.row(at)),
        )
        return (Piece(x[0, at], (x.name(0, at),), words),)


@dataclass(frozen=True)
class Concatenate(Rule):
    """Matrices side by side, or below each other along `axis` "rows".

    Side by side, they need equal shapes; below each other, equally many columns. With the axis "parts", too, they stand
    side by side, as parts of one vector that may differ in width.

    >>> Concatenate(ROWS).compute(torch.ones(1, 2), torch.zeros(1, 2))
    tensor([[1., 1.],
            [0., 0.]])
    """

    axis: str = COLUMNS

    name = "concatenate"
    n_sources = tuple(range(2, MAX_HEADS + 1))

    @property
    def _along(self) -> int:
        """The number of the axis in (rows, columns)."""
        return 0 if self.axis == ROWS else 1

    def compute(self, *sources: Tensor) -> Tensor:
        return torch.cat(sources, dim=self._along - 2)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the sources' shape, with columns, or rows, added up."""
        rows, columns = shapes[0]
        if self.axis == ROWS:
            for each in shapes[1:]:
                expect(agree(each[1], columns), "what stands below", each, f"{columns} columns like the first")
            return reduce(add, (rows for rows, _ in shapes)), columns
        for each in shapes[1:]:
            fits = agree(each[0], rows) if self.axis == PARTS else agree(each, shapes[0])
            expect(fits, "what stands beside it", each, f"{shapes[0]} like the first")
        return rows, reduce(add, (columns for _, columns in shapes))

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        starts = accumulate((shape[self._along] for shape in shapes), initial=0)
        return tuple(map(self._piece, sources(len(shapes)), starts, shapes))

    def _piece(self, of: Source, start: int, shape: Shape) -> Piece:
        along, back = (I, (I - start, J)) if self.axis == ROWS else (J, (I, J - start))
        words = sentence(f"explanation.concatenate.{self.axis}", matrix=of.title)
        return Piece(of[back], (of.name(*back),), (words,), ((along, start, start + shape[self._along]),))

    def formula(self, *symbols: str) -> str:
        shown = symbols if len(symbols) <= 3 else (symbols[0], "…", symbols[-1])
        return f"[{('; ' if self.axis == ROWS else ' ').join(shown)}]"
