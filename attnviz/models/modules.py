"""Modules of torch under the glass: whatever calls torch's own functions of attention."""

import torch
from torch import Tensor, nn

from attnviz.core.limits import in_short
from attnviz.models.editing import as_changed, editing_of, notices_of
from attnviz.models.edits import ModelEdit
from attnviz.models.pretrained import check_finite, reads_others
from attnviz.models.trace import Layer, ModelTrace
from attnviz.models.watching import Attended, Watch


def look_into_module(
    module: nn.Module, x: object, tokens: tuple[str, ...], edits: tuple[ModelEdit, ...] = ()
) -> ModelTrace:
    """Return what a module computes for `x`; see :func:`attnviz.look_into`."""
    if not isinstance(x, Tensor) or x.dim() not in (2, 3) or (x.dim() == 3 and len(x) != 1) or 0 in x.shape:
        shape = tuple(x.shape) if isinstance(x, Tensor) else in_short(x)
        raise ValueError(f"x is {shape}, expected one sequence as a tensor (n_tokens, d) or (1, n_tokens, d)")
    if tokens and len(tokens) != x.shape[-2]:
        raise ValueError(f"tokens are {len(tokens)}, expected {x.shape[-2]}, one for each row of x")
    view: ModelTrace | None = None
    for editing in (False, True) if edits else (False,):  # where a change is laid is known by what is made without it
        watch = Watch(editing_of(edits, view.layers) if view is not None and editing else None)
        with torch.no_grad(), watch:
            result = module(x, x, x) if isinstance(module, nn.MultiheadAttention) else module(x)
        layers = _layers(module, watch.attended, tokens)
        if view is not None:
            layers = tuple(as_changed(edits, *both) for both in zip(layers, view.layers, strict=True))
        check_finite(layers, result)
        laid = edits if editing else ()
        view = ModelTrace(type(module).__name__, "", tokens, layers, result=result, edits=laid, original=view,
                          notices=notices_of(laid, layers))  # fmt: skip
    assert view is not None
    return view


def _layers(module: nn.Module, attended: list[Attended], tokens: tuple[str, ...]) -> tuple[Layer, ...]:
    if not attended:
        raise ValueError(
            f"{type(module).__name__} attended to nothing that can be seen, expected one that calls"
            " F.scaled_dot_product_attention or has an nn.MultiheadAttention"
        )
    layers = []
    for number, each in enumerate(attended):
        layer = Layer(each, "encoder", tokens, tokens, number=number)
        layers.append(Layer(each, "cross", (), tokens, number=number) if reads_others(layer) else layer)
    return tuple(layers)
