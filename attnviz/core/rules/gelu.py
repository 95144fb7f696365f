"""GELU: a number times the probability that a standard normal one is smaller."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor, where
from torch.nn.functional import gelu

from attnviz.core.rules.base import Bounded, Rule
from attnviz.core.rules.explaining.numbers import normal_share
from attnviz.core.rules.expression import I, J, Piece, normal, sentence, sources
from attnviz.core.rules.reading import Shape

_STEEPEST = 1.13  # of the curve, at √2
_ALL_BELOW = 9  # from here on Φ is 1 in float64, too
ROUNDINGS = 4  # of the number itself: torch adds 1 to an error function, and far below 0 little is left of that


@dataclass(frozen=True)
class GELU(Rule):
    """z · Φ(z), where Φ is the distribution of the standard normal.

    Source: Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2.
    """

    name = "gelu"

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own, with the error function; it makes infinity of numbers whose double overflows."""
        return where(sources[0] > _ALL_BELOW, sources[0], gelu(sources[0]))

    def bounded(self, *tables: Bounded) -> Bounded:
        """The curve is nowhere steeper than 1.13."""
        value, error = tables[0]
        with np.errstate(all="ignore"):
            made = value * np.vectorize(normal_share, otypes=[float])(value)
        return Bounded(np.where(np.isneginf(value), 0.0, made), error * _STEEPEST)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Every rounding is relative to the number, not to what is left of it below 0."""
        return 2 * ROUNDINGS * np.abs(tables[0].value)

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The number, times the share below it."""
        (x,) = sources(1)
        words = sentence("explanation.gelu.words", number=x.named())
        symbols = (x.name(), " · Φ(", x.name(), ")")
        return (Piece(x[I, J] * normal(x[I, J]), symbols, (words,), (), ROUNDINGS, x[I, J], "sum"),)

    def formula(self, *symbols: str) -> str:
        """The number times its share of the bell curve."""
        return f"{symbols[0]} · Φ({symbols[0]})"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.nn.functional.gelu({names[0]})"]
