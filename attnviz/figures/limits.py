"""Colour limits: matrices that are compared share theirs, and each figure says them."""

import torch

from attnviz.attention import AttentionTrace
from attnviz.position_wise import FeedForwardTrace
from attnviz.stages import EVERY_STAGE


def colour_limits(trace: AttentionTrace | FeedForwardTrace, name: str) -> tuple[float, float]:
    """Return the colour limits of a matrix: 0 to 1 for attention weights, else symmetric about 0 and
    wide enough for every finite value of the matrices it is compared with.

    >>> from attnviz.scenario import Scenario, trace
    >>> colour_limits(trace(Scenario()), "attention_weights")
    (0.0, 1.0)
    """
    family = EVERY_STAGE[name].colours
    if family == "attention":
        return 0.0, 1.0
    compared = (getattr(trace, other, None) for other, stage in EVERY_STAGE.items() if stage.colours == family)
    largest = max(_largest_finite(matrix) for matrix in compared if matrix is not None)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def _largest_finite(matrix: torch.Tensor) -> float:
    finite = matrix[torch.isfinite(matrix)]
    return float(finite.abs().max()) if finite.numel() else 0.0
