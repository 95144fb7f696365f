"""What is measured of the scaling experiment's softmax rows, with the intervals of each number."""

import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from attnviz.scaling.sources import Floats, Scores

# Of the intervals: wide, so that at most dimensions of a sweep they hold what theory expects.
CONFIDENCE = 0.99
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

# A key is ignored if its attention weight is below this part of an equal share, 1 / n_keys; a row's gradient is
# nearly gone if it is below this part of that of a row whose attention weights are all equal.
DEAD_SHARE = VANISHED_SHARE = 0.01

_MEANS = (
    "largest_attention_weight", "normalized_entropy", "dead_key_share", "jacobian_norm", "vanished_share",
)  # fmt: skip
_MEDIAN = "jacobian_norm_median"
SOFTMAX_STATISTICS = (*_MEANS, _MEDIAN)

_CHUNK = 2**17  # numbers softmaxed at a time: 1 MiB, which stays in the cache
_NS_NUMBER = 15.0  # of one softmax with its statistics, measured on one core

Columns = dict[str, float]


def even_jacobian_norm(n_keys: int) -> float:
    """Return the norm of softmax's Jacobian where all attention weights are 1 / n_keys.

    >>> even_jacobian_norm(2)
    0.5
    """
    return math.sqrt(n_keys - 1) / n_keys


def softmax_seconds(n_scores: int) -> float:
    """Return how long one core takes for the statistics of so many scores, about."""
    return n_scores * _NS_NUMBER * 1e-9


def softmax_statistics(scores: Floats | Scores, factor: float) -> Iterator[int | Columns]:
    """Yield how many of the scores (trials, n_queries, n_keys), times `factor`, are done, piece by piece, and in the
    end the columns of SOFTMAX_STATISTICS with their intervals."""
    trials, n_queries, n_keys = scores.shape
    rows = scores.reshape(-1, n_keys)
    by_row = np.empty((len(_MEANS), len(rows)))
    step = max(1, _CHUNK // n_keys)
    for first in range(0, len(rows), step):
        piece = rows[first : first + step]
        by_row[:, first : first + step] = _of_rows(piece.astype(np.float64) * factor)
        yield piece.size
    # Rows of one trial share their projections: only the trials are independent.
    columns: Columns = {}
    for name, values in zip(_MEANS, by_row.reshape(-1, trials, n_queries).mean(axis=2), strict=True):
        mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(trials)
        columns[name] = mean
        columns[f"{name}_low"], columns[f"{name}_high"] = share_interval(mean, error, trials)
    norms = by_row[_MEANS.index("jacobian_norm")].reshape(trials, n_queries)
    for bound, value in zip(("", "_low", "_high"), _median(norms), strict=True):
        columns[f"{_MEDIAN}{bound}"] = value
    yield columns


def _of_rows(z: Scores) -> Scores:
    """Return the statistics (5, rows) of softmax's rows; z (rows, n_keys) is used up.

    numpy, not torch: threads over so little work wait for each other wherever the machine is busy.
    """
    n_keys = z.shape[1]
    top = z.argmax(axis=1)[:, None]
    z -= np.take_along_axis(z, top, axis=1)
    a = np.exp(z)
    # The largest is kept apart: what it leaves to the others, 1 - a_top, would be lost to rounding where it is small.
    np.put_along_axis(a, top, 0.0, axis=1)
    sums = 1 + (rest := a.sum(axis=1))
    a /= sums[:, None]
    largest, rest = 1 / sums, rest / sums
    squares = (a**2).sum(axis=1)
    # The sum over i of a_i^2 ((1 - a_i)^2 + the squares of the others), for the largest and for the others.
    jacobian = largest**2 * (rest**2 + squares) + squares * (1 + largest**2 + squares) - 2 * (a**3).sum(axis=1)
    norms = np.sqrt(jacobian)
    return np.stack(
        (
            largest,
            np.maximum(0, np.log(sums) - (a * z).sum(axis=1)) / math.log(n_keys),
            ((a < DEAD_SHARE / n_keys).sum(axis=1) - 1) / n_keys,  # the largest, now 0, is none of them
            norms,
            norms < VANISHED_SHARE * even_jacobian_norm(n_keys),
        )
    )


def _median(values: Scores) -> tuple[float, float, float]:
    """Return the median of values (trials, rows of a trial), and its interval: the values at the shares of rows
    between which a half lies, by the share below the median in each trial (Woodruff 1952)."""
    median = float(np.median(values))
    below = (values <= median).mean(axis=1)
    error = max(float(below.std(ddof=1)) / math.sqrt(len(below)), 0.5 / math.sqrt(values.size))
    low, high = np.quantile(values, (max(0.0, 0.5 - Z * error), min(1.0, 0.5 + Z * error)))
    return median, min(median, float(low)), max(median, float(high))


def share_interval(mean: float, error: float, trials: int) -> tuple[float, float]:
    """Return Wilson's score interval for a mean of numbers from 0 to 1 with that standard error.

    What 1 or 0 alone would need as many draws for stands for their number, and never less than the trials: so
    the interval has a width where something rare, an ignored key, was not seen at all.
    """
    spread = mean * (1 - mean)
    square = error**2
    if square == 0 < spread:
        return mean, mean
    n = max(trials, spread / square) if square > 0 else trials
    centre = (mean + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(max(0.0, spread) / n + (Z / (2 * n)) ** 2) / (1 + Z**2 / n)
    return max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half))
