"""Self-attention and feed-forward on plain tensors, and a PyTorch module."""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.core.arguments import typed
from attnviz.core.attention.defined import execute
from attnviz.core.attention.trace import AttentionTrace
from attnviz.core.limits import MAX_D, MAX_SEED, check_choice, check_temperature, check_whole, in_short
from attnviz.core.seeding import seeded_projections
from attnviz.core.stages import ACTIVATIONS, BIASES, attention_table, feed_forward_table
from attnviz.core.trace import Trace, run


def as_tensors(optional: Collection[str], **given: Any) -> list[Tensor | None]:
    """Return the named arguments as tensors of one precision.

    Tensors and arrays keep their precision; whole numbers and lists become float32. If these differ, all get the widest
    one. An argument in `optional` may be None, and stays so.

    Raises ``ValueError`` for a value without real numbers, with rows of unequal lengths, or on another device.
    """
    tensors = {
        name: None if value is None and name in optional else _as_tensor(name, value) for name, value in given.items()
    }
    there = {name: each for name, each in tensors.items() if each is not None}
    first = next(iter(there.values()))
    dtype = first.dtype
    for name, each in there.items():
        if each.device != first.device:
            raise ValueError(f"{name} is on {each.device}, expected {first.device} like {next(iter(there))}")
        dtype = torch.promote_types(dtype, each.dtype)
    return [None if each is None else each.to(dtype) for each in tensors.values()]


def _as_tensor(name: str, value: Any) -> Tensor:
    try:
        tensor = value if isinstance(value, Tensor) else torch.from_numpy(np.array(value))
    except (TypeError, ValueError, RuntimeError, OverflowError):
        message = f"{name} is {in_short(value)}, expected a tensor, an array, or rows of numbers of one length"
        raise ValueError(message) from None
    if tensor.dtype == torch.bool or tensor.is_complex():
        raise ValueError(f"{name} holds {str(tensor.dtype).removeprefix('torch.')} values, expected real numbers")
    return tensor if hasattr(value, "dtype") and tensor.is_floating_point() else tensor.float()


@typed
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
    added to the scaled scores; -inf in it hides a key from a query. All of these are tensors, arrays or nested lists.
    `tokens`, one for each row of `x` or none, and `notices` are kept as given.

    Raises ``ValueError`` for values that aren't numbers, for shapes that don't fit, for a wrong number of tokens, and
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
    _check_rows(x, "d_in")
    _check_factor("w_q", w_q, "d_k", "x", x, ("b_q", b_q))
    if w_k.shape != w_q.shape:
        raise ValueError(f"w_k has shape {tuple(w_k.shape)}, expected {tuple(w_q.shape)} like w_q")
    _check_factor("w_k", w_k, "d_k", "x", x, ("b_k", b_k))
    _check_factor("w_v", w_v, "d_v", "x", x, ("b_v", b_v))
    _check_tokens(tokens, x.shape[-2])
    _check_mask(mask, causal, x.shape[-2])
    check_temperature(temperature)
    if causal:
        n_tokens = x.shape[-2]
        mask = torch.full((n_tokens, n_tokens), -math.inf, dtype=x.dtype, device=x.device).triu(1)
    given = {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v, "b_q": b_q, "b_k": b_k, "b_v": b_v, "mask": mask}
    there = {name: matrix for name, matrix in given.items() if matrix is not None}
    biases = tuple(name for name in BIASES if name in there)
    table = attention_table(w_q.shape[-1], biases=biases, scale=scale, temperature=temperature, mask="mask" in there)
    return execute(table, there, tokens, notices)


def _check_rows(x: Tensor, width: str) -> None:
    if x.dim() < 2 or 0 in x.shape:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected (n_tokens, {width}) with neither of them 0")


def _check_factor(name: str, w: Tensor, width: str, of: str, first: Tensor, b: tuple[str, Tensor | None]) -> None:
    """Raise ``ValueError`` if a matrix or its bias doesn't fit."""
    if w.dim() != 2 or w.shape[0] != first.shape[-1] or w.shape[1] == 0:
        expected = f"({first.shape[-1]}, {width}) to fit {of} {tuple(first.shape)}"
        raise ValueError(f"{name} has shape {tuple(w.shape)}, expected {expected}")
    if b[1] is not None and b[1].shape != (w.shape[1],):
        raise ValueError(f"{b[0]} has shape {tuple(b[1].shape)}, expected ({w.shape[1]},)")


def _check_tokens(tokens: Any, n_tokens: int) -> None:
    if tokens and len(tokens) != n_tokens:
        raise ValueError(f"tokens has {len(tokens)} texts, expected {n_tokens}, one for each row of x, or none")


def _check_mask(mask: Tensor | None, causal: bool, n_tokens: int) -> None:
    if mask is None:
        return
    if causal:
        raise ValueError("causal is True and a mask is given, expected one of them")
    if mask.shape != (n_tokens, n_tokens):
        raise ValueError(f"mask has shape {tuple(mask.shape)}, expected ({n_tokens}, {n_tokens})")


