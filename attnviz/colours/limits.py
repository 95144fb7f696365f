"""Colour limits: matrices that are compared share theirs, and each figure says them."""

import torch

from attnviz.core.trace import Trace


def colour_limits(trace: Trace, name: str) -> tuple[float, float]:
    """Return the colour limits of a matrix: 0 to 1 for attention weights, else symmetric about 0 and
    wide enough for every finite value of the matrices it is compared with.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> colour_limits(trace(Scenario()), "attention_weights")
    (0.0, 1.0)
    """
    family = trace.stages[name].colours
    if family == "attention":
        return 0.0, 1.0
    largest = max(_largest_finite(trace[other]) for other, stage in trace.stages.items() if stage.colours == family)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def _largest_finite(matrix: torch.Tensor) -> float:
    finite = matrix[torch.isfinite(matrix)]
    return float(finite.abs().max()) if finite.numel() else 0.0
