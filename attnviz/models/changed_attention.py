"""Torch's own attention with changes: torch computes it from changed queries, keys, values and masks."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor

if TYPE_CHECKING:
    from attnviz.models.editing import Editing

Parts = tuple[Tensor, Tensor, Tensor]  # queries, keys and values


def changed_dot_product(
    editing: "Editing", number: int, parts: list[Tensor], added: Tensor | None, scaling: float,
    compute: Callable[..., Tensor], **more: Any,
) -> tuple[Parts, Tensor | None, Tensor | None, Tensor]:  # fmt: skip
    """Return what ``F.scaled_dot_product_attention`` makes of queries, keys and values ``(1, heads, tokens, d)`` with
    their changes: these, what is added to the scores, the weights where they're even, and the contexts."""
    query, key, value = (editing.part(number, name, each) for name, each in zip("qkv", parts, strict=True))
    added = editing.mask(number, added, None, query, key)
    made = compute(query, key, value, attn_mask=added, scale=scaling, **more)
    weights = query.new_zeros(*query.shape[:-1], key.shape[-2]) if number in editing.even else None
    turned, weights = editing.result(number, made.transpose(1, 2), weights, value, added)
    return (query, key, value), added, weights, turned.transpose(1, 2)


def changed_multi_head(
    editing: "Editing", number: int, parts: list[Tensor], added: Tensor | None, given: Mapping[str, Any],
) -> tuple[Parts, Tensor | None, Tensor, Tensor, tuple[Tensor, Tensor | None]]:  # fmt: skip
    """Return what ``F.multi_head_attention_forward`` makes of queries, keys and values ``(heads, tokens, d)`` with
    their changes: these, what is added to the scores, weights, contexts, and what the function would return."""
    query, key, value = (editing.part(number, name, each[None]) for name, each in zip("qkv", parts, strict=True))
    added = editing.mask(number, None if added is None else added[None], None, query, key)
    heads, n_queries, d = query.shape[1:]
    q, k, v = (each[0].transpose(0, 1).flatten(1) for each in (query, key, value))
    # What was projected already is projected by the identity, to the last bit what it was: so torch's own function
    # hands out contexts and weights.
    same = torch.eye(heads * d, dtype=query.dtype, device=query.device)
    mask = None if added is None else added.expand(1, heads, n_queries, -1)[0]
    contexts, weights = F.multi_head_attention_forward(
        q, k, v, heads * d, heads, torch.cat([same] * 3), None, None, None, False, 0.0, same, None,
        training=False, need_weights=True, attn_mask=mask, average_attn_weights=False,
    )  # fmt: skip
    assert weights is not None
    contexts, weights = editing.result(number, contexts.view(1, n_queries, heads, d), weights[None], value, added)
    assert weights is not None
    out = F.linear(contexts.flatten(2)[0], given["out_proj_weight"], given["out_proj_bias"])
    returned = out.reshape(*given["query"].shape[:-1], out.shape[-1]), _returned(weights, given)
    return (query, key, value), added, weights, contexts.transpose(1, 2), returned


def _returned(weights: Tensor, given: Mapping[str, Any]) -> Tensor | None:
    """Return weights ``(1, heads, queries, keys)`` as the function was asked for them."""
    if not given["need_weights"]:
        return None
    asked = weights.mean(1) if given["average_attn_weights"] else weights
    return asked if given["query"].dim() == 3 else asked[0]
