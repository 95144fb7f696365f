"""The feature map of linear attention: elu(z) + 1, which is positive for every number."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, Rule
from attnviz.core.rules.expression import I, J, Piece, exp, number, sentence, sources
from attnviz.core.rules.reading import Shape

ROUNDINGS = 4


@dataclass(frozen=True)
class FeatureMap(Rule):
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

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """A sum above 0, else an exponential."""
        (x,) = sources(1)
        above, below = (sentence(f"explanation.feature_map.{each}", number=x.named()) for each in ("above", "below"))
        more: dict[str, Any] = {"roundings": ROUNDINGS, "trouble": "read"}
        return (
            Piece(x[I, J] + number(1.0, "1"), (x.name(), " + 1"), (above,), (x[I, J],), **more),
            Piece(exp(x[I, J]), ("exp(", x.name(), ")"), (below,), **more),
        )

    def formula(self, *symbols: str) -> str:
        """Its usual name."""
        return f"elu({symbols[0]}) + 1"

    def code(self, made: str, *names: str) -> list[str]:
        """The number plus 1 above 0, else the exponential."""
        return [f"{made} = torch.where({names[0]} > 0, {names[0]} + 1, {names[0]}.clamp(max=0).exp())"]
