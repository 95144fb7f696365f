"""Dropout on attention weights: one draw, and the mean of many."""

import torch
from torch import Tensor

from attnviz.core.seeding import generator_for

N_DRAWS = 2000
MOST_NUMBERS = 10_000_000  # that are drawn for a mean


def kept(shape: tuple[int, ...], p: float, seed: int) -> Tensor:
    """Return which cells a draw keeps: each is dropped with probability p."""
    return torch.rand(shape, generator=generator_for(seed)) >= p


def dropped(weights: Tensor, p: float, seed: int) -> Tensor:
    """Return attention weights of which each is 0 with probability p, and the others are divided by 1 − p.

    Source: Srivastava et al. 2014, Dropout; torch.nn.Dropout divides while it trains.

    >>> dropped(torch.ones(2, 2), 0.5, 0).unique()
    tensor([0., 2.])
    """
    return weights * kept(tuple(weights.shape), p, seed) / (1 - p)


def n_draws(weights: Tensor) -> int:
    """Return of how many draws a mean is taken: fewer of many weights.

    >>> n_draws(torch.ones(6, 6)), n_draws(torch.ones(1000, 1000))
    (2000, 10)
    """
    return max(1, min(N_DRAWS, MOST_NUMBERS // weights.numel()))


def mean_of_draws(weights: Tensor, p: float) -> Tensor:
    """Return the mean of the draws number 0, 1, 2 and so on, of :func:`n_draws` of them."""
    times = torch.zeros(weights.shape, dtype=torch.float64)
    for seed in range(n_draws(weights)):
        times += kept(tuple(weights.shape), p, seed)
    return (weights.cpu().double() * times / (n_draws(weights) * (1 - p))).to(weights.dtype)
