"""Self-attention as textbooks write it; tests compare the core with it."""

import math

import torch
from torch import Tensor


def attend(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, *, causal: bool = False) -> tuple[Tensor, Tensor]:
    """Return the attention weights, and the context vectors.

    `x` is ``(n_tokens, d_in)``, `w_q` and `w_k` are ``(d_in, d_k)``, `w_v` is ``(d_in, d_v)``; the weights are
    ``(n_tokens, n_tokens)``, the context ``(n_tokens, d_v)``.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, equation 1.

    >>> x = torch.eye(2)
    >>> attend(x, x, x, x, causal=True)[0]
    tensor([[1.0000, 0.0000],
            [0.3302, 0.6698]])
    """
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T / math.sqrt(q.shape[-1])
    if causal:  # no token attends to a later one
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    attention_weights = torch.softmax(scores, dim=-1)
    return attention_weights, attention_weights @ v
