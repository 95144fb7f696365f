"""Matrices side by side: the results of all heads."""

import math
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
import torch
from torch import Tensor

from attnviz.core.limits import MAX_HEADS
from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.words import say


@dataclass(frozen=True)
class Concatenate(Rule):
    """The columns of the first source, then those of the next, and so on: matrices of as many rows and of one width."""

    name = "concatenate"
    n_sources = tuple(range(2, MAX_HEADS + 1))

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own."""
        return torch.cat(sources, dim=-1)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The rows of each, and the columns of all."""
        for each in shapes[1:]:
            expect(each == shapes[0], "what stands beside it", each, f"{shapes[0]} like the first")
        return shapes[0][0], reduce(add, (columns for _, columns in shapes))

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell that it is, of one of them."""
        which, place = divmod(column, shapes[0][1])
        cell, nothing = (range(row, row + 1), range(place, place + 1)), (range(0), range(0))
        return tuple(cell if i == which else nothing for i in range(len(shapes)))

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return Bounded(*(np.concatenate(parts, axis=1) for parts in zip(*tables, strict=True)))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same cells."""
        return np.concatenate(marks, axis=1)

    def formula(self, *symbols: str) -> str:
        """One after the other; of many, the first and the last."""
        shown = symbols if len(symbols) <= 3 else (symbols[0], "…", symbols[-1])
        return f"[{' '.join(shown)}]"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.cat([{', '.join(names)}], dim=-1)"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there."""
        (number,) = (number for cells in cell.sources for number in cell.factors(cells))
        notes = () if math.isfinite(cell.value) else (cell.already(number),)
        return Made(
            number.symbols, [cell.write(cell.value)], say("explanation.concatenate.words", matrix=number.stage.title),
            (Term(number.value, (number,)),), number.value, 0.0, notes=notes,
        )  # fmt: skip
