"""Watching a model compute: its attentions, and the products before them.

A watch is entered by one thread, and sees only that thread; neither the model nor torch is changed for it.
"""

import copy
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from dataclasses import replace
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from attnviz.core.rules import causal_mask
from attnviz.features.language_models.inside.edits import Editing, changed_dot_product, changed_multi_head
from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Projection
from attnviz.features.language_models.inside.seen.in_place import changed_in_place, copied, copied_projection


class Watch(TorchFunctionMode):
    """A context that keeps each attention, computed with the changes of `editing`."""

    def __init__(self, editing: Editing | None = None) -> None:
        super().__init__()
        self.editing = editing
        self.attended: list[AttentionRecord] = []
        self._projections: list[Projection] = []
        self._entered: Token[Watch | None] | None = None

    @property
    def products(self) -> list[Projection]:
        """All products with weights that it saw, in their order."""
        return [*(made for each in self.attended for made in each.projections), *self._projections]

    def __enter__(self) -> "Watch":
        self._entered = _WATCHING.set(self)
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *reason: Any) -> None:
        super().__exit__(*reason)  # type: ignore[no-untyped-call]
        assert self._entered is not None
        _WATCHING.reset(self._entered)

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Compute torch's result, and keep attentions and products."""
        given = dict(kwargs or {})
        if (target := changed_in_place(func, args, given)) is not None:
            self._keep_before(target)
        if func is F.linear:
            return self._linear(func, *args, **given)
        if func is torch.addmm and not given and len(args) == 3:
            added, x, weight = args
            return self._project(lambda own, bias: func(added if bias is None else bias, x, own), x, weight, added)
        if func is F.scaled_dot_product_attention:
            return self._scaled_dot_product(func, *args, **given)
        if func is F.multi_head_attention_forward:
            return self._multi_head(func, _arguments(func).bind(*args, **given))
        return func(*args, **given)

    def _keep_before(self, target: Tensor) -> None:
        """Copy kept tensors that will be changed in place."""
        at = target.untyped_storage().data_ptr()
        self.attended = [each and copied(each, at) for each in self.attended]
        self._projections = [copied_projection(each, at) for each in self._projections]

    def _linear(self, func: Callable[..., Tensor], input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        return self._project(lambda turned, added: func(input, turned.mT, added), input, weight.mT, bias)

    def _project(
        self, compute: Callable[[Tensor, Tensor | None], Tensor], x: Tensor, weight: Tensor, bias: Tensor | None
    ) -> Tensor:
        """Return and keep a product with a weight ``(d_in, d_out)`` and bias."""
        pointer, editing = weight.data_ptr(), self.editing
        if editing is not None:
            weight = editing.weights.get(pointer, weight)
            bias = bias if bias is None else editing.biases.get(bias.data_ptr(), bias)
        made = compute(weight, bias)
        if weight.dim() != 2 or x.dim() < 2 or math.prod(x.shape[:-2]) != 1:
            return made
        if editing is not None:
            made = editing.product(len(self.attended), pointer, made)
        x, kept = (each.detach().reshape(each.shape[-2:]) for each in (x, made))
        projection = Projection(x, weight.detach(), None if bias is None else bias.detach(), kept, pointer)
        self._projections.append(projection)
        self._keep_output(projection)
        return made

    def _keep_output(self, projection: Projection) -> None:
        """Keep a product of all heads' contexts with the attention before it."""
        last = self.attended[-1] if self.attended else None
        if last is None or last.output is not None or last.context is None:
            return
        together = last.context.transpose(0, 1).flatten(1)
        if together.shape == projection.x.shape and torch.equal(together, projection.x):
            self.attended[-1] = replace(last, output=projection)

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, added: Tensor | None, scaling: float,
        weights: Tensor | None, context: Tensor | None, module: Any = None, *, bias: Tensor | None = None,
        cap: float | None = None, sinks: Tensor | None = None,
    ) -> None:  # fmt: skip
        """Keep an attention, whose tensors ``(..., heads, tokens, features)`` hold one sequence."""
        batch = math.prod(query.shape[:-3])
        if batch != 1:
            raise ValueError(f"the model attends to {batch} sequences at once, expected one")
        parts = (query, key, value, weights, context)
        query, key, value, *made = (None if each is None else _of_one(each) for each in parts)  # type: ignore[assignment]
        if added is not None:
            added = _of_one(added).broadcast_to(-1, query.shape[-2], key.shape[-2])
            # Some masks hide keys with the most negative float in place of -inf.
            added = added.masked_fill(added <= torch.finfo(added.dtype).min / 2, -math.inf)
            bias = _bias_in(added if bias is None else _of_one(bias).broadcast_to(added.shape), added)
        if sinks is not None and made[0] is not None and made[1] is not None:
            scores = query @ key.repeat_interleave(len(query) // len(key), 0).mT * scaling
            scores = scores if cap is None else cap * torch.tanh(scores / cap)
            left = _beside_sinks(scores if added is None else scores + added, sinks)
            made[0] = _weights_read(made[0], made[0] * left.to(made[0].dtype), value, made[1])
        projections, self._projections = _of_module(self._projections, module), []
        self.attended.append(
            AttentionRecord(
                query,
                key,
                value,
                added,
                scaling,
                made[0],
                made[1],
                projections,
                module,
                bias=bias,
                cap=cap,
                sinks=None if sinks is None else sinks.detach().float().flatten(),
            )
        )

    def _scaled_dot_product(
        self, func: Callable[..., Tensor], query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
        dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
    ) -> Tensor:  # fmt: skip
        number, editing = len(self.attended), self.editing
        scaling = query.shape[-1] ** -0.5 if scale is None else scale
        if is_causal:
            added = _as_added(~causal_mask(query.shape[-2], key.shape[-2], query.device), query)
        else:
            added = _as_added(attn_mask, query)
        if editing is None or not editing.touches(number):
            made = func(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
            self.attend(query, key, value, added, scaling, None, made)
            return made
        parts = [_of_one(each)[None] for each in (query, key, value)]
        shape = (*query.shape[:-1], value.shape[-1])
        (query, key, value), added, weights, made = changed_dot_product(
            editing, number, parts, added, scaling, func, enable_gqa=enable_gqa
        )
        self.attend(query, key, value, added, scaling, weights, made)
        return made.reshape(shape)

    def _multi_head(self, func: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
        """Compute ``F.multi_head_attention_forward`` and keep its queries, keys and values."""
        bound.apply_defaults()
        given = bound.arguments
        if given["bias_k"] is not None or given["bias_v"] is not None or given["add_zero_attn"]:
            raise ValueError("nn.MultiheadAttention has add_bias_kv or add_zero_attn, expected neither")
        inputs = [_sequence(given[name]) for name in ("query", "key", "value")]
        plain = _in_projections(given, inputs)
        number, editing = len(self.attended), self.editing
        self._projections = plain if editing is None else [_edited(editing, number, each) for each in plain]
        heads = given["num_heads"]
        parts = [each.product.reshape(len(each.product), heads, -1).transpose(0, 1) for each in self._projections]
        added, scaling = _mask_of(given, parts[0]), parts[0].shape[-1] ** -0.5
        untouched = all(one is other for one, other in zip(self._projections, plain, strict=True))
        if editing is None or (untouched and not editing.touches(number)):
            made = func(**given)
            _, weights = func(
                **given | {"need_weights": True, "average_attn_weights": False, "is_causal": False, "training": False}
            )
            query, key, value = parts
            # It may return zeros for rows with nothing to read, whose softmax is NaN.
            if bool(made[0].isfinite().all()):
                weights = weights.masked_fill(weights.isnan(), 0.0)
            self.attend(query, key, value, added, scaling, weights, None)
            return made
        (query, key, value), added, weights, contexts, made = changed_multi_head(editing, number, parts, added, given)
        self.attend(query, key, value, added, scaling, weights, contexts)
        return made


_WATCHING: ContextVar[Watch | None] = ContextVar("attnviz_watching", default=None)


def watching() -> Watch | None:
    """Return the watch that this thread has entered, or None."""
    return _WATCHING.get()


def twin_of(module: Any) -> Any:
    """Return a copy that shares weights, and can be changed by itself."""
    return copy.deepcopy(module, {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())})


def _of_module(projections: list[Projection], module: Any) -> tuple[Projection, ...]:
    """Return products with the module's own weights; without any, all products."""
    if module is None:
        return tuple(projections)
    own = {parameter.data_ptr() for parameter in module.parameters()}
    return tuple(each for each in projections if each.pointer in own) or tuple(projections)


@cache
def _arguments(func: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(func)


def _of_one(tensor: Tensor) -> Tensor:
    """Return one sequence's tensor ``(heads, tokens, features)``, without its batch dimensions."""
    return tensor.detach().reshape((1, *tensor.shape)[-3:] if tensor.dim() < 3 else tensor.shape[-3:])


def _bias_in(bias: Tensor, added: Tensor) -> Tensor | None:
    """Return what is added to readable scores; None if it's all 0."""
    bias = bias.masked_fill(added == -math.inf, 0.0)
    return bias if bool(bias.any()) else None


def _beside_sinks(scores: Tensor, sinks: Tensor) -> Tensor:
    """Return the share of each row that sinks leave, ``(n_heads, n_queries, 1)``."""
    return torch.sigmoid(scores.float().logsumexp(-1, keepdim=True) - sinks.detach().float().reshape(-1, 1, 1))


def _weights_read(handed_out: Tensor, with_sinks: Tensor, value: Tensor, context: Tensor) -> Tensor:
    """Return the weights that make the contexts, with what the sinks take.

    Granite returns weights that sum to 1, and multiplies the contexts made from them by the share that sinks leave.
    """
    values = value.repeat_interleave(len(handed_out) // len(value), 0)
    plain, scaled = ((each @ values - context).abs().flatten(1).sum(1) for each in (handed_out, with_sinks))
    on = context.abs().flatten(1).amax(1) > 0  # leaves out heads that are switched off
    return with_sinks if bool(scaled[on].sum() < plain[on].sum()) else handed_out


def _as_added(mask: Any, like: Tensor) -> Any:
    """Return a mask as numbers to add; True may be read."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=like.dtype, device=mask.device).masked_fill(~mask, -math.inf)


def _sequence(tensor: Tensor) -> Tensor:
    """Return ``(n_tokens, d)`` of one sequence, without its batch dimension."""
    if tensor.dim() == 3 and tensor.shape[1] != 1:
        raise ValueError(
            f"the model attends to {tensor.shape[1]} sequences at once, expected one: without batch_first, as"
            " (n_tokens, d)"
        )
    return tensor.detach().reshape(len(tensor), -1)


def _mask_of(given: Mapping[str, Any], query: Tensor) -> Any:
    """Return ``F.multi_head_attention_forward``'s mask as numbers; its True hides."""
    masks = [given["attn_mask"], given["key_padding_mask"]]
    added, padding = (
        _as_added(~mask if mask is not None and mask.dtype == torch.bool else mask, query) for mask in masks
    )
    if padding is None:
        return added
    padding = padding.reshape(1, 1, -1)
    return padding if added is None else added + padding


def _edited(editing: Editing, number: int, projection: Projection) -> Projection:
    """Return a projection with its changes, itself if it has none."""
    weight = editing.weights.get(projection.pointer)
    bias = None if projection.bias is None else editing.biases.get(projection.bias.data_ptr())
    made = projection.product
    if weight is not None or bias is not None:
        weight = projection.weight if weight is None else weight
        bias = projection.bias if bias is None else bias
        projection = replace(projection, weight=weight, bias=bias, product=F.linear(projection.x, weight.mT, bias))
        made = projection.product
    changed = editing.product(number, projection.pointer, made)
    return projection if changed is made else replace(projection, product=changed)


def _in_projections(given: Mapping[str, Any], inputs: list[Tensor]) -> list[Projection]:
    """Return the projections of torch's own attention, of queries, keys and values."""
    weights = [given[f"{letter}_proj_weight"] for letter in "qkv"]
    if not given["use_separate_proj_weight"]:
        weights = list(given["in_proj_weight"].chunk(3))
    bias = given["in_proj_bias"]
    biases = [None] * 3 if bias is None else [each.detach() for each in bias.chunk(3)]
    return [
        Projection(x, weight.detach().mT, b, F.linear(x, weight, b).detach(), weight.data_ptr())
        for x, weight, b in zip(inputs, weights, biases, strict=True)
    ]
