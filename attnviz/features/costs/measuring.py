"""Attention timed on this machine, beside what it multiplies."""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.features.costs.traffic import whole

WIDTH = 64  # numbers of each query, key and value
SIZES = (128, 256, 512, 1024, 2048, 4096)  # tokens; all scores of the last take 64 MiB
SECONDS = 3.0  # for all sizes together
_REPEATS = 3


class Measured(NamedTuple):
    """The fastest runs for a text, in milliseconds, and its multiplications."""

    tokens: int
    whole_ms: float
    tiled_ms: float
    multiplications: int


def measured_times(
    sizes: tuple[int, ...] = SIZES, seconds: float = SECONDS, clock: Callable[[], float] = time.perf_counter
) -> tuple[Measured, ...]:
    """Time one head of attention, at once and in tiles.

    Sizes are left out, except the first two, if they would exceed the `seconds`: twice the tokens take about four times
    as long. The tiles are those of PyTorch's own function, ``scaled_dot_product_attention``.
    """
    measured: list[Measured] = []
    begun, took = clock(), 0.0
    for n in sizes:
        before = clock()
        if len(measured) >= 2 and before - begun + 4 * took > seconds:
            break
        generator = generator_for(n)
        q, k, v = (torch.randn(1, 1, n, WIDTH, generator=generator, **FLOAT32_ON_CPU) for _ in range(3))
        at_once = _fastest(partial(_at_once, q, k, v), clock)
        in_tiles = _fastest(partial(F.scaled_dot_product_attention, q, k, v), clock)
        measured.append(Measured(n, at_once, in_tiles, whole(n, WIDTH).multiplications))
        took = clock() - before
    return tuple(measured)


def _at_once(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.mT / WIDTH**0.5, dim=-1) @ v


def _fastest(run: Callable[[], Tensor], clock: Callable[[], float]) -> float:
    took = []
    for _ in range(_REPEATS):
        begun = clock()
        run()
        took.append(1000 * (clock() - begun))
    return min(took)
