"""Matrices side by side, the results of all heads; or one below the other, as under a sentence that was kept."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add

import numpy as np
import torch
from torch import Tensor

from attnviz.core.limits import MAX_HEADS
from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.core.rules.lines import COLUMNS, ROWS
from attnviz.words import say


@dataclass(frozen=True)
class Concatenate(Rule):
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
                expect(each[1] == columns, "what stands below", each, f"{columns} columns like the first")
            return reduce(add, (rows for rows, _ in shapes)), columns
        for each in shapes[1:]:
            expect(each == shapes[0], "what stands beside it", each, f"{shapes[0]} like the first")
        return rows, reduce(add, (columns for _, columns in shapes))

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell that it is, of one of them."""
        return tuple(_own_cell(row, column, self._along, start, shape) for start, shape in self._starts(shapes))

    def _starts(self, shapes: Sequence[Shape]) -> list[tuple[int, Shape]]:
        """Return where each source begins along the axis, with its shape."""
        return list(zip(accumulate((shape[self._along] for shape in shapes), initial=0), shapes, strict=False))

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return Bounded(*(np.concatenate(parts, axis=self._along) for parts in zip(*tables, strict=True)))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same cells."""
        return np.concatenate(marks, axis=self._along)

    def formula(self, *symbols: str) -> str:
        """One after the other, of many the first and the last; or one above the other, as Matlab writes it."""
        shown = symbols if len(symbols) <= 3 else (symbols[0], "…", symbols[-1])
        return f"[{('; ' if self.axis == ROWS else ' ').join(shown)}]"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.cat([{', '.join(names)}], dim={self._along - 2})"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there."""
        (number,) = (number for cells in cell.sources for number in cell.factors(cells))
        notes = () if math.isfinite(cell.value) else (cell.already(number),)
        words = say(f"explanation.concatenate.{self.axis}", matrix=number.stage.title)
        return Made(
            number.symbols, [cell.write(cell.value)], words, (Term(number.value, (number,)),), number.value, 0.0,
            notes=notes,
        )  # fmt: skip


def _own_cell(row: int, column: int, along: int, start: int, shape: Shape) -> Block:
    """Return the cell of a source that begins at `start` along an axis: none where another source has it."""
    place = [row, column]
    place[along] -= start
    own = 1 if 0 <= place[along] < shape[along] else 0
    return range(place[0], place[0] + own), range(place[1], place[1] + own)
