"""Modules of torch under the glass: whatever calls torch's own functions of attention."""

import copy

import torch
from torch import Tensor, nn

from attnviz.core.limits import in_short
from attnviz.models.editing import as_changed, editing_of, notices_of
from attnviz.models.edits import ModelEdit
from attnviz.models.named import Named, attended_as_named
from attnviz.models.pretrained import check_finite, reads_others
from attnviz.models.trace import Layer, ModelTrace
from attnviz.models.watching import Attended
from attnviz.models.written_out import WrittenOut, learned_in


def look_into_module(
    module: nn.Module,
    x: object,
    tokens: tuple[str, ...],
    edits: tuple[ModelEdit, ...] = (),
    named: Named | None = None,
) -> ModelTrace:
    """Return what a module computes for `x`; see :func:`attnviz.look_into`."""
    if not isinstance(x, Tensor) or x.dim() not in (2, 3) or (x.dim() == 3 and len(x) != 1) or 0 in x.shape:
        shape = tuple(x.shape) if isinstance(x, Tensor) else in_short(x)
        raise ValueError(f"x is {shape}, expected one sequence as a tensor (n_tokens, d) or (1, n_tokens, d)")
    if not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"tokens are {in_short(tokens)}, expected texts, one for each row of x")
    if tokens and len(tokens) != x.shape[-2]:
        raise ValueError(f"tokens are {len(tokens)}, expected {x.shape[-2]}, one for each row of x")
    if named is not None:
        named.pointers(module)
    own = _as_evaluated(module)
    view: ModelTrace | None = None
    for editing in (False, True) if edits else (False,):  # where a change is laid is known by what is made without it
        watch = WrittenOut(editing_of(edits, view.layers) if view is not None and editing else None, own.parameters())
        with torch.no_grad(), watch:
            result = _called(own, x)
            attended = watch.attended if named is None else [_named_one(named, own, watch, result, edits)]
        layers = _layers(module, learned_in(attended, own.parameters()), tokens)
        if view is not None:
            layers = tuple(as_changed(edits, *both) for both in zip(layers, view.layers, strict=True))
        check_finite(layers, result)
        laid = edits if editing else ()
        view = ModelTrace(type(module).__name__, "", tokens, layers, result=result, edits=laid, original=view,
                          notices=notices_of(laid, layers))  # fmt: skip
    assert view is not None
    return view


def _named_one(
    named: Named, module: nn.Module, watch: WrittenOut, result: object, edits: tuple[ModelEdit, ...]
) -> Attended:  # fmt: skip
    found = attended_as_named(named, module, watch.attended, watch.products, result)
    if edits and not (len(watch.attended) == 1 and found is watch.attended[0]):
        raise ValueError(
            f"{type(module).__name__} can't be changed where its attention is found by names, expected one that is"
            " found without them: no edits, or no q, k and v"
        )
    return found


def _as_evaluated(module: nn.Module) -> nn.Module:
    """Return a module without its dropout, which would make other numbers each time: a twin with the same weights where
    it's in training, so that it stays so itself."""
    if not any(each.training for each in module.modules()):
        return module
    shared = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}
    try:
        return copy.deepcopy(module, shared).eval()
    except (RuntimeError, TypeError) as error:
        raise ValueError(
            f"{type(module).__name__} is in training and can't be copied ({error}), expected one after .eval()"
        ) from error


def _called(module: nn.Module, x: Tensor) -> object:
    try:
        return module(x, x, x) if isinstance(module, nn.MultiheadAttention) else module(x)
    except (RuntimeError, TypeError, IndexError) as error:  # the module's own: it knows best what is wrong
        message = (
            f"look_into calls {type(module).__name__} with x alone, {tuple(x.shape)} of {x.dtype}: if it takes more, as"
            " a mask, look into a module of your own whose forward(x) calls it"
        )
        error.add_note(message)
        raise


def _layers(module: nn.Module, attended: list[Attended], tokens: tuple[str, ...]) -> tuple[Layer, ...]:
    if not attended:
        raise ValueError(
            f"{type(module).__name__} attended to nothing that can be seen, expected one that calls"
            " F.scaled_dot_product_attention, has an nn.MultiheadAttention or computes softmax(q @ k.mT) @ v; if it"
            " does so otherwise, name what makes queries, keys and values: look_into(module, x, q=..., k=..., v=...)"
        )
    layers = []
    for number, each in enumerate(attended):
        layer = Layer(each, "encoder", tokens, tokens, number=number)
        layers.append(Layer(each, "cross", (), tokens, number=number) if reads_others(layer) else layer)
    return tuple(layers)
