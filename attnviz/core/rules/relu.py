"""ReLU: a number, or 0 where it is negative."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell


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

    def code(self, *names: str) -> str:
        """Torch's own."""
        return f"torch.relu({names[0]})"
