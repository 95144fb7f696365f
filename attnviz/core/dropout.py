"""Dropout of attention weights: draws, their mean, and an equivalent mask."""

from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.masks import ZEROED, dropout_mask
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import generator_for
from attnviz.core.stages import MASK, WEIGHTINGS

N_DRAWS = 2000
MOST_NUMBERS = 10_000_000  # random numbers for one mean, at most


def undropped(shape: tuple[int, ...], p: float, seed: int) -> Tensor:
    """Return which cells a draw keeps: each is dropped with probability p."""
    return torch.rand(shape, generator=generator_for(seed)) >= p


def dropped(weights: Tensor, p: float, seed: int) -> Tensor:
    """Return attention weights after dropout with probability p, rescaled by 1/(1−p).

    Source: Srivastava et al. 2014, Dropout; torch.nn.Dropout divides while it trains.

    >>> dropped(torch.ones(2, 2), 0.5, 0).unique()
    tensor([0., 2.])
    """
    return weights * undropped(tuple(weights.shape), p, seed) / (1 - p)


def n_draws(weights: Tensor) -> int:
    """Return how many draws to average: fewer for a large matrix.

    >>> n_draws(torch.ones(6, 6)), n_draws(torch.ones(1000, 1000))
    (2000, 10)
    """
    return max(1, min(N_DRAWS, MOST_NUMBERS // weights.numel()))


def mean_of_draws(weights: Tensor, p: float) -> Tensor:
    """Return the mean of :func:`n_draws` draws, with seeds 0, 1, 2, ..."""
    times = torch.zeros(weights.shape, dtype=torch.float64)
    for seed in range(n_draws(weights)):
        times += undropped(tuple(weights.shape), p, seed)
    return (weights.cpu().double() * times / (n_draws(weights) * (1 - p))).to(weights.dtype)


def can_drop(scenario: Scenario) -> bool:
    """Whether dropout can be a mask: after a softmax, without another one."""
    return WEIGHTINGS[scenario.weighting].exponential and MASK not in scenario.editable


def dropout(scenario: Scenario, p: float, seed: int) -> Scenario | None:
    """Return the scenario with dropout as a mask; None if that's impossible.

    Each attention weight is 0 with probability p, the others are divided by 1 − p, alike in all heads and layers.

    >>> from attnviz.core.scenario import traced
    >>> made = dropout(Scenario("a b", w_q="zeros"), 0.5, 7)
    >>> made and traced(made).attention_weights.unique().tolist()
    [0.0, 1.0]
    """
    if not can_drop(scenario):
        return None
    shape = len(scenario.tokens), len(scenario.read_tokens)
    return replace(scenario, mask=dropout_mask(undropped(shape, p, seed), p), mask_use=ZEROED)
