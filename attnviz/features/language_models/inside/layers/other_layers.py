"""A layer of a model that has no attention weights."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attnviz.words import say

if TYPE_CHECKING:
    from attnviz.features.language_models.inside.layers.layer import Kind


@dataclass(frozen=True)
class OtherLayer:
    """A layer of a model without attention weights.

    `does` says how it mixes tokens: "linear", "state_space", "convolution", "recurrent", "feed_forward" (not at all) or
    "unknown". `parts` are the classes of its modules. `kind` and `tokens` are those of the layers around it.
    """

    number: int
    does: str
    parts: tuple[str, ...]
    kind: "Kind"
    tokens: tuple[str, ...]
    read: tuple[str, ...]
    n_keys: int
    n_heads: int = 0

    @property
    def weights(self) -> Tensor:
        """No attention weights: ``(0, n_queries, n_keys)``."""
        return torch.zeros(0, self.n_keys, self.n_keys)

    def __str__(self) -> str:
        """Say how it mixes tokens."""
        return say(f"models.others.{self.does}", parts=", ".join(self.parts))
