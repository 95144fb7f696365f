"""Colour limits: matrices that are compared share theirs, and each figure says them."""

import math

import numpy as np
import torch

from attnviz.core.stages import Stage
from attnviz.core.trace import Trace

PALE = 1.25  # scores have the colour of what is made of them, and less of it: the weights stand out


def colour_limits(trace: Trace, name: str) -> tuple[float, float]:
    """Return the colour limits of a matrix: of attention weights 0 to the largest that tells something, else symmetric
    about 0 and wide enough for every finite value of the matrices it is compared with.

    A row that may read one word alone gives it all: its 1 would only make all others pale.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> colour_limits(trace(Scenario("one two", w_q="zeros", causal=True)), "attention_weights")
    (0.0, 0.5)
    """
    return _limits_of(trace, _families(trace)[_family(name, trace.stages[name])])


def all_limits(trace: Trace) -> dict[str, tuple[float, float]]:
    """Return the colour limits of every matrix of a trace: those of one family are looked for once."""
    limits: dict[str, tuple[float, float]] = {}
    for members in _families(trace).values():
        limits |= dict.fromkeys(members, _limits_of(trace, members))
    return {name: limits[name] for name in trace.stages}


def _family(name: str, stage: Stage) -> tuple[str, ...]:
    """Return what tells the matrices that share limits from others.

    What attention makes has its own, over all heads, and each projection with its bias: one large number makes no other
    matrix pale.
    """
    if stage.colours == "vectors" and stage.role != "x":
        return stage.colours, name.rsplit(".", 1)[-1]
    return stage.colours, stage.role


def _families(trace: Trace) -> dict[tuple[str, ...], list[str]]:
    """Return the names of the matrices that share limits, family by family."""
    families: dict[tuple[str, ...], list[str]] = {}
    for name, stage in trace.stages.items():
        families.setdefault(_family(name, stage), []).append(name)
    return families


def _limits_of(trace: Trace, members: list[str]) -> tuple[float, float]:
    """Return the limits of matrices of one family."""
    colours = trace.stages[members[0]].colours
    if colours == "attention":
        return 0.0, max(_largest_share(trace, other) for other in members) or 1.0
    largest = max(_largest_finite(trace[other]) for other in members) * (PALE if colours == "scores" else 1)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def _largest_share(trace: Trace, name: str) -> float:
    """Return the largest weight in rows that may read two tokens or more; 0 where there are none."""
    weights, hidden = trace[name], trace.masked_in(name)
    n_readable = np.full(weights.shape[-2], weights.shape[-1]) if hidden is None else (~hidden).sum(1)
    return _largest_finite(weights[..., torch.from_numpy(n_readable > 1).to(weights.device), :])


def _largest_finite(matrix: torch.Tensor) -> float:
    if not matrix.numel():
        return 0.0
    largest = float(matrix.abs().max())
    if math.isfinite(largest):  # as nearly always, in a third of the time
        return largest
    finite = matrix[torch.isfinite(matrix)]
    return float(finite.abs().max()) if finite.numel() else 0.0
