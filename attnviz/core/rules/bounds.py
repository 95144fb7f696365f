"""Bounds of errors: exact results, with a bound for each cell.

A rule that isn't registered here passes no errors on: marking knows only the rules of attention as it's taught.
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from attnviz.core.rules.base import Rule
from attnviz.core.rules.cellwise import GELU, Add, ReLU
from attnviz.core.rules.copying import Concatenate, Slice
from attnviz.core.rules.derived import values
from attnviz.core.rules.product import Product
from attnviz.core.rules.scale import Scale
from attnviz.core.rules.softmax import Softmax

# Relative rounding errors of stored numbers; numbers in half precision are summed in float32, too.
FLOAT32, FLOAT16, BFLOAT16 = 2.0**-24, 2.0**-11, 2.0**-8

_STEEPEST = 1.13  # GELU's largest slope, at √2
# Roundings in GELU, relative to its input: torch adds 1 to an error function, which leaves little far below 0.
_IN_GELU = 8


class Bounded(NamedTuple):
    """A float64 matrix ``(rows, columns)`` with an error bound for each cell."""

    value: np.ndarray
    error: np.ndarray

    @classmethod
    def exactly(cls, value: np.ndarray) -> "Bounded":
        """Return a matrix without any error."""
        return cls(value, np.zeros_like(value))


def bounded(rule: Rule, *tables: Bounded) -> Bounded:
    """Return the matrix in float64, with the errors its sources pass on.

    Numbers that overflow become infinite or NaN, as floats do, without a warning.
    """
    made = values(rule, *(table.value for table in tables))
    with np.errstate(all="ignore"):
        return Bounded(made, moved(rule, made, *tables))


def computed_in(rule: Rule, precision: float, *tables: Bounded) -> Bounded:
    """Return :func:`bounded` with the rounding errors of this precision included."""
    with np.errstate(all="ignore"):
        made = bounded(rule, *tables)
        own = precision * stored(rule, made, *tables) + FLOAT32 * summed(rule, made, *tables)
        return Bounded(made.value, made.error + np.where(np.isfinite(own), own, 0.0))


@singledispatch
def moved(rule: Rule, made: np.ndarray, *tables: Bounded) -> np.ndarray:
    """Return how far errors of the sources may move each cell."""
    return np.zeros_like(made)


@singledispatch
def stored(rule: Rule, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the summed magnitudes of all numbers stored while computing each cell."""
    return np.zeros_like(made.value)


@singledispatch
def summed(rule: Rule, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the magnitudes of each cell's addends, summed.

    Each addend counts once for each partial sum that it's part of, because each partial sum is rounded.
    """
    return np.zeros_like(made.value)


@moved.register(Add)
@moved.register(ReLU)
@moved.register(Slice)
@moved.register(Concatenate)
def _(rule: Rule, made: np.ndarray, *tables: Bounded) -> np.ndarray:
    """Return the sources' errors, to which the rule itself applies."""
    return values(rule, *(table.error for table in tables))


@moved.register
def _(rule: GELU, made: np.ndarray, *tables: Bounded) -> np.ndarray:
    return tables[0].error * _STEEPEST


@moved.register
def _(rule: Product, made: np.ndarray, *tables: Bounded) -> np.ndarray:
    """Return the errors of all products, added up."""
    if rule.cosine or rule.typed:
        return np.zeros_like(made)
    a, b = tables[0], _factor(rule, tables[1])
    error: np.ndarray = np.abs(a.value) @ b.error + a.error @ np.abs(b.value) + a.error @ b.error
    for bias in tables[2:]:
        error = error + bias.error
    return error


@moved.register
def _(rule: Scale, made: np.ndarray, *tables: Bounded) -> np.ndarray:
    """Return the scaled errors; masked cells are exact."""
    if rule.factor:
        return np.zeros_like(made)
    error = tables[0].error / rule.divisor
    return np.where(tables[1].value == -np.inf, 0.0, error + tables[1].error) if len(tables) > 1 else error


@moved.register
def _(rule: Softmax, made: np.ndarray, *tables: Bounded) -> np.ndarray:
    """Return the errors of shares: a score's error e multiplies by exp(e)."""
    if rule != Softmax():
        return np.zeros_like(made)
    scores, error = tables[0]
    most = error + error.max(-1, keepdims=True)
    apart = scores - scores.max(-1, keepdims=True)
    logs = apart - np.log(np.exp(apart).sum(-1, keepdims=True))
    # A share may underflow to 0 and then move far, so its bound is found from logarithms. A hidden share stays 0,
    # whatever the errors in its row.
    far = np.exp(np.minimum(np.where(np.isneginf(logs), logs, logs + most), 0.0))
    return np.where(most < 50, np.minimum(made * np.expm1(most), 1.0), far)


@stored.register(Add)
@stored.register(GELU)
@stored.register(Softmax)
def _(rule: Rule, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the size of the result: nothing else is stored."""
    return np.abs(made.value)


@stored.register
def _(rule: Product, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the sizes of the product and of the result."""
    sizes: np.ndarray = np.abs(made.value)
    for bias in tables[2:]:
        sizes = sizes + np.abs(made.value - bias.value)
    return sizes


@stored.register
def _(rule: Scale, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the quotient's size, and with a mask the sum's."""
    quotients = summed(rule, made, *tables)
    return quotients if len(tables) == 1 else quotients + np.abs(made.value)


@summed.register
def _(rule: GELU, made: Bounded, *tables: Bounded) -> np.ndarray:
    return _IN_GELU * np.abs(tables[0].value)


@summed.register
def _(rule: Product, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the magnitudes of all products and biases, for each partial sum."""
    first = np.abs(tables[0].value)
    terms: np.ndarray = first @ np.abs(_factor(rule, tables[1]).value)
    for bias in tables[2:]:
        terms = terms + np.abs(bias.value)
    return (first.shape[1] + 1) * terms


@summed.register
def _(rule: Scale, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the quotient's size, because its divisor is rounded, too."""
    return np.abs(tables[0].value / rule.divisor)


@summed.register
def _(rule: Softmax, made: Bounded, *tables: Bounded) -> np.ndarray:
    """Return the sizes of rounded differences, exponentials, sums and quotients."""
    value = tables[0].value
    scores = np.where(np.isfinite(value), np.abs(value), 0.0)
    sizes: np.ndarray = 2 * value.shape[1] + 8 + 2 * (scores + scores.max(-1, keepdims=True))
    return made.value * sizes


def _factor(rule: Product, table: Bounded) -> Bounded:
    """Return the second factor, transposed if the rule transposes it."""
    return Bounded(table.value.T, table.error.T) if rule.transposed else table
