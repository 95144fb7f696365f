"""Statistics of the scaling experiment's softmax rows, each with its interval."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Scores = NDArray[np.float64]

# The confidence of intervals: so wide that at most dimensions of a sweep they contain what theory expects.
CONFIDENCE = 0.99
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

# A key is ignored if its attention weight is below this part of an equal share, 1 / n_keys; a row's gradient is
# nearly gone if it is below this part of that of a row whose attention weights are all equal.
DEAD_SHARE = VANISHED_SHARE = 0.01

_CHUNK = 2**17  # numbers softmaxed at a time: 1 MiB, which stays in the cache
_NS_NUMBER = 15.0  # nanoseconds per score of a softmax with its statistics, measured on one core

BOUNDS = ("", "_low", "_high")  # suffixes of a column's name: none for the number itself, two for its interval


@dataclass(frozen=True)
class Rows:
    """Attention weights (rows, n_keys), with what several statistics need.

    The `largest` weight of each row is kept apart, and is 0 in `weights`: otherwise the `rest` of a row, 1 - largest,
    would be lost to rounding when it's small. `less` are the scores minus the largest of their row.
    """

    less: Scores
    weights: Scores
    sums: Scores  # sums of exp(less) by row, including 1 for the largest
    largest: Scores
    rest: Scores

    @classmethod
    def of(cls, z: Scores) -> Self:
        """Return the softmax of z (rows, n_keys), which is overwritten.

        It uses NumPy, not torch: for so little work, threads would wait for each other whenever the machine is busy.
        """
        top = z.argmax(axis=1)[:, None]
        z -= np.take_along_axis(z, top, axis=1)
        a = np.exp(z)
        np.put_along_axis(a, top, 0.0, axis=1)
        sums = 1 + (rest := a.sum(axis=1))
        a /= sums[:, None]
        return cls(z, a, sums, 1 / sums, rest / sums)

    @property
    def n_keys(self) -> int:
        """How many keys each row has."""
        return self.weights.shape[1]

    @cached_property
    def norms(self) -> Scores:
        """The norm of each row's Jacobian."""
        largest, rest, a = self.largest, self.rest, self.weights
        squares = (a**2).sum(axis=1)
        # The sum over i of a_i^2 ((1 - a_i)^2 + the squares of the others), for the largest and for the others.
        jacobian = largest**2 * (rest**2 + squares) + squares * (1 + largest**2 + squares) - 2 * (a**3).sum(axis=1)
        return np.asarray(np.sqrt(jacobian))


@dataclass(frozen=True)
class Statistic:
    """A number from 0 to 1 per softmax row, averaged over rows.

    With `median`, their median is taken instead. `top` is the end of its axis in a figure; its title is in the
    catalogue.
    """

    name: str
    of: Callable[[Rows], Scores]
    top: float = 1.0
    median: bool = False


def _entropies(rows: Rows) -> Scores:
    entropies = np.log(rows.sums) - (rows.weights * rows.less).sum(axis=1)
    return np.asarray(np.maximum(0, entropies) / math.log(rows.n_keys))


def tokens_read(weights: Scores) -> float:
    """Return how many tokens a row effectively reads: e to its entropy.

    >>> tokens_read(np.array([0.5, 0.5, 0.0])), tokens_read(np.array([0.0, 1.0]))
    (2.0, 1.0)
    """
    read = weights[weights > 0]
    return round(float(np.exp(-(read * np.log(read)).sum())), 12)


def _dead_shares(rows: Rows) -> Scores:
    # 1 is subtracted for each row's largest weight: it is 0 in `weights`, but its token isn't ignored.
    return np.asarray(((rows.weights < DEAD_SHARE / rows.n_keys).sum(axis=1) - 1) / rows.n_keys)


def _vanished(rows: Rows) -> Scores:
    return (rows.norms < VANISHED_SHARE * even_jacobian_norm(rows.n_keys)).astype(np.float64)


# To add a statistic, add a row here, and its title in the catalogue. Columns and curves of a sweep have this order.
STATISTICS = (
    Statistic("largest_attention_weight", lambda rows: rows.largest),
    Statistic("normalized_entropy", _entropies),
    Statistic("dead_key_share", _dead_shares),
    Statistic("jacobian_norm", lambda rows: rows.norms, top=0.5),
    Statistic("jacobian_norm_median", lambda rows: rows.norms, top=0.5, median=True),
    Statistic("vanished_share", _vanished),
)


def even_jacobian_norm(n_keys: int) -> float:
    """Return the norm of softmax's Jacobian at equal weights 1 / n_keys."""
    return math.sqrt(n_keys - 1) / n_keys


def softmax_seconds(n_scores: int) -> float:
    """Return roughly how many seconds one core takes for these statistics."""
    return n_scores * _NS_NUMBER * 1e-9


def softmax_statistics(scores: Floats | Scores, factor: float, told: Callable[[float], object]) -> Scores:
    """Return each statistic (trials, n_queries) of scores (trials, n_queries, n_keys).

    `told` is called after each piece, with roughly how many seconds of a core it took.
    """
    rows = scores.reshape(-1, scores.shape[-1])
    by_row = np.empty((len(STATISTICS), len(rows)))
    step = max(1, _CHUNK // scores.shape[-1])
    for first in range(0, len(rows), step):
        piece = rows[first : first + step]
        softmaxed = Rows.of(piece.astype(np.float64) * factor)
        by_row[:, first : first + step] = [statistic.of(softmaxed) for statistic in STATISTICS]
        told(softmax_seconds(piece.size))
    return by_row.reshape(-1, *scores.shape[:2])


def averaged(found: Scores) -> dict[str, float]:
    """Return the columns of all trials' statistics: averages, with their intervals."""
    columns: dict[str, float] = {}
    for statistic, values in zip(STATISTICS, found, strict=True):
        bounds = _median(values) if statistic.median else _mean(values)
        columns |= zip((statistic.name + bound for bound in BOUNDS), bounds, strict=True)
    return columns


def _mean(values: Scores) -> tuple[float, float, float]:
    """Return the mean of values (trials, rows), and its interval."""
    # Rows of one trial share their projections: only the trials are independent.
    of_trials = values.mean(axis=1)
    mean, error = float(of_trials.mean()), float(of_trials.std(ddof=1)) / math.sqrt(len(of_trials))
    return mean, *share_interval(mean, error, len(of_trials))


def _median(values: Scores) -> tuple[float, float, float]:
    """Return the median of values (trials, rows), with interval (Woodruff 1952)."""
    median = float(np.median(values))
    below = (values <= median).mean(axis=1)
    error = max(float(below.std(ddof=1)) / math.sqrt(len(below)), 0.5 / math.sqrt(values.size))
    low, high = np.quantile(values, (max(0.0, 0.5 - Z * error), min(1.0, 0.5 + Z * error)))
    return median, min(median, float(low)), max(median, float(high))


def share_interval(mean: float, error: float, trials: int) -> tuple[float, float]:
    """Return Wilson's interval for a mean (0 to 1) and standard error.

    It takes as many draws as would give this error if each draw were 0 or 1, but at least the number of trials. So the
    interval has a width even if something rare, such as an ignored key, was never seen.
    """
    spread = mean * (1 - mean)
    square = error**2
    if square == 0 < spread:
        return mean, mean
    n = max(trials, spread / square) if square > 0 else trials
    centre = (mean + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(max(0.0, spread) / n + (Z / (2 * n)) ** 2) / (1 + Z**2 / n)
    return max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half))
