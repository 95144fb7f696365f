"""A matrix as it was made: what one layer makes is what the next one gets."""

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.words import say


@dataclass(frozen=True)
class PassOn(EachCell):
    """The same numbers under another name.

    >>> PassOn().reads(0, 1, (3, 6))
    ((range(0, 1), range(1, 2)),)
    """

    name = "pass_on"

    def compute(self, *sources: Tensor) -> Tensor:
        """The source itself."""
        return sources[0]

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        return tables[0]

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)

    def formula(self, *symbols: str) -> str:
        """The symbol of the source."""
        return symbols[0]

    def code(self, made: str, *names: str) -> list[str]:
        """An assignment."""
        return [f"{made} = {names[0]}"]

    def explain(self, cell: Cell) -> Made:
        """The number that stands there."""
        number = cell.factors(cell.sources[0])[0]
        return Made(
            number.symbols, [cell.write(cell.value)],
            say("explanation.pass_on.words", title=number.stage.title),
            (Term(number.value, (number,)),), number.value, 0.0,
            notes=() if math.isfinite(cell.value) else (cell.already(number),),
        )  # fmt: skip
