"""The experiment behind 1/sqrt(d_k): how scores and softmax change with dimension."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import get_args

import numpy as np
import pandas as pd
import torch

from attnviz.core.arguments import typed
from attnviz.core.limits import MAX_SEED, RefusedError, check_choice, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU, fill, generator_for, seeded_projections
from attnviz.explanation.row_statistics import (
    STATISTICS,
    Floats,
    Scores,
    Z,
    averaged,
    softmax_seconds,
    softmax_statistics,
)
from attnviz.features.sweeps.arguments import (
    MAX_SCORES,
    MAX_TRIALS,
    Scale,
    Statistics,
    check_dims,
    check_exponent,
    check_scales,
)
from attnviz.features.sweeps.draws import THREADS, Told, measured, seconds_of
from attnviz.features.sweeps.sources import Projections, Source, Spread, Vectors, make_source


class SweepStopped(Exception):
    """A sweep ended because its `progress` returned False."""


@typed
def sweep_scaling(
    dims: Iterable[int], trials: int, seed: int, *, n_keys: int = 64, source: str = "normal", x: object = None,
    scales: Sequence[Scale] = ("none", "sqrt", "linear"), statistics: Statistics = "all",
    progress: Callable[[float], object] | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Measure dot products, divided by d^p, and their softmax per dimension.

    `source` says what q and k are. "normal" and "uniform" draw every entry from N(0, 1) or U[0, 1): for the
    dot products one (q, k) per trial, for the softmax one query and `n_keys` keys per trial.
    "uniform-projections", "linear-projections" and so on, with any init, draw w_q and w_k by that init in
    every trial and compute all queries and keys from x (n_tokens, d_in), which must be given; `n_keys` is then
    ignored. A scale is "none" (p = 0), "sqrt" (1/2), "linear" (1), or p itself. `progress` is called every few
    hundredths of a second, with roughly the fraction of the time that has passed.

    Returns one row per dimension, ascending, and scale, in the order given. All numbers are dimensionless, and all
    but the first four columns are statistics over the trials:

    - `dim`; `scale`, the name or p as text; `exponent`, which is p; `n_keys`, of every softmax row;
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
      Frobenius norm of diag(a) - a a^T, the derivative of the attention weights a by the scaled scores;
      `vanished_share`, the share of rows in which that norm is less than a hundredth of that of equal weights,
      sqrt(n_keys - 1) / n_keys; and `jacobian_norm_median`, the norm's median over the rows. Each
      with its `..._low` and `..._high`: a 99 % confidence interval, Wilson's for a share, from the standard
      error over the trials; rare events need a few hundred trials.

    All dimensions of a sweep share their draws: a smaller one reads the first d coordinates. So each is right
    by itself, but their errors are correlated; no row depends on which other dimensions or scales are requested.
    The same arguments give the same numbers.

    Raises ValueError for an argument out of range, naming the value and the limit, and SweepStopped if
    `progress` returns False; exceptions that `progress` raises are passed on.

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
    check_choice("statistics", statistics, get_args(Statistics))
    full = make_source(source, n_keys, x)
    _check_scores(full, trials)
    return _measured(full, dims, trials, seed, exponents, statistics, progress)


def _measured(
    full: Source,
    dims: tuple[int, ...],
    trials: int,
    seed: int,
    exponents: Mapping[str, float],
    statistics: Statistics,
    progress: Callable[[float], object] | None,
) -> pd.DataFrame:
    """Return the table of a sweep whose arguments are in range."""
    passes = _passes(full, statistics)
    told = _progress(_seconds(passes, full, dims, trials, exponents, statistics), progress)
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for each in passes:
        of_dots, of_softmax = each is passes[0], each is full and statistics == "all"

        def measure(
            d: int, scores: Floats, count: Told, each: Source = each, softmax: bool = of_softmax
        ) -> list[Scores]:
            softmaxed = (softmax_statistics(scores, d**-p, count) for p in exponents.values() if softmax)
            return [each.measure(scores), *softmaxed]

        n_made = _n_made(each, full, len(exponents), statistics)
        for d, (dots, *softmaxed) in measured(each, dims, trials, seed, n_made, measure, told):
            spread = each.spread(dots, d) if of_dots else None
            for i, (label, p) in enumerate(exponents.items()):
                row = rows.setdefault((d, label), {"dim": d, "scale": label, "exponent": p, "n_keys": full.n_keys})
                if spread is not None:
                    row |= _dot_statistics(spread, each.expected_variance(d), d**-p)
                if of_softmax:
                    row |= averaged(softmaxed[i])
    return pd.DataFrame({name: [row[name] for row in rows.values()] for name in next(iter(rows.values()))})


def _check_scores(full: Source, trials: int) -> None:
    """Raise ``ValueError`` for more scores than a sweep may make."""
    n_scores = trials * full.n_queries * full.n_keys
    if n_scores > MAX_SCORES:
        raise RefusedError("scores", scores=n_scores, most=MAX_SCORES)


def seconds_needed(
    dims: Iterable[int],
    trials: int,
    *,
    n_keys: int = 64,
    source: str = "normal",
    x: object = None,
    scales: Sequence[Scale] = ("none", "sqrt", "linear"),
    statistics: Statistics = "all",
) -> float:
    """Return roughly how many seconds :func:`sweep_scaling` takes on two cores."""
    full = make_source(source, n_keys, x)
    return _seconds(_passes(full, statistics), full, check_dims(dims), trials, check_scales(scales), statistics)


def _passes(full: Source, statistics: Statistics) -> list[Source]:
    """Return the sources to draw: for dot products first, softmax last."""
    # A trial's dot product needs only one key. With projections, dot products and softmax use the same scores.
    pairs = Vectors(full.law, n_keys=1) if isinstance(full, Vectors) else full
    return [pairs] if statistics == "dot products" or pairs is full else [pairs, full]


def _seconds(
    passes: Sequence[Source], full: Source, dims: tuple[int, ...], trials: int, scales: Sized, statistics: Statistics
) -> float:
    drawn = sum(seconds_of(each, dims, trials, _n_made(each, full, len(scales), statistics)) for each in passes)
    softmaxed = trials * full.n_queries * full.n_keys * len(dims) * len(scales) if statistics == "all" else 0
    return (drawn + softmax_seconds(softmaxed)) / THREADS


def _n_made(source: Source, full: Source, n_scales: int, statistics: Statistics) -> int:
    return 1 + (len(STATISTICS) * n_scales if source is full and statistics == "all" else 0)


def _progress(total: float, progress: Callable[[float], object] | None) -> Told:
    """Return a function that counts seconds done, and calls `progress`."""
    over = 0.0

    def told(seconds: float) -> None:
        nonlocal over
        over += seconds / THREADS
        done = min(1.0, over / total)
        if progress is not None and progress(done) is False:
            raise SweepStopped(f"stopped after {done:.0%}")

    return told


def _dot_statistics(spread: Spread, expected_variance: float, factor: float) -> dict[str, float]:
    variance, std = spread.variance * factor**2, spread.std * factor
    # In logarithms, the interval stays positive and follows the estimate's long upper tail.
    width, std_width = Z * spread.relative_error, Z * spread.std_relative_error
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
    """Return one row of scores, and its softmax unscaled and scaled.

    One line per key, with the columns `key` (position), `scores`, `scaled_scores`,
    `attention_weights_unscaled` and `attention_weights`, all pure numbers. With projections the keys are the
    tokens of x, `query` is the position of the token that makes the query, and w_q and w_k are those that
    `torch.manual_seed(seed)` gives with the init; otherwise one query and `n_keys` keys are drawn, and `query` is
    ignored.

    Raises ValueError for an argument out of range, naming the value and the limit.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.
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
    """Return the attention weights (n_keys,) of scores (n_keys,) times `factor`.

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
