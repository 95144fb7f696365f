"""Self-attention in plain torch, with every intermediate kept under its name."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from attnviz.core.attention.as_tensors import as_tensors
from attnviz.core.attention.defined import with_defined_rows
from attnviz.core.attention.trace import AttentionTrace
from attnviz.core.limits import check_temperature, in_short
from attnviz.core.stages import BIASES, attention_table


def attend(
    x: Any,
    w_q: Any,
    w_k: Any,
    w_v: Any,
    b_q: Any = None,
    b_k: Any = None,
    b_v: Any = None,
    causal: bool = False,
    scale: bool = True,
    temperature: float = 1.0,
    *,
    mask: Any = None,
    tokens: Sequence[str] = (),
    notices: tuple[str, ...] = (),
) -> AttentionTrace:
    """Compute scaled dot-product self-attention and keep every intermediate.

    `x` is ``(..., n_tokens, d_in)``, `w_q` and `w_k` are ``(d_in, d_k)``, `w_v` is ``(d_in, d_v)``, the biases
    ``(d_k,)``, ``(d_k,)``, ``(d_v,)``. `causal` lets no token attend to a later one; `scale` divides the scores
    by ``sqrt(d_k)``; `temperature` divides them once more. A `mask` ``(n_tokens, n_tokens)``, in place of `causal`, is
    added to the scaled scores, and where it holds -inf, so do they. All of these are tensors, arrays or nested lists.
    `tokens`, one for each row of `x` or none, and `notices` are kept as given.

    Raises ``ValueError`` for what isn't numbers, for shapes that do not fit, for another number of tokens, and
    :class:`UndefinedAttentionError` (a ``ValueError``) for a row without a finite score.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, equation 1.

    >>> eye = torch.eye(2)
    >>> attend(eye, eye, eye, eye, scale=False).attention_weights
    tensor([[0.7311, 0.2689],
            [0.2689, 0.7311]])
    """
    x, w_q, w_k, w_v, b_q, b_k, b_v, mask = as_tensors(
        (*BIASES, "mask"), x=x, w_q=w_q, w_k=w_k, w_v=w_v, b_q=b_q, b_k=b_k, b_v=b_v, mask=mask
    )
    _check_shapes(x, w_q, w_k, w_v, b_q, b_k, b_v)
    _check_tokens(tokens, x.shape[-2])
    _check_mask(mask, causal, x.shape[-2])
    if temperature != 1.0:
        check_temperature(temperature)
    d_k = w_q.shape[-1]
    q = x @ w_q if b_q is None else x @ w_q + b_q  # (n_tokens, d_k)
    k = x @ w_k if b_k is None else x @ w_k + b_k  # (n_tokens, d_k)
    v = x @ w_v if b_v is None else x @ w_v + b_v  # (n_tokens, d_v)
    scores = q @ k.mT  # (n_tokens, n_tokens): query, key
    scaled_scores = scores / ((math.sqrt(d_k) if scale else 1.0) * temperature)
    n_tokens = x.shape[-2]
    if causal:
        mask = torch.full((n_tokens, n_tokens), -math.inf, dtype=x.dtype, device=x.device).triu(1)
    if mask is not None:
        scaled_scores = (scaled_scores + mask).masked_fill(mask == -math.inf, -math.inf)  # even a score of inf
    attention_weights = torch.softmax(scaled_scores, dim=-1)  # each row sums to 1
    context = attention_weights @ v  # (n_tokens, d_v)
    given = {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v, "b_q": b_q, "b_k": b_k, "b_v": b_v, "mask": mask}
    made = {
        "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled_scores,
        "attention_weights": attention_weights, "context": context,
    }  # fmt: skip
    return with_defined_rows(_named(given, made, scale, temperature, tuple(tokens), notices))


def _named(
    given: Mapping[str, Tensor | None], made: Mapping[str, Tensor], scale: bool, temperature: float,
    tokens: tuple[str, ...], notices: tuple[str, ...],
) -> AttentionTrace:  # fmt: skip
    """Return what was given and made as the trace of the table that says the same."""
    biases = tuple(name for name in BIASES if given[name] is not None)
    masked = given["mask"] is not None
    table = attention_table(made["k"].shape[-1], biases=biases, scale=scale, temperature=temperature, mask=masked)
    all_of_it = {**given, **made}
    matrices = {name: matrix for name in table if (matrix := all_of_it[name]) is not None}
    return AttentionTrace(table, matrices, tokens, notices)


def _check_shapes(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None,
    b_k: Tensor | None,
    b_v: Tensor | None,
) -> None:
    if x.dim() < 2 or 0 in x.shape:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected (n_tokens, d_in) with neither of them 0")
    d_in = x.shape[-1]
    if w_q.dim() != 2 or w_q.shape[0] != d_in or w_q.shape[1] == 0:
        raise ValueError(f"w_q has shape {tuple(w_q.shape)}, expected ({d_in}, d_k) to fit x {tuple(x.shape)}")
    if w_k.shape != w_q.shape:
        raise ValueError(f"w_k has shape {tuple(w_k.shape)}, expected {tuple(w_q.shape)} like w_q")
    if w_v.dim() != 2 or w_v.shape[0] != d_in or w_v.shape[1] == 0:
        raise ValueError(f"w_v has shape {tuple(w_v.shape)}, expected ({d_in}, d_v) to fit x {tuple(x.shape)}")
    for name, b, width in (("b_q", b_q, w_q.shape[1]), ("b_k", b_k, w_q.shape[1]), ("b_v", b_v, w_v.shape[1])):
        if b is not None and b.shape != (width,):
            raise ValueError(f"{name} has shape {tuple(b.shape)}, expected ({width},)")


def _check_tokens(tokens: Any, n_tokens: int) -> None:
    if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not all(isinstance(each, str) for each in tokens):
        raise ValueError(f"tokens is {in_short(tokens)}, expected a sequence of texts")
    if tokens and len(tokens) != n_tokens:
        raise ValueError(f"tokens has {len(tokens)} texts, expected {n_tokens}, one for each row of x, or none")


def _check_mask(mask: Tensor | None, causal: bool, n_tokens: int) -> None:
    if mask is None:
        return
    if causal:
        raise ValueError("causal is True and a mask is given, expected one of them")
    if mask.shape != (n_tokens, n_tokens):
        raise ValueError(f"mask has shape {tuple(mask.shape)}, expected ({n_tokens}, {n_tokens})")
