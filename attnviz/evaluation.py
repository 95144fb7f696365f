"""The rules of the table of stages for whole matrices in float64, with how far rounded sources may move each cell,
and how far the arithmetic of a machine may.

``attend`` computes a whole trace from its inputs; this computes one stage from any tables, as marking needs it:
from printed ones too. A test holds the two together.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from attnviz.stages import Stage


class Bounded(NamedTuple):
    """A matrix ``(rows, columns)`` in float64, and for each cell how far the true number may be from it."""

    value: np.ndarray
    error: np.ndarray

    @classmethod
    def exactly(cls, value: np.ndarray) -> "Bounded":
        """Return a matrix without any error."""
        return cls(value, np.zeros_like(value))


class Precision(NamedTuple):
    """How a machine computes: by how much, relatively, each sum and each number that is kept may be rounded."""

    sums: float
    kept: float


EXACT = Precision(0.0, 0.0)
FLOAT32 = Precision(2.0**-24, 2.0**-24)
FLOAT16 = Precision(2.0**-24, 2.0**-11)  # halves are summed in float32
BFLOAT16 = Precision(2.0**-24, 2.0**-8)


def divisor_of(d_k: int, scale: bool, temperature: float) -> float:
    """Return what scores are divided by.

    >>> divisor_of(4, True, 2.0), divisor_of(4, False, 1.0)
    (4.0, 1.0)
    """
    return (math.sqrt(d_k) if scale else 1.0) * temperature


def evaluate(
    stage: Stage,
    tables: Mapping[str, Bounded],
    *,
    divisor: float = 1.0,
    causal: bool = False,
    precision: Precision = EXACT,
) -> Bounded:
    """Return the matrix of a stage, made from its sources in `tables` by its rule.

    A bias that is not in `tables` is not added; `divisor` and `causal` are those of the rule "scale". With a
    `precision`, the error includes what a machine of it may add.

    Numbers that overflow become infinite or NaN, as floats do, without a warning.

    Raises ``KeyError`` for a source that is not there.
    """
    with np.errstate(all="ignore"):
        made = _evaluated(stage, tables, divisor, causal)
        if precision == EXACT:
            return made
        own = precision.kept * np.abs(made.value) + precision.sums * _summed(stage, tables, made)
        return Bounded(made.value, made.error + np.where(np.isfinite(own), own, 0.0))


def _summed(stage: Stage, tables: Mapping[str, Bounded], made: Bounded) -> np.ndarray:
    """Return the sizes of all terms of each cell, added up once for each sum that they go through."""
    first = np.abs(tables[stage.sources[0]].value)
    if stage.rule == "product":
        second = np.abs(tables[stage.sources[1]].value)
        terms: np.ndarray = first @ (second.T if stage.transposed else second)
        bias = tables.get(stage.bias or "")
        return (first.shape[1] + 1) * (terms if bias is None else terms + np.abs(bias.value))
    if stage.rule == "softmax":
        # The difference to the largest score is rounded before its exp is taken, and so are exp, sum and quotient.
        scores = np.where(np.isfinite(first), first, 0.0)
        return made.value * (first.shape[1] + 4 + 2 * (scores + scores.max(-1, keepdims=True)))
    return np.abs(made.value)


def _evaluated(stage: Stage, tables: Mapping[str, Bounded], divisor: float, causal: bool) -> Bounded:
    first = tables[stage.sources[0]]
    if stage.rule == "product":
        second = tables[stage.sources[1]]
        made = _product(first, Bounded(second.value.T, second.error.T) if stage.transposed else second)
        bias = tables.get(stage.bias or "")
        return made if bias is None else Bounded(made.value + bias.value, made.error + bias.error)
    if stage.rule == "scale":
        masked = np.triu(np.ones(first.value.shape, dtype=bool), 1) & causal
        return Bounded(np.where(masked, -np.inf, first.value / divisor), np.where(masked, 0.0, first.error / divisor))
    if stage.rule == "softmax":
        return _softmax(first)
    if stage.rule == "relu":
        return Bounded(np.maximum(first.value, 0.0), first.error)
    raise ValueError(f"{stage.name} is given, and made from nothing")


def _product(a: Bounded, b: Bounded) -> Bounded:
    error = np.abs(a.value) @ b.error + a.error @ np.abs(b.value) + a.error @ b.error
    return Bounded(a.value @ b.value, error)


def _softmax(scores: Bounded) -> Bounded:
    exponentials = np.exp(scores.value - scores.value.max(-1, keepdims=True))
    weights = exponentials / exponentials.sum(-1, keepdims=True)
    # A score that is off by e makes its own exp, and at worst the sum too, off by a factor of exp(e).
    most = np.minimum(scores.error + scores.error.max(-1, keepdims=True), 50.0)
    return Bounded(weights, np.minimum(weights * np.expm1(most), 1.0))
