"""Where the scaling experiment's queries and keys come from, and what theory says of their dot products."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from attnviz.core.limits import RefusedError, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU, INITIALIZATIONS, INITS, fill
from attnviz.scaling.arguments import MAX_DIM, MAX_ENTRY, MAX_KEYS

# Independent entries, of which more is known than of a sentence; and a sentence under each initialization.
Law = Literal["normal", "uniform"]
OF_PROJECTIONS = "-projections"
SOURCES: tuple[str, ...] = (*get_args(Law), *(init + OF_PROJECTIONS for init in INITS))

Floats = NDArray[np.float32]
Scores = NDArray[np.float64]

# Coordinates of every vector drawn at a time. torch turns uniform numbers into normal ones in groups of 16:
# a multiple of 16 makes the stream the same however it is cut along the trials.
BLOCK = 32


@dataclass(frozen=True)
class Spread:
    """Mean, variance and standard deviation of dot products, with the relative standard errors of the last two."""

    mean: float
    variance: float
    std: float
    relative_error: float
    std_relative_error: float


class Drawn(ABC):
    """A law of queries and keys, drawn `BLOCK` coordinates at a time: `n_queries` and `n_keys` in a trial."""

    @property
    @abstractmethod
    def drawn(self) -> tuple[int, ...]:
        """The shape of one coordinate's numbers."""

    @property
    def numbers_per_block(self) -> int:
        """How many random numbers one trial takes for `BLOCK` coordinates."""
        return math.prod(self.drawn) * BLOCK

    def room(self, trials: int) -> torch.Tensor:
        """Return an empty tensor (trials, ..., BLOCK) for the random numbers of one block."""
        return torch.empty((trials, *self.drawn, BLOCK), **FLOAT32_ON_CPU)


@dataclass(frozen=True)
class Vectors(Drawn):
    """One query and its keys, whose entries are independent numbers of one law, anew in every trial."""

    law: Law
    n_keys: int
    n_queries: int = 1

    products_per_block = 0  # what is drawn is queries and keys already

    @property
    def drawn(self) -> tuple[int, ...]:
        """A number of the query, and of each key."""
        return (1 + self.n_keys,)

    def draw_block(self, room: torch.Tensor, generator: torch.Generator) -> tuple[Floats, Floats]:
        """Fill the room; return views of it, the query (trials, 1, BLOCK) and the keys (trials, n_keys, BLOCK)."""
        drawn = fill(room, self.law, 1, generator).numpy()
        return drawn[:, :1], drawn[:, 1:]

    def measure(self, scores: Floats | Scores, dim: int) -> Spread:
        """Take one dot product per trial; their sample variance's standard error is known exactly.

        A sum of d independent products has excess kurtosis e/d, where e is that of one product, and the
        sample variance of n such sums has relative variance 2/(n - 1) + e/(d n).
        """
        dots = scores[:, 0, 0].astype(np.float64)
        variance = float(dots.var(ddof=1))
        # One product's fourth central moment over its variance squared, less 3. Normal: E[q^4] E[k^4] = 9.
        # Uniform: moments 1/(n + 1)^2 about 0, and 1/25 - 1/16 + 1/24 - 3/256 about the mean 1/4.
        excess = 9 - 3 if self.law == "normal" else (1 / 25 - 1 / 16 + 1 / 24 - 3 / 256) / (7 / 144) ** 2 - 3
        relative_error = math.sqrt(2 / (len(dots) - 1) + excess / (dim * len(dots)))
        return Spread(float(dots.mean()), variance, math.sqrt(variance), relative_error, relative_error / 2)

    def expected_variance(self, dim: int) -> float:
        """Add the variances of `dim` independent products: 1 each, or 1/9 - 1/16 for uniform entries."""
        return float(dim) if self.law == "normal" else dim * 7 / 144


@dataclass(frozen=True, eq=False)
class Projections(Drawn):
    """Queries x @ w_q and keys x @ w_k of one x (n_tokens, d_in), under projections drawn in every trial."""

    init: str
    x: Floats

    @property
    def d_in(self) -> int:
        """How many numbers a token's vector has."""
        return len(self.x[0])

    @property
    def n_queries(self) -> int:
        """Each token asks."""
        return len(self.x)

    n_keys = n_queries  # and is asked

    @property
    def drawn(self) -> tuple[int, ...]:
        """A column of w_q, and one of w_k."""
        return 2, self.d_in

    @property
    def products_per_block(self) -> int:
        """How many products make queries and keys: each number of the W's is multiplied with one of each token."""
        return self.n_queries * self.numbers_per_block

    def draw_block(self, room: torch.Tensor, generator: torch.Generator) -> tuple[Floats, Floats]:
        """Fill the room with w_q and w_k; return the queries and keys of x, (trials, n_tokens, BLOCK) each."""
        w = fill(room, self.init, self.d_in, generator).numpy()
        return np.einsum("nd,tdc->tnc", self.x, w[:, 0]), np.einsum("nd,tdc->tnc", self.x, w[:, 1])

    def measure(self, scores: Floats | Scores, dim: int) -> Spread:
        """Average the spread within each row (divisor n_tokens): softmax sees differences in a row alone."""
        row_variances = scores.var(axis=2, dtype=np.float64)
        variance, relative_error = _mean_over_trials(row_variances.mean(axis=1))
        std, std_relative_error = _mean_over_trials(np.sqrt(row_variances).mean(axis=1))
        return Spread(float(scores.mean(dtype=np.float64)), variance, std, relative_error, std_relative_error)

    def expected_variance(self, dim: int) -> float:
        """Add a term that grows like d to one that grows like d^2 and vanishes for zero-mean projections.

        With w one column of a projection, m its mean and c = E[w w^T], E[s_ij s_il] is
        d (x_i c x_i)(x_j c x_l) + d (d - 1) (x_i m)^2 (x_j m)(x_l m).
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
    """Return the mean of numbers from independent trials, none negative, and its relative standard error."""
    mean = float(values.mean())
    return mean, float(values.std(ddof=1)) / math.sqrt(len(values)) / mean if mean > 0 else 0.0


def make_source(name: str, n_keys: int, x: object) -> Source:
    """Return the source of that name; x (n_tokens, d_in) is for projections alone, `n_keys` for the others.

    Raises ValueError for another name, `n_keys` out of range, or an x that is missing, not wanted or bad.
    """
    check_whole("n_keys", n_keys, 2, MAX_KEYS)
    if name not in SOURCES:
        raise ValueError(f"source is {name!r}, expected one of {', '.join(SOURCES)}")
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
