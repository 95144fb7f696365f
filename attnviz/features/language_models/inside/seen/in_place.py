"""Copies of tensors, kept before a model changes them in place."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor

from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Projection

_IN_PLACE = frozenset({"__setitem__", *(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "div",
                                                                    "mod", "pow", "and", "or", "xor"))})  # fmt: skip


def changed_in_place(func: Callable[..., Any], args: tuple[Any, ...], given: Mapping[str, Any]) -> Tensor | None:
    """Return the tensor that a function changes in place, or None.

    >>> import torch
    >>> x = torch.ones(2)
    >>> [changed_in_place(func, (x, 1), {}) is x for func in (Tensor.clamp_, Tensor.__iadd__, Tensor.add)]
    [True, True, False]
    """
    name = getattr(func, "__name__", "")
    if isinstance(given.get("out"), Tensor):
        target = given["out"]
    elif name in _IN_PLACE or (name.endswith("_") and not name.endswith("__")) or given.get("inplace"):
        target = args[0] if args else given.get("input")
    else:
        return None
    return target if isinstance(target, Tensor) else None


def copied(attended: AttentionRecord, at: int) -> AttentionRecord:
    """Return an attention, with copies of its tensors in this storage."""
    names = ("query", "key", "value", "added", "bias", "weights", "context")
    changed: dict[str, Any] = {
        name: copy for name in names if (copy := _copy_in(getattr(attended, name), at)) is not None
    }
    projections = tuple(copied_projection(each, at) for each in attended.projections)
    output = None if attended.output is None else copied_projection(attended.output, at)
    same = not changed and output is attended.output
    if same and all(one is other for one, other in zip(projections, attended.projections, strict=True)):
        return attended
    rewritten = attended.rewritten or "context" in changed
    return replace(attended, **changed, projections=projections, output=output, rewritten=rewritten)


def copied_projection(made: Projection, at: int) -> Projection:
    """Return a projection, with copies of its tensors in this storage.

    `rewritten` becomes the model's own product, which the model is about to change.
    """
    x, product = _copy_in(made.x, at), _copy_in(made.product, at)
    if x is not None:
        made = replace(made, x=x)
    return made if product is None else replace(made, product=product, rewritten=made.product)


def _copy_in(tensor: Tensor | None, at: int) -> Tensor | None:
    """Return a copy of a tensor in this storage, else None."""
    return tensor.clone() if tensor is not None and tensor.untyped_storage().data_ptr() == at else None
