"""Attention tile by tile, without ever holding a whole row of scores."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.attention.plain import as_tensors
from attnviz.core.limits import check_whole

MOST_KEYS = 2**20
_MOST_NUMBERS = 10**8  # numbers of O in all steps together: 400 MB


@dataclass(frozen=True, eq=False)
class TileStep:
    """The running maximum, sum and output after one more tile.

    - `start`, `stop`: the tile's keys, from `start` to before `stop`.
    - `m`: each row's largest score so far, ``(..., n_queries)``; -∞ where nothing may be read yet.
    - `l`: the sum of e^(score - m) over all keys so far, ``(..., n_queries)``.
    - `O`: the sum of e^(score - m) times the key's value, ``(..., n_queries, d_v)``; not divided yet.
    - `factor`: e^(old m - m), by which the old `l` and `O` were multiplied, ``(..., n_queries)``.
    - `weights`: e^(score - m) in this tile, ``(..., n_queries, stop - start)``.
    """

    start: int
    stop: int
    m: Tensor
    l: Tensor  # noqa: E741  the name in the papers
    O: Tensor  # noqa: E741
    factor: Tensor
    weights: Tensor

    @property
    def output(self) -> Tensor:
        """The outputs O / l, which attend to the keys so far.

        They are ``(..., n_queries, d_v)``; 0 in a row that may read nothing.
        """
        return self.O / self.l.masked_fill(self.l == 0, 1)[..., None]


@typed
def tiles(scores: Any, values: Any, size: int = 4, mask: Any = None) -> tuple[TileStep, ...]:
    """Compute softmax(scores) @ values in tiles of `size` keys.

    `scores` are ``(..., n_queries, n_keys)``, scaled already; `values` ``(..., n_keys, d_v)``. A `mask` ``(n_queries,
    n_keys)`` is added to the scores; -inf in it hides a key from a query. All of these are tensors, arrays or nested
    lists. The last tile may be smaller than the others.

    Returns one :class:`TileStep` for each tile, in order; ``[-1].output`` is softmax(scores + mask) @ values. A row
    that may read nothing is 0 there, as in PyTorch's ``scaled_dot_product_attention``.

    Raises ``ValueError`` for values that aren't numbers, for shapes that don't fit, for a size below 1, and for so many
    tiles that their steps would take more than 10^8 numbers.

    Source: Milakov & Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3; Dao et al. 2022,
    FlashAttention, algorithm 1; Dao 2023, FlashAttention-2, algorithm 1, which divides at the end.

    >>> scores, values = torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([[1.0], [0.0], [2.0]])
    >>> steps = tiles(scores, values, size=2)
    >>> [(step.start, step.stop, step.m.item()) for step in steps]
    [(0, 2, 2.0), (2, 3, 4.0)]
    >>> torch.allclose(steps[-1].output, torch.softmax(scores, -1) @ values)
    True
    """
    scores, values, mask = as_tensors(("mask",), scores=scores, values=values, mask=mask)
    size = check_whole("size", size, 1, MOST_KEYS)
    _check_shapes(scores, values, mask)
    _check_amount(scores, values, size)
    if mask is not None:
        scores = scores + mask
    m = scores.new_full(scores.shape[:-1], -math.inf)
    l, O = torch.zeros_like(m), scores.new_zeros(*scores.shape[:-1], values.shape[-1])  # noqa: E741
    steps = []
    for start in range(0, scores.shape[-1], size):
        tile = scores[..., start : start + size]
        new = torch.maximum(m, tile.amax(-1))
        below = new.masked_fill(new == -math.inf, 0)  # -∞ - -∞ would be NaN in a row with nothing to read yet
        factor = (m - below).exp()
        weights = (tile - below[..., None]).exp()
        l = factor * l + weights.sum(-1)  # noqa: E741
        O = factor[..., None] * O + weights @ values[..., start : start + size, :]  # noqa: E741
        m = new
        steps.append(TileStep(start, start + tile.shape[-1], m, l, O, factor, weights))
    return tuple(steps)


def _check_shapes(scores: Tensor, values: Tensor, mask: Tensor | None) -> None:
    if scores.dim() < 2 or 0 in scores.shape:
        raise ValueError(f"scores has shape {tuple(scores.shape)}, expected (..., n_queries, n_keys), none of them 0")
    before = values.shape[:-2]
    if values.dim() < 2 or 0 in values.shape or before not in ((), scores.shape[:-2]) or (
        values.shape[-2] != scores.shape[-1]
    ):  # fmt: skip
        expected = f"(..., {scores.shape[-1]}, d_v) to fit scores {tuple(scores.shape)}"
        raise ValueError(f"values has shape {tuple(values.shape)}, expected {expected}")
    if mask is not None and mask.shape != scores.shape[-2:]:
        raise ValueError(f"mask has shape {tuple(mask.shape)}, expected {tuple(scores.shape[-2:])}")


def _check_amount(scores: Tensor, values: Tensor, size: int) -> None:
    n_tiles = math.ceil(scores.shape[-1] / size)
    numbers = n_tiles * scores[..., 0].numel() * values.shape[-1]
    if numbers > _MOST_NUMBERS:
        raise ValueError(
            f"size is {size}, which makes {n_tiles} tiles whose outputs are {numbers} numbers, expected at most "
            f"{_MOST_NUMBERS}"
        )
