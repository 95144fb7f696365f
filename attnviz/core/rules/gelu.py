"""GELU: a number times the probability that a standard normal one is smaller."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from torch import Tensor
from torch.nn.functional import gelu

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Made, Term, grouped
from attnviz.core.rules.explaining.displayed import as_decimal, sign
from attnviz.words import say

_STEEPEST = 1.13  # of the curve, at √2
ROUNDINGS = 4  # of the number itself: torch adds 1 to an error function, and far below 0 little is left of that


@dataclass(frozen=True)
class GELU(EachCell):
    """z · Φ(z), where Φ is the distribution of the standard normal.

    Source: Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2.
    """

    name = "gelu"

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own, with the error function."""
        return gelu(sources[0])

    def bounded(self, *tables: Bounded) -> Bounded:
        """The curve is nowhere steeper than 1.13."""
        value, error = tables[0]
        with np.errstate(all="ignore"):
            made = value * np.vectorize(normal_share, otypes=[float])(value)
        return Bounded(np.where(np.isneginf(value), 0.0, made), error * _STEEPEST)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Every rounding is relative to the number, not to what is left of it below 0."""
        return 2 * ROUNDINGS * np.abs(tables[0].value)

    def formula(self, *symbols: str) -> str:
        """The number times its share of the bell curve."""
        return f"{symbols[0]} · Φ({symbols[0]})"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.nn.functional.gelu({names[0]})"]

    def explain(self, cell: Cell) -> Made:
        """The number, times the share below it."""
        (number,) = cell.factors(cell.sources[0])
        share = normal_share(number.value)
        exact = number.value * share
        before, written, value = map(cell.write, (number.value, share, cell.value))
        displayed = Decimal(normal_share(float(as_decimal(before))))
        steps = [
            f"{grouped(before)} × Φ({before})",
            f"{sign(displayed, written)} {grouped(before)} × {written}",
            f"{sign(as_decimal(before) * as_decimal(written), value)} {value}",
        ]
        notes = [] if math.isfinite(cell.value) else [cell.already(number)]
        if number.value == -math.inf:
            notes.append(say("explanation.trouble.product"))
        return Made(
            self.formula(number.symbols), steps, say("explanation.gelu.words", number=cell.named(number)),
            (Term(exact, (number,)),), exact, cell.tolerance(abs(number.value), ROUNDINGS),
            notes=tuple(notes),
        )  # fmt: skip


def normal_share(value: float) -> float:
    """Return which share of the standard normal distribution lies below a value, Φ.

    >>> normal_share(0.0), normal_share(-math.inf)
    (0.5, 0.0)
    """
    return 0.5 * math.erfc(-value / math.sqrt(2))
