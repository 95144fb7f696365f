"""ReLU: a number, or 0 where it is negative."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, Rule
from attnviz.core.rules.expression import I, J, Piece, positive, sentence, sources
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class ReLU(Rule):
    """The larger of a number and 0."""

    name = "relu"

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own."""
        return torch.relu(sources[0])

    def bounded(self, *tables: Bounded) -> Bounded:
        """No number moves further than its source."""
        return Bounded(np.maximum(tables[0].value, 0.0), tables[0].error)

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The larger of the two."""
        (x,) = sources(1)
        words = sentence("explanation.relu.words", number=x.named())
        return (Piece(positive(x[I, J]), ("max(0, ", x.name(), ")"), (words,)),)

    def formula(self, *symbols: str) -> str:
        """The larger of the two."""
        return f"max(0, {symbols[0]})"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.relu({names[0]})"]
