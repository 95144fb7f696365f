"""The experiment behind 1/sqrt(d_k): how dot products and their softmax change with the dimension."""

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist
from typing import get_args

import numpy as np
import pandas as pd
import torch

from attnviz.limits import MAX_SEED, check_whole
from attnviz.scaling_arguments import (
    MAX_SCORES,
    MAX_TRIALS,
    Scale,
    Statistics,
    check_dims,
    check_exponent,
    check_scales,
)
from attnviz.scaling_draws import numbers_needed, partial_scores
from attnviz.scaling_sources import Projections, Scores, Source, Spread, Vectors, make_source
from attnviz.seeding import FLOAT32_ON_CPU, fill, generator_for, seeded_projections

# Of the variance's interval: wide, so that at most dimensions of a sweep it holds what theory expects.
CONFIDENCE = 0.99
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

# A key is effectively dead if its attention weight is below this part of an equal share, 1 / n_keys.
DEAD_SHARE = 0.01

SOFTMAX_STATISTICS = ("largest_attention_weight", "normalized_entropy", "dead_key_share", "jacobian_norm")

_CHUNK = 2**17  # numbers softmaxed at a time: 1 MiB, which stays in the cache


class SweepStopped(Exception):
    """A sweep ended because its `progress` returned False."""


def sweep_scaling(
    dims: Iterable[int],
    trials: int,
    seed: int,
    *,
    n_keys: int = 64,
    source: str = "normal",
    x: object = None,
    scales: Sequence[Scale] = ("none", "sqrt", "linear"),
    statistics: Statistics = "all",
    progress: Callable[[float], object] | None = None,
) -> pd.DataFrame:
    """Measure dot products, and their softmax, at each dimension d, divided by d^p for each scale's p.

    `source` says what q and k are. "normal" and "uniform" draw every entry from N(0, 1) or U[0, 1): for the
    dot products one (q, k) per trial, for the softmax one query and `n_keys` keys per trial.
    "uniform-projections", "linear-projections" and "normal-projections" draw w_q and w_k by that init in
    every trial and take all queries and keys of x (n_tokens, d_in), which must be given; `n_keys` then plays
    no part. A scale is "none" (p = 0), "sqrt" (1/2), "linear" (1), or p itself. `progress` is called with the
    fraction done, at most 100 times.

    Returns one row per dimension, ascending, and scale, in the order given. All numbers are pure, and all
    but the first three columns are over the trials:

    - `dim`; `scale`, the name or p as text; `exponent`, which is p;
    - `mean`, `variance`, `std` of the scaled dot products. For projections the variance and std are those
      within a row of scores (divisor n_tokens), averaged over rows and trials;
    - `variance_low`, `variance_high`: the variance's 99 % confidence interval, from a normal law for its
      logarithm. Its standard error is exact for "normal" and "uniform" and estimated for projections. With
      standard normal q and k it holds the truth for 99 % of seeds from 100 trials on, for 98 % at 30;
    - `expected_variance`: what theory gives, d^(1 - 2p) for "normal";
    - `std_low`, `std_high`: the same for the std;
    - unless statistics is "dot products", averages over softmax rows: `largest_attention_weight`;
      `normalized_entropy`, the entropy divided by its maximum, log(n_keys); `dead_key_share`, the share of
      keys whose attention weight is less than a hundredth of an equal share, 1 / n_keys; `jacobian_norm`, the
      Frobenius norm of diag(a) - a a^T, the derivative of the attention weights a by the scaled scores. Each
      with its `..._low` and `..._high`: a 99 % confidence interval, Wilson's for a share, from the standard
      error over the trials; where dead keys are rare it takes a few hundred of them.

    All dimensions of a sweep share their draws: a smaller one reads the first d coordinates. So each is right
    by itself, but they err together, and no row depends on which other dimensions or scales are asked for.
    The same arguments give the same numbers.

    Raises ValueError for an argument out of range, naming the value and the limit, and SweepStopped if
    `progress` returns False; whatever `progress` raises passes through.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, footnote 4.

    >>> table = sweep_scaling((4, 64), trials=1000, seed=0, n_keys=8, scales=("none", "sqrt"))
    >>> table[["dim", "scale", "expected_variance"]].values.tolist()
    [[4, 'none', 4.0], [4, 'sqrt', 1.0], [64, 'none', 64.0], [64, 'sqrt', 1.0]]
    >>> bool(table.expected_variance.between(table.variance_low, table.variance_high).all())
    True
    """
    dims = check_dims(dims)
    check_whole("trials", trials, 2, MAX_TRIALS)
    check_whole("seed", seed, 0, MAX_SEED)
    exponents = check_scales(scales)
    if statistics not in get_args(Statistics):
        raise ValueError(f"statistics is {statistics!r}, expected one of {', '.join(get_args(Statistics))}")
    full = make_source(source, n_keys, x)
    n_scores = trials * full.n_queries * full.n_keys
    if n_scores > MAX_SCORES:
        shape = f"{trials} trials x {full.n_queries} queries x {full.n_keys} keys"
        raise ValueError(f"{shape} make {n_scores} scores, the limit is {MAX_SCORES}")
    # A dot product per trial needs one key alone; with projections all come from the same scores.
    pairs = Vectors(full.law, n_keys=1) if isinstance(full, Vectors) else full
    passes: list[Source] = [pairs] if statistics == "dot products" or pairs is full else [pairs, full]
    counter = _Counter(sum(numbers_needed(each, dims, trials) for each in passes), progress)
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for each in passes:
        for d, scores in partial_scores(each, dims, trials, seed, counter.add):
            spread = each.measure(scores, d) if each is pairs else None
            for label, p in exponents.items():
                row = rows.setdefault((d, label), {"dim": d, "scale": label, "exponent": p})
                if spread is not None:
                    row |= _dot_statistics(spread, each.expected_variance(d), d**-p)
                if each is full and statistics == "all":
                    row |= _softmax_statistics(scores, d**-p)
    return pd.DataFrame({name: [row[name] for row in rows.values()] for name in next(iter(rows.values()))})


