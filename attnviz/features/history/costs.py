"""The cost of attention as sentences grow: softmax or linear."""

import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from attnviz.core.rules.cellwise import FeatureMap
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for

SIZES = (128, 512, 2048)  # tokens
WIDTH = 64  # numbers in each query, key and value
REPEATS = 3


def softmax_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return context vectors ``(n, d)``, by way of all scores ``(n, n)``.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1.
    """
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v


def linear_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return linear attention's context vectors ``(n, d)``, without pairs' scores.

    The products of keys and values are summed up first, ``(d, d)``.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, section 3.2, equation 5.
    """
    mapped_q, mapped_k = FeatureMap().compute(q), FeatureMap().compute(k)
    return (mapped_q @ (mapped_k.mT @ v)) / (mapped_q @ mapped_k.sum(0)[:, None])


class Cost(NamedTuple):
    """The fastest runs in milliseconds, and how many numbers are stored."""

    tokens: int
    softmax_ms: float
    linear_ms: float
    softmax_numbers: int
    linear_numbers: int


def measured_costs(sizes: tuple[int, ...] = SIZES, width: int = WIDTH) -> tuple[Cost, ...]:
    """Return both costs on this machine for each of these sizes."""
    return tuple(_measured(n, width) for n in sizes)


def _measured(n: int, width: int) -> Cost:
    generator = generator_for(n)
    q, k, v = (torch.randn(n, width, generator=generator, **FLOAT32_ON_CPU) for _ in range(3))
    by_softmax = _fastest(lambda: softmax_attention(q, k, v))
    return Cost(n, by_softmax, _fastest(lambda: linear_attention(q, k, v)), n * n, width * width + width)


def _fastest(run: Callable[[], Tensor]) -> float:
    took = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        run()
        took.append(1000 * (time.perf_counter() - begun))
    return min(took)
