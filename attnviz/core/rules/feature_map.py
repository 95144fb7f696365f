"""The feature map of linear attention: elu(z) + 1, which is positive for every number."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Made, Term
from attnviz.core.rules.explaining.displayed import as_decimal, exp, in_sum, sign
from attnviz.words import say

ROUNDINGS = 4


@dataclass(frozen=True)
class FeatureMap(EachCell):
    """z + 1 where z is above 0, else exp(z).

    Source: Katharopoulos et al. 2020, Transformers are RNNs, section 3.2.2, equation 7.
    """

    name = "feature_map"

    def compute(self, *sources: Tensor) -> Tensor:
        """Far below 0 torch's elu is -1, and a sum with 1 would have lost every digit of the exponential."""
        number = sources[0]
        return torch.where(number > 0, number + 1, number.clamp(max=0).exp())

    def bounded(self, *tables: Bounded) -> Bounded:
        """The curve is nowhere steeper than 1."""
        value, error = tables[0]
        return Bounded(np.where(value > 0, value + 1, np.exp(np.minimum(value, 0))), error)

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Every rounding is relative to what is made."""
        return ROUNDINGS * np.abs(made.value)

    def formula(self, *symbols: str) -> str:
        """Its usual name."""
        return f"elu({symbols[0]}) + 1"

    def code(self, made: str, *names: str) -> list[str]:
        """The number plus 1 above 0, else the exponential."""
        return [f"{made} = torch.where({names[0]} > 0, {names[0]} + 1, {names[0]}.clamp(max=0).exp())"]

    def explain(self, cell: Cell) -> Made:
        """A sum, or an exponential."""
        (number,) = cell.factors(cell.sources[0])
        before, value, above = cell.write(number.value), cell.write(cell.value), number.value > 0
        exact = number.value + 1 if above else exp(number.value)
        displayed = as_decimal(before) + 1 if above else Decimal(exp(float(as_decimal(before))))
        return Made(
            f"{number.symbols} + 1" if above else f"exp({number.symbols})",
            [in_sum([before, "1"]) if above else f"exp({before})", f"{sign(displayed, value)} {value}"],
            say(f"explanation.feature_map.{'above' if above else 'below'}", number=cell.named(number)),
            (Term(exact, (number,)),), exact, cell.tolerance(abs(exact), ROUNDINGS),
            notes=() if math.isfinite(number.value) else (cell.already(number),),
        )  # fmt: skip
