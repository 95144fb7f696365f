"""Sources of queries and keys, and their expected variance in theory."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch

from attnviz.core.limits import RefusedError, check_choice, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU, INITIALIZATIONS, INITS, fill
from attnviz.explanation.row_statistics import Floats, Scores
from attnviz.features.sweeps.arguments import MAX_DIM, MAX_ENTRY, MAX_KEYS

# Vectors with independent entries, about which theory says more; and a sentence's vectors under each initialization.
Law = Literal["normal", "uniform"]
OF_PROJECTIONS = "-projections"
SOURCES: tuple[str, ...] = (*get_args(Law), *(init + OF_PROJECTIONS for init in INITS))


# How many coordinates of each vector are drawn at a time. torch turns uniform numbers into normal ones in groups of 16,
# so with a multiple of 16 the numbers don't depend on how many trials are drawn together.
BLOCK = 32


@dataclass(frozen=True)
class Spread:
    """Mean and spread of dot products, with relative errors of the spread."""

    mean: float
    variance: float
    std: float
    relative_error: float
    std_relative_error: float


class Drawn(ABC):
    """A source of random queries and keys, drawn in blocks of coordinates."""

    @property
    @abstractmethod
    def drawn(self) -> tuple[int, ...]:
        """The shape of one coordinate's numbers."""

    @property
    def numbers_per_block(self) -> int:
        """How many random numbers one trial takes for `BLOCK` coordinates."""
        return math.prod(self.drawn) * BLOCK

    def room(self, trials: int) -> torch.Tensor:
        """Return an empty tensor (trials, ..., BLOCK) for one block's numbers."""
        return torch.empty((trials, *self.drawn, BLOCK), **FLOAT32_ON_CPU)


@dataclass(frozen=True)
class Vectors(Drawn):
    """One query and its keys per trial, with independent random entries."""

    law: Law
    n_keys: int
    n_queries: int = 1

    products_per_block = 0  # the drawn numbers already are queries and keys

    @property
    def drawn(self) -> tuple[int, ...]:
        """One number for the query, and one for each key."""
        return (1 + self.n_keys,)

    def draw_block(self, room: torch.Tensor, generator: torch.Generator) -> tuple[Floats, Floats]:
        """Draw queries (trials, 1, BLOCK) and keys (trials, n_keys, BLOCK) into `room`."""
        drawn = fill(room, self.law, 1, generator).numpy()
        return drawn[:, :1], drawn[:, 1:]

    def measure(self, scores: Floats) -> Scores:
        """Return one dot product (1, trials) of each trial."""
        return scores[:, 0, :1].T.astype(np.float64)

    def spread(self, found: Scores, dim: int) -> Spread:
        """Return the spread of one dot product per trial.

        A sum of d independent products has excess kurtosis e/d, where e is that of one product, and the
        sample variance of n such sums has relative variance 2/(n - 1) + e/(d n).
        """
        (dots,) = found
        variance = float(dots.var(ddof=1))
        # One product's fourth central moment over its variance squared, less 3. Normal: E[q^4] E[k^4] = 9.
        # Uniform: moments 1/(n + 1)^2 about 0, and 1/25 - 1/16 + 1/24 - 3/256 about the mean 1/4.
        excess = 9 - 3 if self.law == "normal" else (1 / 25 - 1 / 16 + 1 / 24 - 3 / 256) / (7 / 144) ** 2 - 3
        relative_error = math.sqrt(2 / (len(dots) - 1) + excess / (dim * len(dots)))
        return Spread(float(dots.mean()), variance, math.sqrt(variance), relative_error, relative_error / 2)

    def expected_variance(self, dim: int) -> float:
        """Return the variance of `dim` products: 1 each, 7/144 if uniform."""
        return float(dim) if self.law == "normal" else dim * 7 / 144