class _Counter:
    """Counts the random numbers drawn, and reports each new hundredth of them."""

    def __init__(self, total: int, progress: Callable[[float], object] | None) -> None:
        self.total, self.progress, self.done = total, progress, 0

    def add(self, numbers: int) -> None:
        before, self.done = self.done, self.done + numbers
        if self.progress is None or self.done * 100 // self.total == before * 100 // self.total:
            return
        if self.progress(self.done / self.total) is False:
            raise SweepStopped(f"stopped after {self.done} of {self.total} random numbers")


def _dot_statistics(spread: Spread, expected_variance: float, factor: float) -> dict[str, float]:
    variance, std = spread.variance * factor**2, spread.std * factor
    # On the logarithm the interval stays positive and follows the estimate's long upper tail.
    width, std_width = _Z * spread.relative_error, _Z * spread.std_relative_error
    return {
        "mean": spread.mean * factor,
        "variance": variance,
        "variance_low": variance * math.exp(-width),
        "variance_high": variance * math.exp(width),
        "expected_variance": expected_variance * factor**2,
        "std": std,
        "std_low": std * math.exp(-std_width),
        "std_high": std * math.exp(std_width),
    }


def _softmax_statistics(scores: Scores, factor: float) -> dict[str, float]:
    trials, n_queries, n_keys = scores.shape
    rows = scores.reshape(-1, n_keys)
    by_row = np.empty((len(SOFTMAX_STATISTICS), len(rows)))
    step = max(1, _CHUNK // n_keys)
    for first in range(0, len(rows), step):
        # numpy, not torch: threads over so little work wait for each other wherever the machine is busy.
        z = rows[first : first + step] * factor  # (rows, n_keys)
        z -= z.max(axis=1, keepdims=True)
        a = np.exp(z)
        sums = a.sum(axis=1, keepdims=True)
        a /= sums
        squares = a**2
        # a_i (1 - a_i) on the diagonal, -a_i a_j elsewhere: summed so, little is lost to cancellation.
        jacobian = (a * (1 - a)) ** 2 + squares * (squares.sum(axis=1, keepdims=True) - squares)
        by_row[:, first : first + step] = (
            a.max(axis=1),
            (np.log(sums[:, 0]) - (a * z).sum(axis=1)) / math.log(n_keys),
            (a < DEAD_SHARE / n_keys).mean(axis=1),
            np.sqrt(jacobian.sum(axis=1)),
        )
    # Rows of one trial share their projections: only the trials are independent.
    by_trial = by_row.reshape(-1, trials, n_queries).mean(axis=2)
    columns: dict[str, float] = {}
    for name, values in zip(SOFTMAX_STATISTICS, by_trial, strict=True):
        mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(trials)
        columns[name] = mean
        columns[f"{name}_low"], columns[f"{name}_high"] = _share_interval(mean, error, trials)
    return columns


def _share_interval(mean: float, error: float, trials: int) -> tuple[float, float]:
    """Return Wilson's score interval for a mean of numbers from 0 to 1 with that standard error.

    What 1 or 0 alone would need as many draws for stands for their number, and never less than the trials: so
    the interval has a width where something rare, a dead key, was not seen at all.
    """
    spread = mean * (1 - mean)
    square = error**2
    if square == 0 < spread:
        return mean, mean
    n = max(trials, spread / square) if square > 0 else trials
    centre = (mean + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * math.sqrt(max(0.0, spread) / n + (_Z / (2 * n)) ** 2) / (1 + _Z**2 / n)
    return max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half))


