"""GELU: a number times the probability that a standard normal one is smaller."""

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor
from torch.nn.functional import gelu

from attnviz.core.rules.base import Bounded, EachCell

_STEEPEST = 1.13  # of the curve, at √2


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
            made = value * 0.5 * np.vectorize(math.erfc, otypes=[float])(-value / math.sqrt(2))
        return Bounded(np.where(np.isneginf(value), 0.0, made), error * _STEEPEST)

    def formula(self, *symbols: str) -> str:
        """The number times its share of the bell curve."""
        return f"{symbols[0]} · Φ({symbols[0]})"

    def code(self, *names: str) -> str:
        """Torch's own."""
        return f"torch.nn.functional.gelu({names[0]})"
