"""Attention weights that belong to scores of another scale, by a power of ten: no slip, for it fits only roughly."""

import math

import numpy as np

from attnviz.core.rules import Bounded, Softmax
from attnviz.marking.outcome import MarkedTable, Marking
from attnviz.tables.printed_table import as_printed
from attnviz.words import say

FITS = 0.05  # attention weights that are so near are taken for those of another scale
NEAR_A_POWER = 0.2  # decades
_POWERS = (1, 2, 3)


@np.errstate(all="ignore")  # what overflows is no scale of note
def other_scale(marking: Marking, table: MarkedTable) -> str:
    """Say that the scores are about a power of ten too large or too small for their weights; else an empty text."""
    if table.stage.kind != "softmax" or marking.settings.causal:
        return ""
    given, scores = table.given, marking.before[table.stage.sources[0]]
    if scores.shape[1] < 3 or np.isnan(given).any() or (given <= 0).any() or not np.isfinite(scores).all():
        return ""
    factor = _slope(scores, np.log(given))
    if factor <= 0:
        return ""
    power = round(math.log10(factor))
    if abs(power) not in _POWERS or abs(math.log10(factor) - power) > NEAR_A_POWER or _is_a_root(marking, factor):
        return ""
    if np.abs(Softmax().bounded(Bounded.exactly(scores * factor)).value - given).max() > FITS:
        return ""
    row = ", ".join(as_printed(value, table.decimals) for value in table.followed[0][:6])
    n = abs(power)
    if power < 0:
        means = say("marking.slip.too_large", power=say(f"marking.power.{n}"))
        size = say("marking.slip.size_part", part=say(f"marking.part_of.{n}"))
    else:
        means = say("marking.slip.too_small", power=say(f"marking.power.{n}"))
        size = say("marking.slip.size_power", power=say(f"marking.power.{n}"))
    return say("marking.slip.fitted", means=means, row=row, size=size)


def _slope(scores: np.ndarray, logarithms: np.ndarray) -> float:
    """Return the factor of the scores to which the logarithms of the weights belong."""
    across = scores - scores.mean(1, keepdims=True)
    up = logarithms - logarithms.mean(1, keepdims=True)
    size = float((across**2).sum())
    return float((across * up).sum() / size) if size else 0.0


def _is_a_root(marking: Marking, factor: float) -> bool:
    """Whether a factor is as near to d_k or its root as to a power of ten: √64 is 8, and not about ten."""
    d_k = marking.settings.d_head or 1
    roots = (math.sqrt(d_k), d_k) if d_k > 1 else ()
    return any(abs(math.log(max(factor, 1 / factor) / root)) < 0.2 for root in roots)
