"""The experiment behind 1/sqrt(d_k): how dot products and their softmax change with the dimension."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
import pandas as pd
import torch

from attnviz.limits import MAX_SEED, check_whole
from attnviz.scaling_arguments import (
    MAX_SCORES,
    MAX_TRIALS,
    Scale,
    check_dims,
    check_exponent,
    check_scales,
)
from attnviz.scaling_sources import (
    BLOCK,
    Floats,
    Projections,
    Scores,
    Source,
    Spread,
    Vectors,
    draw_law,
    make_source,
)

Statistics = Literal["all", "dot products"]

# Of the variance's interval: wide, so that at most dimensions of a sweep it holds what theory expects.
CONFIDENCE = 0.99
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

# A key is effectively dead if its attention weight is below this part of an equal share, 1 / n_keys.
DEAD_SHARE = 0.01

_CHUNK = 2**17  # numbers drawn or softmaxed at a time: at most 1 MiB, which stays in the cache


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
    - unless statistics is "dot products", averages over softmax rows: `largest_attention_weight`;
      `normalized_entropy`, the entropy divided by its maximum, log(n_keys); `dead_key_share`, the share of
      keys whose attention weight is less than a hundredth of an equal share, 1 / n_keys; `jacobian_norm`, the
      Frobenius norm of diag(a) - a a^T, the derivative of the attention weights a by the scaled scores.

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
    counter = _Counter(sum(each.numbers_per_block for each in passes) * trials * _n_blocks(dims), progress)
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for each in passes:
        for d, scores in _partial_scores(each, dims, trials, seed, counter):
            spread = each.measure(scores, d) if each is pairs else None
            for label, p in exponents.items():
                row = rows.setdefault((d, label), {"dim": d, "scale": label, "exponent": p})
                if spread is not None:
                    row |= _dot_statistics(spread, each.expected_variance(d), d**-p)
                if each is full and statistics == "all":
                    row |= _softmax_statistics(scores.reshape(-1, each.n_keys), d**-p)
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


def _n_blocks(dims: tuple[int, ...]) -> int:
    return math.ceil(dims[-1] / BLOCK)


def _partial_scores(
    source: Source, dims: tuple[int, ...], trials: int, seed: int, counter: _Counter
) -> Iterator[tuple[int, Scores]]:
    """Yield, for each d ascending, the scores (trials, n_queries, n_keys) over the first d coordinates."""
    generator = torch.Generator().manual_seed(seed)
    totals: Scores = np.zeros((trials, source.n_queries, source.n_keys))
    step = max(1, _CHUNK // source.numbers_per_block)
    for start in range(0, _n_blocks(dims) * BLOCK, BLOCK):
        widths = sorted({d - start for d in dims if start < d <= start + BLOCK} | {BLOCK})
        sums: Floats = np.empty((len(widths), *totals.shape), np.float32)  # over each width of the block
        for first in range(0, trials, step):
            chunk = slice(first, min(first + step, trials))
            q, k = source.draw_block(chunk.stop - first, generator)
            for width, scores in zip(widths, sums, strict=True):
                # Not matmul: BLAS may add in another order with another number of threads.
                np.einsum("tqc,tkc->tqk", q[..., :width], k[..., :width], out=scores[chunk])
            counter.add((chunk.stop - first) * source.numbers_per_block)
        for width, scores in zip(widths, sums, strict=True):
            if start + width in dims:
                yield start + width, totals + scores
        totals += sums[-1]


def _dot_statistics(spread: Spread, expected_variance: float, factor: float) -> dict[str, float]:
    variance = spread.variance * factor**2
    # On the logarithm the interval stays positive and follows the estimate's long upper tail.
    width = _Z * spread.relative_error
    return {
        "mean": spread.mean * factor,
        "variance": variance,
        "variance_low": variance * math.exp(-width),
        "variance_high": variance * math.exp(width),
        "expected_variance": expected_variance * factor**2,
        "std": spread.std * factor,
    }


def _softmax_statistics(scores: Scores, factor: float) -> dict[str, float]:
    n_rows, n_keys = scores.shape
    by_row = np.empty((4, n_rows))
    step = max(1, _CHUNK // n_keys)
    for first in range(0, n_rows, step):
        # numpy, not torch: threads over so little work wait for each other wherever the machine is busy.
        z = scores[first : first + step] * factor  # (rows, n_keys)
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
    names = ("largest_attention_weight", "normalized_entropy", "dead_key_share", "jacobian_norm")
    return {name: float(values.mean()) for name, values in zip(names, by_row, strict=True)}


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
    generator = torch.Generator().manual_seed(seed)
    if isinstance(chosen, Projections):
        check_whole("query", query, 0, chosen.n_queries - 1)
        inputs, d_in = torch.from_numpy(chosen.x), chosen.d_in
        # nn.Linear keeps its matrix as (d_out, d_in); drawing in that order gives its numbers.
        linear = chosen.init == "linear"
        drawn = [draw_law(chosen.init, (dim, d_in) if linear else (d_in, dim), d_in, generator) for _ in "qk"]
        w_q, w_k = (w.T if linear else w for w in drawn)
        q, k = inputs[query] @ w_q, inputs @ w_k
    else:
        q = draw_law(chosen.law, (dim,), 1, generator)
        k = draw_law(chosen.law, (chosen.n_keys, dim), 1, generator)
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
