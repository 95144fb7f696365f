"""Typical attention weights at each dimension: sorted rows, averaged.

A single row wobbles as d grows, since its two highest scores may happen to lie close together. So the weights of each
row are sorted, and then averaged over many rows: the first number is the mean of the largest weight, the second that of
the second largest, and so on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from attnviz.core.limits import MAX_SEED, check_whole
from attnviz.explanation.row_statistics import Floats, Scores, tokens_read
from attnviz.features.sweeps.arguments import MAX_TRIALS, check_dims, check_exponent
from attnviz.features.sweeps.draws import measured
from attnviz.features.sweeps.sources import make_source

_KEPT = 16  # cached results, of 260 kB each at most
_MOST_NUMBERS = 2**24  # random numbers for one result, at most; they take about 0.15 s
_FEWEST = 16  # rows, at least, however wide they are


@dataclass(frozen=True, eq=False)
class TypicalRow:
    """Sorted attention weights (n_keys,), averaged over many rows.

    `read` is how many keys such a row reads in effect, averaged over the rows: e to the entropy of each.
    """

    dim: int
    weights: Scores
    read: float


def n_rows(dims: Iterable[int], n_keys: int, wanted: int) -> int:
    """Return over how many rows to average: `wanted`, fewer if wide.

    >>> n_rows((2, 1024), 64, 200), n_rows((4096,), 256, 200)
    (200, 16)
    """
    return min(wanted, max(_FEWEST, _MOST_NUMBERS // ((1 + n_keys) * max(dims))))


@lru_cache(_KEPT)
def typical_rows(
    dims: tuple[int, ...], seed: int, rows: int, *, n_keys: int = 64, law: str = "normal",
    exponents: tuple[float, ...] = (0.0, 0.5),
) -> tuple[tuple[TypicalRow, ...], ...]:  # fmt: skip
    """Return a typical row for each exponent p and ascending dimension d.

    In each of `rows` trials one query and `n_keys` keys are drawn, and their scores divided by d^p. A smaller d reads
    the first d coordinates of the same vectors, as in :func:`attnviz.sweep_scaling`: with as many trials and the same
    seed, the largest weights are those of its table.

    Raises ValueError for an argument out of range, naming the value and the limit.

    >>> raw, divided = typical_rows((2, 512), 0, 300, n_keys=6)
    >>> [f"{row.weights[0]:.2f}" for row in (*raw, *divided)]
    ['0.45', '0.96', '0.38', '0.41']
    """
    check_whole("rows", rows, 1, MAX_TRIALS)
    check_whole("seed", seed, 0, MAX_SEED)
    dims, powers = check_dims(dims), [check_exponent(p) for p in exponents]
    source = make_source(law, n_keys, None)

    def measure(d: int, scores: Floats, told: object) -> list[Scores]:
        return [np.stack([_softmax(scores[:, 0].astype(np.float64) * d**-p) for p in powers])]

    found: list[tuple[TypicalRow, ...]] = []
    for d, (weights,) in measured(source, dims, rows, seed, n_keys * len(powers), measure, lambda done: None):
        found.append(tuple(TypicalRow(d, _typical(each), _read(each)) for each in weights))
    return tuple(zip(*found, strict=True))


def _softmax(scores: Scores) -> Scores:
    weights: Scores = torch.softmax(torch.from_numpy(scores), dim=-1).numpy()
    return weights


def _typical(weights: Scores) -> Scores:
    typical = -np.sort(-weights, axis=-1).mean(axis=0)
    typical.flags.writeable = False  # all callers share the cached array
    return np.asarray(typical)


def _read(weights: Scores) -> float:
    return float(np.mean([tokens_read(row) for row in weights]))
