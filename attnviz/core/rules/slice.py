"""Some columns of a matrix that stand beside each other: what one head gets of Q, K or V."""

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from attnviz.core.rules.base import Copying, Derivative, HeadsInCode, Size, Table, expect
from attnviz.core.rules.expression import HEAD, I, J, Piece, sentence, sources
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class Slice(Copying):
    """The columns from `start` up to `stop`, which isn't among them.

    >>> Slice(2, 4).reads(0, 1, (3, 6))
    ((range(0, 1), range(3, 4)),)
    """

    start: int = 0
    stop: int = 1

    name = "slice"

    def compute(self, *sources: Tensor) -> Tensor:
        """A view of the source."""
        return sources[0][..., self.start : self.stop]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """All rows, and these columns; a width that is no number is another one, of which nothing is known."""
        rows, columns = shapes[0]
        if isinstance(columns, int):
            expect(self.stop <= columns, "what is cut", shapes[0], f"at least {self.stop} columns")
            width: Size = self.stop - self.start  # type: ignore[assignment]
            return rows, width
        return rows, type(columns)()

    def derivatives(self, source: int, row: int, column: int, made: Table, *sources: Table) -> Iterator[Derivative]:
        """It's passed on, if it's among these columns."""
        if self.start <= column < self.stop:
            yield Derivative(row, column - self.start, 1.0)

    def code_of_heads(self, heads: HeadsInCode, made: str, *names: str) -> list[str]:
        """A view of all of them; what several heads read is repeated."""
        lines = [f"{made} = {names[0]}.view({heads.rows}, {heads.n_heads}, -1).transpose(0, 1)"]
        times = f"n_heads // {heads.n_heads}"
        return [*lines, f"{made} = {made}.repeat_interleave({times}, dim=0)"] if heads.repeated else lines

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The cell that it is; of a head, whose it is."""
        (x,) = sources(1)
        at = (I, J + self.start)
        places = {"matrix": x.symbol, "first": self.start, "last": self.stop - 1}
        of_head = "one" if self.stop - self.start == 1 else "words"
        words = (
            sentence(f"explanation.slice.{of_head}", head=HEAD, **places),
            sentence("explanation.slice.cut", **places),
        )
        return (Piece(x[at], (x.name(*at),), words),)

    def formula(self, *symbols: str) -> str:
        """As Python writes it."""
        return f"{symbols[0]}[:, {self.start}:{self.stop}]"

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = {names[0]}[..., {self.start}:{self.stop}]"]
