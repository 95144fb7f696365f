"""One matrix below another: the vectors of a sentence under those of one that was kept."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.words import say


@dataclass(frozen=True)
class Below(Rule):
    """The rows of the first source, and below them those of the second: matrices of as many columns.

    >>> Below().compute(torch.ones(1, 2), torch.zeros(1, 2))
    tensor([[1., 1.],
            [0., 0.]])
    """

    name = "below"
    n_sources = (2,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own."""
        return torch.cat(sources, dim=-2)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The rows of both, and the columns of each."""
        (above, columns), (below, own) = shapes
        expect(own == columns, "what stands below", (below, own), f"{columns} columns like the first")
        return above + below, columns  # type: ignore[operator]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell that it is, of one of them."""
        above = shapes[0][0]
        at, nothing = range(column, column + 1), (range(0), range(0))
        if row < above:
            return (range(row, row + 1), at), nothing
        return nothing, (range(row - above, row - above + 1), at)

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return Bounded(*(np.concatenate(parts, axis=0) for parts in zip(*tables, strict=True)))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same cells."""
        return np.concatenate(marks, axis=0)

    def formula(self, *symbols: str) -> str:
        """One above the other, as Matlab and papers write it."""
        return f"[{'; '.join(symbols)}]"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.cat([{', '.join(names)}], dim=-2)"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there."""
        (number,) = (number for cells in cell.sources for number in cell.factors(cells))
        notes = () if math.isfinite(cell.value) else (cell.already(number),)
        return Made(
            number.symbols, [cell.write(cell.value)], say("explanation.below.words", matrix=number.stage.title),
            (Term(number.value, (number,)),), number.value, 0.0, notes=notes,
        )  # fmt: skip
