"""The feed-forward step that follows attention: two layers with a ReLU or a GELU between them, for each token alone."""

from typing import Any

from torch import Tensor

from attnviz.core.attention.plain import as_tensors
from attnviz.core.limits import in_short
from attnviz.core.stages import ACTIVATIONS, feed_forward_table
from attnviz.core.trace import Trace


class FeedForwardTrace(Trace):
    """Every intermediate of one feed-forward step, by name.

    `context` is what goes in, ``(n_tokens, d_v)``; `w_1` is ``(d_v, d_ff)``, `w_2` ``(d_ff, d_model)``, the
    biases ``(d_ff,)`` and ``(d_model,)``, or None; `preactivations` and `hidden` are ``(n_tokens, d_ff)``,
    `feed_forward` is ``(n_tokens, d_model)``. With a batch, all but the given layers have its dimensions in front.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3.
    """

    context: Tensor
    w_1: Tensor
    b_1: Tensor | None = None
    w_2: Tensor
    b_2: Tensor | None = None
    preactivations: Tensor
    hidden: Tensor
    feed_forward: Tensor


def feed_forward(
    x: Any,
    w1: Any,
    b1: Any,
    w2: Any,
    b2: Any,
    *,
    activation: str = "relu",
    tokens: tuple[str, ...] = (),
) -> FeedForwardTrace:
    """Compute two layers with a ReLU, or with `activation` "gelu" a GELU, between them; keep every intermediate.

    `x` is ``(..., n_tokens, d_v)``, the context vectors of attention as a rule; `w1` is ``(d_v, d_ff)``, `b1`
    ``(d_ff,)`` or None, `w2` ``(d_ff, d_model)``, `b2` ``(d_model,)`` or None. `tokens` are kept as given.

    Raises ``ValueError`` for what isn't numbers, for shapes that do not fit, and for another activation.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3, equation 2.

    >>> import torch
    >>> eye = torch.eye(2)
    >>> feed_forward(torch.tensor([[1.0, -2.0]]), eye, torch.zeros(2), eye, torch.ones(2)).feed_forward
    tensor([[2., 1.]])
    """
    x, w1, b1, w2, b2 = as_tensors(("b1", "b2"), x=x, w1=w1, b1=b1, w2=w2, b2=b2)
    _check_shapes(x, w1, b1, w2, b2)
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation is {in_short(activation)}, expected one of {', '.join(ACTIVATIONS)}")
    preactivations = x @ w1 if b1 is None else x @ w1 + b1  # (n_tokens, d_ff)
    hidden = ACTIVATIONS[activation].compute(preactivations)  # (n_tokens, d_ff)
    made = hidden @ w2 if b2 is None else hidden @ w2 + b2  # (n_tokens, d_model)
    matrices = {
        "context": x, "w_1": w1, "b_1": b1, "w_2": w2, "b_2": b2,
        "preactivations": preactivations, "hidden": hidden, "feed_forward": made,
    }  # fmt: skip
    there = {name: matrix for name, matrix in matrices.items() if matrix is not None}
    table = feed_forward_table(b_1=b1 is not None, b_2=b2 is not None, activation=activation)
    return FeedForwardTrace(table, there, tokens)


def _check_shapes(x: Tensor, w1: Tensor, b1: Tensor | None, w2: Tensor, b2: Tensor | None) -> None:
    if x.dim() < 2 or 0 in x.shape:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected (n_tokens, d_v) with neither of them 0")
    if w1.dim() != 2 or w1.shape[0] != x.shape[-1] or w1.shape[1] == 0:
        expected = f"({x.shape[-1]}, d_ff) to fit x {tuple(x.shape)}"
        raise ValueError(f"w1 has shape {tuple(w1.shape)}, expected {expected}")
    if w2.dim() != 2 or w2.shape[0] != w1.shape[1] or w2.shape[1] == 0:
        expected = f"({w1.shape[1]}, d_model) to fit w1 {tuple(w1.shape)}"
        raise ValueError(f"w2 has shape {tuple(w2.shape)}, expected {expected}")
    for name, b, width in (("b1", b1, w1.shape[1]), ("b2", b2, w2.shape[1])):
        if b is not None and b.shape != (width,):
            raise ValueError(f"{name} has shape {tuple(b.shape)}, expected ({width},)")
