"""Some rows of a table, each wherever it is asked for: how a token gets its vector, and a place its own."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.words import say

Ids = tuple[int, ...] | tuple[tuple[int, ...], ...]  # numbers of one text, or of each text of a batch


@dataclass(frozen=True)
class Lookup(Rule):
    """The rows with these numbers, one below the other; of a batch of texts, those of each of them, to compute alone.

    >>> Lookup((2, 0)).reads(0, 1, (3, 4))
    ((range(2, 3), range(1, 2)),)
    """

    ids: Ids = (0,)

    name = "lookup"
    n_sources = (1,)

    @property
    def of_one(self) -> list[int]:
        """The numbers of one text.

        Raises ``TypeError`` where they are those of a batch.
        """
        return [int(each) for each in self.ids]  # type: ignore[arg-type]

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's indexing."""
        return sources[0][..., torch.tensor(self.ids, dtype=torch.long, device=sources[0].device), :]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """As many rows as are asked for, as wide as the table; a number of rows that is no number is another one."""
        rows, columns = shapes[0]
        if not isinstance(rows, int):
            return type(rows)(), columns
        expect(max(self.of_one) < rows, "the table", shapes[0], f"at least {max(self.of_one) + 1} rows")
        n: Size = len(self.ids)  # type: ignore[assignment]
        return n, columns

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell that it is."""
        place = self.of_one[row]
        return ((range(place, place + 1), range(column, column + 1)),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return Bounded(*(each[self.of_one] for each in tables[0]))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same cells."""
        return marks[0][self.of_one]

    def formula(self, *symbols: str) -> str:
        """In words, for the numbers of the rows are many."""
        return say("stages.formula.lookup", table=symbols[0])

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = {names[0]}[..., {self.of_one}, :]"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there."""
        number = cell.factors(cell.sources[0])[0]
        entry = cell.token_of(number.stage, number.row)
        told, table = "words" if entry is None else "of_entry", number.stage.symbol
        return Made(
            number.symbols, [cell.write(cell.value)],
            say(f"explanation.lookup.{told}", row=number.row, table=table, entry=entry),
            (Term(number.value, (number,)),), number.value, 0.0,
            notes=() if math.isfinite(cell.value) else (cell.already(number),),
        )  # fmt: skip
