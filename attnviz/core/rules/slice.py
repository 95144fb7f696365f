"""Some columns of a matrix that stand beside each other: what one head gets of Q, K or V."""

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.words import say


@dataclass(frozen=True)
class Slice(Rule):
    """The columns from `start` up to `stop`, which isn't among them.

    >>> Slice(2, 4).reads(0, 1, (3, 6))
    ((range(0, 1), range(3, 4)),)
    """

    start: int = 0
    stop: int = 1

    name = "slice"
    n_sources = (1,)

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

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell that it is."""
        place = self.start + column
        return ((range(row, row + 1), range(place, place + 1)),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return Bounded(*(each[:, self.start : self.stop] for each in tables[0]))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same cells."""
        return marks[0][:, self.start : self.stop]

    def formula(self, *symbols: str) -> str:
        """As Python writes it."""
        return f"{symbols[0]}[:, {self.start}:{self.stop}]"

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = {names[0]}[..., {self.start}:{self.stop}]"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there."""
        number = cell.factors(cell.sources[0])[0]
        notes = () if math.isfinite(cell.value) else (cell.already(number),)
        return Made(
            number.symbols, [cell.write(cell.value)],
            say(f"explanation.slice.{self._told(cell)}", head=cell.stage.head, matrix=number.stage.symbol,
                first=self.start, last=self.stop - 1),
            (Term(number.value, (number,)),), number.value, 0.0, notes=notes,
        )  # fmt: skip

    def _told(self, cell: Cell) -> str:
        if cell.stage.head is None:
            return "cut"
        return "one" if self.stop - self.start == 1 else "words"
