"""The sum of matrices of one shape."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, expect


@dataclass(frozen=True)
class Add(Rule):
    """Two matrices, cell by cell."""

    name = "add"
    n_sources = (2,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Add them."""
        return sources[0] + sources[1]

    def shape(self, *shapes: Shape) -> Shape:
        """The shape that both have."""
        expect(shapes[1] == shapes[0], "the second summand", shapes[1], f"{shapes[0]} like the first")
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell at the same place of each."""
        return tuple((range(row, row + 1), range(column, column + 1)) for _ in shapes)

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors add up."""
        a, b = tables
        with np.errstate(all="ignore"):
            return Bounded(a.value + b.value, a.error + b.error)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same places."""
        return marks[0] | marks[1]

    def formula(self, *symbols: str) -> str:
        """A sum."""
        return " + ".join(symbols)

    def code(self, *names: str) -> str:
        """A sum."""
        return " + ".join(names)