def sample_row(
    dim: int,
    seed: int,
    *,
    n_keys: int = 64,
    source: str = "normal",
    x: object = None,
    query: int = 0,
    scale: Scale = "sqrt",
) -> pd.DataFrame:
    """Return one row of scores at dimension `dim`, and its softmax before and after the scale.

    One line per key, with the columns `key` (position), `scores`, `scaled_scores`,
    `attention_weights_unscaled` and `attention_weights`, all pure numbers. With projections the keys are the
    tokens of x, `query` is the position of the one that asks, and w_q and w_k are those that
    `torch.manual_seed(seed)` gives with the init; otherwise one query and `n_keys` keys are drawn, and
    `query` plays no part.

    Raises ValueError for an argument out of range, naming the value and the limit.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.

    >>> row = sample_row(256, seed=0, n_keys=8)
    >>> bool(row.attention_weights_unscaled.max() > row.attention_weights.max())
    True
    """
    (dim,) = check_dims([dim])
    check_whole("seed", seed, 0, MAX_SEED)
    factor = dim ** -check_exponent(scale)
    chosen = make_source(source, n_keys, x)
    if isinstance(chosen, Projections):
        check_whole("query", query, 0, chosen.n_queries - 1)
        inputs = torch.from_numpy(chosen.x)
        drawn = seeded_projections(chosen.d_in, dim, chosen.init, seed)
        q, k = inputs[query] @ drawn.w_q, inputs @ drawn.w_k
    else:
        room = torch.empty((1 + chosen.n_keys, dim), **FLOAT32_ON_CPU)
        vectors = fill(room, chosen.law, 1, generator_for(seed))
        q, k = vectors[0], vectors[1:]
    scores = (k.double() @ q.double()).numpy()  # (n_keys,)
    return pd.DataFrame(
        {
            "key": np.arange(len(scores)),
            "scores": scores,
            "scaled_scores": scores * factor,
            "attention_weights_unscaled": softmax_row(scores),
            "attention_weights": softmax_row(scores, factor),
        }
    )


def softmax_row(scores: Sequence[float] | Scores, factor: float = 1.0) -> Scores:
    """Return the attention weights (n_keys,) of one row of scores (n_keys,) times `factor`.

    Raises ValueError if there is not one row of at least one score, or a product is not finite.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.

    >>> softmax_row((0.1, -0.2, 0.3, -0.2, 0.5), 8).round(4).tolist()
    [0.0326, 0.003, 0.1615, 0.003, 0.8]
    """
    row = torch.as_tensor(scores, dtype=torch.float64)
    if row.ndim != 1 or len(row) == 0:
        raise ValueError(f"scores have shape {tuple(row.shape)}, expected one row of at least one score")
    products = row * factor
    if not torch.isfinite(products).all():
        position = int((~torch.isfinite(products)).nonzero()[0, 0])
        raise ValueError(f"score {row[position].item()} times {factor} is not finite")
    attention_weights: Scores = torch.softmax(products, dim=-1).numpy()
    return attention_weights