class SelfAttention(nn.Module):
    """Self-attention as a module, numerically equal to the scenario of its seed.

    Parameters are `w_q`, `w_k` ``(d_in, d_out)``, `w_v` ``(d_in, d_v)`` (`d_v` None is `d_out`) and, with `bias`,
    `b_q`, `b_k`, `b_v` of these widths, drawn by :func:`attnviz.core.seeding.seeded_projections`.

    Raises ``ValueError`` for an unknown init, and for numbers beyond the limits of a scenario.

    >>> import torch
    >>> SelfAttention(d_in=3, d_out=2, seed=123)(torch.ones(4, 6, 3)).shape
    torch.Size([4, 6, 2])
    """

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None
    b_k: Tensor | None
    b_v: Tensor | None

    @typed
    def __init__(
        self,
        d_in: int,
        d_out: int,
        init: str = "uniform",
        seed: int = 123,
        bias: bool = False,
        causal: bool = False,
        scale: bool = True,
        temperature: float = 1.0,
        d_v: int | None = None,
    ) -> None:
        super().__init__()
        check_whole("d_in", d_in, 1, MAX_D)
        check_whole("d_out", d_out, 1, MAX_D)
        check_whole("d_v", d_out if d_v is None else d_v, 1, MAX_D)
        check_whole("seed", seed, 0, MAX_SEED)
        check_temperature(temperature)
        self.causal = causal
        self.scale = scale
        self.temperature = temperature
        for name, drawn in seeded_projections(d_in, d_out, init, seed, bias, d_v)._asdict().items():
            self.register_parameter(name, None if drawn is None else nn.Parameter(drawn))

    def trace(self, x: Tensor) -> AttentionTrace:
        """Return every intermediate for `x` ``(..., n_tokens, d_in)``."""
        return attend(
            x, self.w_q, self.w_k, self.w_v, self.b_q, self.b_k, self.b_v,
            causal=self.causal, scale=self.scale, temperature=self.temperature,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the sizes and settings that PyTorch shows in the repr."""
        sizes = f"d_in={self.w_q.shape[0]}, d_out={self.w_q.shape[1]}, d_v={self.w_v.shape[1]}"
        chosen = f"bias={self.b_q is not None}, causal={self.causal}, scale={self.scale}"
        return f"{sizes}, {chosen}, temperature={self.temperature:g}"

    def forward(self, x: Tensor) -> Tensor:
        """Return the context vectors ``(..., n_tokens, d_v)`` for `x` ``(..., n_tokens, d_in)``."""
        return self.trace(x).context


class FeedForwardTrace(Trace):
    """Every intermediate of one feed-forward step, by name.

    `context` is the input, ``(n_tokens, d_v)``; `w_1` is ``(d_v, d_ff)``, `w_2` ``(d_ff, d_model)``, the
    biases ``(d_ff,)`` and ``(d_model,)``, or None; `preactivations` and `hidden` are ``(n_tokens, d_ff)``,
    `feed_forward` is ``(n_tokens, d_model)``. A batch adds its dimensions in front to all but weights and biases.

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


@typed
def feed_forward(
    x: Any, w1: Any, b1: Any, w2: Any, b2: Any, *, activation: str = "relu", tokens: tuple[str, ...] = ()
) -> FeedForwardTrace:
    """Compute two layers with a ReLU or GELU between; keep every intermediate.

    `x` is ``(..., n_tokens, d_v)``, usually the context vectors of attention; `w1` is ``(d_v, d_ff)``, `b1`
    ``(d_ff,)`` or None, `w2` ``(d_ff, d_model)``, `b2` ``(d_model,)`` or None. `tokens` are kept as given.

    Raises ``ValueError`` for values that aren't numbers, for shapes that don't fit, and for an unknown activation.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3, equation 2.

    >>> import torch
    >>> eye = torch.eye(2)
    >>> feed_forward(torch.tensor([[1.0, -2.0]]), eye, torch.zeros(2), eye, torch.ones(2)).feed_forward
    tensor([[2., 1.]])
    """
    x, w1, b1, w2, b2 = as_tensors(("b1", "b2"), x=x, w1=w1, b1=b1, w2=w2, b2=b2)
    _check_rows(x, "d_v")
    _check_factor("w1", w1, "d_ff", "x", x, ("b1", b1))
    _check_factor("w2", w2, "d_model", "w1", w1, ("b2", b2))
    check_choice("activation", activation, ACTIVATIONS)
    given = {"context": x, "w_1": w1, "b_1": b1, "w_2": w2, "b_2": b2}
    there = {name: matrix for name, matrix in given.items() if matrix is not None}
    table = feed_forward_table(b_1=b1 is not None, b_2=b2 is not None, activation=activation)
    return FeedForwardTrace(table, run(table, there), tokens)