@dataclass(frozen=True, eq=False)
class Projections(Drawn):
    """Queries and keys of one x (n_tokens, d_in), with random W's."""

    init: str
    x: Floats

    @property
    def d_in(self) -> int:
        """How many numbers a token's vector has."""
        return len(self.x[0])

    @property
    def n_queries(self) -> int:
        """The number of queries: one for each token."""
        return len(self.x)

    n_keys = n_queries  # each token is a key, too

    @property
    def drawn(self) -> tuple[int, ...]:
        """A column of w_q, and one of w_k."""
        return 2, self.d_in

    @property
    def products_per_block(self) -> int:
        """How many multiplications make one block of queries and keys."""
        return self.n_queries * self.numbers_per_block

    def draw_block(self, room: torch.Tensor, generator: torch.Generator) -> tuple[Floats, Floats]:
        """Draw w_q and w_k; return x's queries and keys (trials, n_tokens, BLOCK)."""
        w = fill(room, self.init, self.d_in, generator).numpy()
        return np.einsum("nd,tdc->tnc", self.x, w[:, 0]), np.einsum("nd,tdc->tnc", self.x, w[:, 1])

    def measure(self, scores: Floats) -> Scores:
        """Return (3, trials): mean, and a row's variance and std."""
        rows = scores.var(axis=2, dtype=np.float64)
        return np.stack([scores.mean(axis=(1, 2), dtype=np.float64), rows.mean(axis=1), np.sqrt(rows).mean(axis=1)])

    def spread(self, found: Scores, dim: int) -> Spread:
        """Return the spread within rows of scores, averaged (divisor n_tokens)."""
        mean, variances, stds = found
        variance, relative_error = _mean_over_trials(variances)
        std, std_relative_error = _mean_over_trials(stds)
        return Spread(float(mean.mean()), variance, std, relative_error, std_relative_error)

    def expected_variance(self, dim: int) -> float:
        """Return the variance that theory expects within a row of scores.

        With w one column of a projection, m its mean and c = E[w w^T], E[s_ij s_il] is
        d (x_i c x_i)(x_j c x_l) + d (d - 1) (x_i m)^2 (x_j m)(x_l m): for zero-mean projections, it grows like d.
        """
        x = self.x.astype(np.float64)
        d_in = x.shape[1]
        mean, variance = INITIALIZATIONS[self.init].moments(d_in)
        c = variance * np.eye(self.d_in) + mean**2
        lengths = ((x @ c) * x).sum(axis=1)
        centre = x.mean(axis=0)
        alone = lengths.mean() * (lengths.mean() - centre @ c @ centre)
        shared = mean * x.sum(axis=1)
        return float(dim * alone + dim * (dim - 1) * (shared**2).mean() * shared.var())


Source = Vectors | Projections


def _mean_over_trials(values: Scores) -> tuple[float, float]:
    """Return the mean over independent trials, and its relative standard error."""
    mean = float(values.mean())
    return mean, float(values.std(ddof=1)) / math.sqrt(len(values)) / mean if mean > 0 else 0.0


def make_source(name: str, n_keys: int, x: object) -> Source:
    """Return a source by name; only projections take x (n_tokens, d_in).

    Raises ValueError for an unknown name, `n_keys` out of range, or an x that is missing, superfluous or invalid.
    """
    check_whole("n_keys", n_keys, 2, MAX_KEYS)
    check_choice("source", name, SOURCES)
    laws: dict[str, Law] = {law: law for law in get_args(Law)}
    if name in laws:
        if x is not None:
            raise ValueError(f"x is given, but source {name!r} draws queries and keys of its own")
        return Vectors(laws[name], n_keys)
    if x is None:
        raise ValueError(f"source {name!r} needs x, of shape (n_tokens, d_in)")
    inputs: Floats = torch.as_tensor(x, dtype=torch.float32, device="cpu").detach().numpy()
    if inputs.ndim != 2 or inputs.shape[0] < 2 or not 1 <= inputs.shape[1] <= MAX_DIM:
        raise ValueError(f"x has shape {inputs.shape}, expected at least 2 tokens and a d_in from 1 to {MAX_DIM}")
    bad = inputs[~(np.abs(inputs) <= MAX_ENTRY)]
    if len(bad):
        raise RefusedError("entry", value=float(bad[0]), most=int(MAX_ENTRY))
    return Projections(name.removesuffix(OF_PROJECTIONS), inputs)
