"""A part of a matrix as one view alone cuts it, in the order in which its numbers lie in memory: a mistake."""

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.words import say


@dataclass(frozen=True)
class Recut(Rule):
    """One of so many `parts` that ``matrix.view(parts, n_tokens, -1)`` makes: as many rows, fewer columns. Its rows
    are pieces of rows of the source, but of other tokens' than their places say.

    >>> import torch
    >>> Recut(2, 1).compute(torch.tensor([[0, 1], [2, 3], [4, 5]]))
    tensor([[3],
            [4],
            [5]])
    """

    parts: int = 2
    part: int = 0

    name = "recut"
    n_sources = (1,)

    def compute(self, *sources: Tensor) -> Tensor:
        """One view, without the transpose that keeps each row in its place."""
        *batch, rows, columns = sources[0].shape
        return sources[0].reshape(*batch, self.parts, rows, columns // self.parts)[..., self.part, :, :]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """All rows, and this share of the columns; a width that is no number is another one, of which nothing is
        known."""
        rows, columns = shapes[0]
        if not isinstance(columns, int):
            return rows, type(columns)()
        expect(columns % self.parts == 0, "what is cut", shapes[0], f"a multiple of {self.parts} columns")
        width: Size = columns // self.parts  # type: ignore[assignment]
        return rows, width

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell that it is."""
        rows, columns = shapes[0]
        width = columns // self.parts
        r, c = divmod((self.part * rows + row) * width + column, columns)
        return ((range(r, r + 1), range(c, c + 1)),)

    def _cut(self, matrix: np.ndarray) -> np.ndarray:
        rows, columns = matrix.shape
        part: np.ndarray = matrix.reshape(self.parts, rows, columns // self.parts)[self.part]
        return part

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return Bounded(*map(self._cut, tables[0]))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same cells."""
        return self._cut(marks[0])

    def formula(self, *symbols: str) -> str:
        """As Python writes it, with n for the number of tokens."""
        return f"{symbols[0]}.view({self.parts}, n, −1)[{self.part}]"

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = {names[0]}.view({self.parts}, {names[0]}.shape[0], -1)[{self.part}]"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there, and whose it is."""
        number = cell.factors(cell.sources[0])[0]
        token = cell.token_of(number.stage, number.row)
        told = "words" if token is None else "of_token"
        return Made(
            number.symbols, [cell.write(cell.value)],
            say(f"explanation.recut.{told}", matrix=number.stage.symbol, row=number.row, token=token),
            (Term(number.value, (number,)),), number.value, 0.0,
            notes=() if math.isfinite(cell.value) else (cell.already(number),),
        )  # fmt: skip
