"""Matrices side by side, the results of all heads; or one below the other, as under a sentence that was kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add

import torch
from torch import Tensor

from attnviz.core.limits import MAX_HEADS
from attnviz.core.rules.base import Copying, Derivative, HeadsInCode, Size, Table, agree, expect
from attnviz.core.rules.expression import I, J, Piece, Source, sentence, sources
from attnviz.core.rules.lines import COLUMNS, ROWS
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class Concatenate(Copying):
    """The columns of the first source, then those of the next, and so on: matrices of as many rows and of one width.
    Along `axis` "rows", the rows of the first, and below them those of the next: matrices of as many columns.

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
        """Torch's own."""
        return torch.cat(sources, dim=self._along - 2)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The rows of each, and the columns of all; or the other way round."""
        rows, columns = shapes[0]
        if self.axis == ROWS:
            for each in shapes[1:]:
                expect(agree(each[1], columns), "what stands below", each, f"{columns} columns like the first")
            return reduce(add, (rows for rows, _ in shapes)), columns
        for each in shapes[1:]:
            expect(agree(each, shapes[0]), "what stands beside it", each, f"{shapes[0]} like the first")
        return rows, reduce(add, (columns for _, columns in shapes))

    def derivatives(self, source: int, row: int, column: int, made: Table, *sources: Table) -> Iterator[Derivative]:
        """It's passed on, behind the sources before it."""
        before = sum(each.shape[self._along] for each in sources[:source])
        yield Derivative(row + before, column, 1.0) if self.axis == ROWS else Derivative(row, before + column, 1.0)

    def code_of_heads(self, heads: HeadsInCode, made: str, *names: str) -> list[str]:
        """Each token's results of all heads, one after the other."""
        return [f"{made} = {names[0]}.transpose(0, 1).flatten(1)"]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The cell of the source that has it: of each, where it begins along the axis."""
        starts = accumulate((shape[self._along] for shape in shapes), initial=0)
        return tuple(map(self._piece, sources(len(shapes)), starts, shapes))

    def _piece(self, of: Source, start: int, shape: Shape) -> Piece:
        along, back = (I, (I - start, J)) if self.axis == ROWS else (J, (I, J - start))
        words = sentence(f"explanation.concatenate.{self.axis}", matrix=of.title)
        return Piece(of[back], (of.name(*back),), (words,), ((along, start, start + shape[self._along]),))

    def formula(self, *symbols: str) -> str:
        """One after the other, of many the first and the last; or one above the other, as Matlab writes it."""
        shown = symbols if len(symbols) <= 3 else (symbols[0], "…", symbols[-1])
        return f"[{('; ' if self.axis == ROWS else ' ').join(shown)}]"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.cat([{', '.join(names)}], dim={self._along - 2})"]
