"""ReLU: a number, or 0 where it is negative."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.core.rules.explaining.displayed import as_decimal, sign
from attnviz.words import say


@dataclass(frozen=True)
class ReLU(EachCell):
    """The larger of a number and 0."""

    name = "relu"

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own."""
        return torch.relu(sources[0])

    def bounded(self, *tables: Bounded) -> Bounded:
        """No number moves further than its source."""
        return Bounded(np.maximum(tables[0].value, 0.0), tables[0].error)

    def formula(self, *symbols: str) -> str:
        """The larger of the two."""
        return f"max(0, {symbols[0]})"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.relu({names[0]})"]

    def explain(self, cell: Cell) -> Made:
        """The larger of the two."""
        (number,) = cell.factors(cell.sources[0])
        exact = number.value if number.value > 0 or math.isnan(number.value) else 0.0
        before, value = cell.write(number.value), cell.write(cell.value)
        return Made(
            self.formula(number.symbols),
            [self.formula(before), f"{sign(as_decimal(cell.write(exact)), value)} {value}"],
            say("explanation.relu.words", number=cell.named(number)), (Term(exact, (number,)),), exact, 0.0,
            notes=() if math.isfinite(cell.value) else (cell.already(number),),
        )  # fmt: skip
