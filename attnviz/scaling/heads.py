"""Scores of one head of a model as wide as many, and of queries and keys that are drawn."""

from functools import lru_cache

import torch

from attnviz.core.limits import MAX_SEED, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.scaling.sources import Scores

D_MODEL = 512  # with 8 heads, the paper's
N_TOKENS = 6
_KEPT = 32  # of what was drawn last, 80 kB each at most
_BLOCK = 256  # numbers of a query that are drawn at a time


def head_scores(n_heads: int, seed: int) -> Scores:
    """Return the scores (N_TOKENS,) of the first token with all, in the first head of a model of width D_MODEL.

    The tokens' vectors are standard normal. W_q and W_k, (D_MODEL, D_MODEL) for all heads together, have entries of
    variance 1 / D_MODEL, as a real initialization gives them; a head's own are d_k = D_MODEL / n_heads of their
    columns. So every head reads all numbers of a token.

    Raises ``ValueError`` for a number of heads that does not divide D_MODEL, or a seed out of range.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.

    >>> head_scores(8, seed=0).shape
    (6,)
    """
    check_whole("seed", seed, 0, MAX_SEED)
    if check_whole("n_heads", n_heads, 1, D_MODEL) and D_MODEL % n_heads:
        raise ValueError(f"n_heads is {n_heads}, expected a divisor of {D_MODEL}")
    generator = generator_for(seed)
    x = torch.randn(N_TOKENS, D_MODEL, generator=generator, **FLOAT32_ON_CPU)
    w_q, w_k = (torch.randn(D_MODEL, D_MODEL, generator=generator, **FLOAT32_ON_CPU) / D_MODEL**0.5 for _ in range(2))
    d_k = D_MODEL // n_heads
    q, k = x[0].double() @ w_q[:, :d_k].double(), x.double() @ w_k[:, :d_k].double()
    scores: Scores = (k @ q).numpy()
    return scores


@lru_cache(_KEPT)
def drawn_scores(d_k: int, size: int, seed: int) -> Scores:
    """Return so many scores, each of a query and a key of its own with d_k standard normal numbers.

    >>> drawn_scores(64, 3, seed=0).shape
    (3,)
    """
    generator, scores = generator_for(seed), torch.zeros(size, dtype=torch.float64)
    for first in range(0, d_k, _BLOCK):
        q, k = torch.randn(2, size, min(_BLOCK, d_k - first), generator=generator, **FLOAT32_ON_CPU).double()
        scores += (q * k).sum(-1)
    drawn: Scores = scores.numpy()
    drawn.flags.writeable = False  # for all who ask for it
    return drawn
