"""Colour limits: matrices that are compared share theirs, and each figure says them."""

import torch

from attnviz.attention import AttentionTrace
from attnviz.stages import STAGES


def colour_limits(trace: AttentionTrace, name: str) -> tuple[float, float]:
    """Return the colour limits of a matrix: 0 to 1 for attention weights, else symmetric about 0 and
    wide enough for every finite value of the matrices it is compared with.

    >>> from attnviz.scenario import Scenario, trace
    >>> colour_limits(trace(Scenario()), "attention_weights")
    (0.0, 1.0)
    """
    family = STAGES[name].colours
    if family == "attention":
        return 0.0, 1.0
    compared = (getattr(trace, other) for other, stage in STAGES.items() if stage.colours == family)
    largest = max(_largest_finite(matrix) for matrix in compared if matrix is not None)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def _largest_finite(matrix: torch.Tensor) -> float:
    finite = matrix[torch.isfinite(matrix)]
    return float(finite.abs().max()) if finite.numel() else 0.0
