"""Models of transformers, whose attention goes through a function of ours.

transformers is imported only here, when it's first used, because that takes seconds.
"""

import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from itertools import chain
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.core.limits import RefusedError, in_short
from attnviz.features.language_models.inside.eager import (
    EAGER,
    WATCHED,
    check_eager,
    is_watched,
    name_attention,
    remember_lengths,
)
from attnviz.features.language_models.inside.eager_attention import (
    EagerRecorder,
    check_architecture,
    check_encoder,
    check_kinds,
    check_referee,
    learned_in,
)
from attnviz.features.language_models.inside.editing import all_changed, editing_of, notices_of
from attnviz.features.language_models.inside.edits import Editing, ModelEdit
from attnviz.features.language_models.inside.hybrids import in_layers
from attnviz.features.language_models.inside.layers.differential import with_pairs_joined
from attnviz.features.language_models.inside.layers.layer import Kind, Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from attnviz.features.language_models.inside.pieces import (
    Cut,
    Read,
    check_length,
    check_sentence,
    check_vocabulary,
    cut_of,
    joined,
    marks_of_cut,
    pieces,
)
from attnviz.features.language_models.inside.projections import turns_in
from attnviz.features.language_models.inside.recording import Watch, twin_of, watching
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.features.language_models.inside.trace import ModelTrace


def is_pretrained(model: object) -> bool:
    """Whether a module is a transformers model that can use our attention."""
    return isinstance(model, nn.Module) and hasattr(model, "set_attn_implementation")


@cache
def transformers() -> ModuleType:
    """Return the package, with our attention function registered in it.

    Raises ``ValueError`` if it isn't installed.
    """
    try:
        import transformers as package
        from transformers.masking_utils import AttentionMaskInterface, eager_mask
    except ImportError as error:
        raise ValueError(f"{error}, expected transformers: pip install 'attnviz[models]'") from None
    package.AttentionInterface.register(WATCHED, _attention)
    AttentionMaskInterface.register(WATCHED, eager_mask)
    return package


def _attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **settings: Any
) -> tuple[Tensor, Tensor | None]:
    """Compute a module's plain attention and show it to this thread's watch."""
    watch = watching()
    bias = settings.get("position_bias")  # T5 and similar models add it to scores before the mask
    if watch is not None and watch.editing is not None:
        number, editing = len(watch.attended), watch.editing
        query, key, value = (
            editing.part(number, name, each) for name, each in zip("qkv", (query, key, value), strict=True)
        )
        attention_mask = editing.mask(number, attention_mask, bias, query, key)
    output, weights = _eager_of(module)(module, query, key, value, attention_mask, **settings)
    if watch is not None:
        if watch.editing is not None:
            output, weights = watch.editing.result(len(watch.attended), output, weights, value, attention_mask)
        scaling, added = settings.get("scaling"), attention_mask
        if bias is not None:
            added = bias if added is None else bias + added
        scaling = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
        watch.attend(
            query, key, value, added, scaling, weights, output.transpose(1, 2), module, bias=bias,
            cap=settings.get("softcap"), sinks=settings.get("s_aux"),
        )  # fmt: skip
    return output, weights


def _eager_of(module: nn.Module) -> Callable[..., tuple[Tensor, Tensor | None]]:
    for kind in type(module).__mro__:
        eager = getattr(sys.modules[kind.__module__], "eager_attention_forward", None)
        if eager is not None:
            return eager
    raise ValueError(f"{type(module).__name__} has no plain attention, expected a model with eager_attention_forward")


def watched(model: Any) -> Any:
    """Return a model that can be watched: a twin that shares weights."""
    transformers()
    ours = goes_through_ours(model)
    if (is_watched(model) if ours else model.config._attn_implementation == EAGER) and not model.training:
        return model
    return made_watched(twin_of(model).eval())


def made_watched(model: Any) -> Any:
    """Let a model be watched; nobody else may use it yet."""
    transformers()
    if goes_through_ours(model):
        name_attention(model, WATCHED)
    else:
        model.config._attn_implementation = EAGER
    remember_lengths(model)
    return model


def goes_through_ours(model: Any) -> bool:
    """Whether a model can call our attention; others write it out."""
    return bool(type(model)._can_set_attn_implementation())


def look(
    model: Any, tokenizer: Any, text: Read, target: str | None, name: str, edits: tuple[ModelEdit, ...] = (),
    plain: ModelTrace | None = None, cut: Cut | None = None,
) -> ModelTrace:  # fmt: skip
    """Return what a model of transformers computes: see :func:`attnviz.look_into`.

    `plain` is its trace without the edits, and `cut` the tokenizer's result, if these are known already.
    """
    check_architecture(model)
    twin, ours = watched(model), goes_through_ours(model)
    cut = cut_of(tokenizer, text) if cut is None else cut
    check_length(twin, tokenizer, len(cut["input_ids"]))
    check_vocabulary(twin, cut["input_ids"])
    known = inspect.signature(twin.forward).parameters
    taken = [key for key in ("input_ids", "attention_mask", "token_type_ids") if key in cut and key in known]
    inputs: dict[str, Tensor] = {key: torch.tensor([cut[key]], device=twin.device) for key in taken}
    tokens = pieces(tokenizer, cut["input_ids"])
    of_decoder: tuple[str, ...] = ()
    if twin.config.is_encoder_decoder:
        ids = _decoder_ids(twin, tokenizer, target)
        check_length(twin, tokenizer, len(ids))
        inputs["decoder_input_ids"] = torch.tensor([ids], device=twin.device)
        of_decoder = pieces(tokenizer, ids)
    elif target is not None:
        raise ValueError(f"target is {in_short(target)}, expected none: the model has no decoder beside an encoder")
    view, second = plain if edits else None, text[1] if isinstance(text, tuple) else ""
    # The unchanged run shows where changes belong.
    for editing in [False] * (view is None) + [True] * bool(edits):
        laid_here = editing_of(edits, view.layers) if view is not None and editing else None
        attended, result = called(twin, inputs, laid_here)
        if not editing:
            check_eager(twin, inputs, result)
            if not ours:
                check_referee(type(model).__name__, attended, result)
        layers = layers_of(twin, attended, tokens, of_decoder)
        if view is not None:
            layers = all_changed(edits, layers, view.layers)
        check_finite(layers, result)
        laid = edits if editing else ()
        told = notices_of(laid, layers)
        view = ModelTrace(
            name, joined(text), tokens, layers, *marks_of_cut(cut), result, tokenizer, laid, view, told, model=twin,
            cut=cut, second=second,
        )  # fmt: skip
        if second and "decoder" in view.kinds and not of_decoder:
            raise RefusedError("model_no_pair")
    assert view is not None
    return view


def called(twin: Any, inputs: Mapping[str, Any], editing: Editing | None = None) -> tuple[list[AttentionRecord], Any]:
    """Return the attentions that a model computes, and its result."""
    ours = goes_through_ours(twin)
    watch = Watch(editing) if ours else EagerRecorder(editing, twin.parameters())
    with torch.no_grad(), watch:
        result = twin(**inputs, **({} if ours else {"output_attentions": True}))
    return with_pairs_joined(watch.attended), result


def _decoder_ids(model: Any, tokenizer: Any, target: str | None) -> list[int]:
    """Return a decoder's input ids: its start, then the target's tokens."""
    config = model.config
    start = getattr(config, "decoder_start_token_id", None)
    start = getattr(config, "bos_token_id", None) if start is None else start
    if target is not None:
        check_sentence("target", target)
    more = [] if target is None else list(tokenizer(target, add_special_tokens=False, verbose=False)["input_ids"])
    ids = [*([] if start is None else [start]), *more]
    if not ids:
        raise ValueError(f"target is {in_short(target)}, expected what the decoder begins with")
    return ids


class Changing(Watch):
    """A watch that applies changes to several texts and keeps nothing."""

    def attend(self, *_: Any, **__: Any) -> None:
        """Count an attention, because changes are found by its number."""
        self.attended.append(None)  # type: ignore[arg-type]


def scores_of(twin: Any, ids: Tensor, editing: Editing | None = None, **more: Any) -> Tensor:
    """Return a changed model's next-token scores ``(texts, tokens, vocabulary)``.

    Raises ``ValueError`` for several texts if a changed model writes its attention out.
    """
    if editing is None or goes_through_ours(twin):
        with torch.no_grad(), nullcontext() if editing is None else Changing(editing):
            scores: Tensor = twin(input_ids=ids, **more).logits
        return scores
    attended: Tensor = called(twin, {"input_ids": ids, **more}, editing)[1].logits
    return attended


def layers_of(
    model: Any, attended: list[AttentionRecord], tokens: tuple[str, ...], of_decoder: tuple[str, ...]
) -> tuple[Layer | OtherLayer, ...]:
    """Return a model's layers in computed order, or raise ``ValueError`` without any."""
    if not attended:
        message = f"{type(model).__name__} attended to nothing, expected attention of tokens to tokens"
        raise RefusedError("model_otherwise", detail=message, otherwise="unseen")
    if not of_decoder:
        check_kinds(type(model).__name__, attended, len(tokens))
    turns = turns_in(chain(model.buffers(), model.parameters()))
    attended = learned_in(attended, model.parameters())
    encoding = {id(module) for module in model.get_encoder().modules()} if of_decoder else set()
    layers = []
    for number, each in enumerate(attended):
        at = sum(before.calls for before in attended[:number])
        layer = Layer(each, _kind_of(each), tokens, tokens, turns, number=number, attention=at)
        if of_decoder:
            kind: Kind = "encoder" if id(each.module) in encoding else "cross" if reads_others(layer) else "decoder"
            queries, keys = (of_decoder if kind != "encoder" else tokens, of_decoder if kind == "decoder" else tokens)
            layer = Layer(each, kind, queries, keys, turns, number=number, attention=at)
        layers.append(layer)
    if not of_decoder:
        return in_layers(model, layers)
    check_encoder(type(model).__name__, {layer.kind for layer in layers})
    return tuple(layers)


def _kind_of(attended: AttentionRecord) -> Kind:
    """Return "decoder" where the mask hides later tokens, otherwise "encoder"."""
    added = attended.added
    n = attended.query.shape[-2]
    if n == 1:
        return "decoder" if getattr(attended.module, "is_causal", False) else "encoder"
    if added is None:
        return "encoder"
    return "decoder" if bool((added.triu(1) == -torch.inf).flatten(1).sum(-1).min() == n * (n - 1) // 2) else "encoder"


def reads_others(layer: Layer) -> bool:
    """Whether keys are made from other vectors than queries."""
    attended = layer.attended
    if attended.query.shape[-2] != attended.key.shape[-2]:
        return True
    q, k = layer.projected["q"](0), layer.projected["k"](0)
    return q is not None and k is not None and not torch.equal(q.x, k.x)


def check_finite(all_layers: Sequence[Layer | OtherLayer], result: object) -> None:
    """Raise ``ValueError`` if anything that a model computes isn't finite."""
    layers = [each for each in all_layers if isinstance(each, Layer)]
    for layer in layers:
        i = layer.number
        if not bool(torch.isfinite(layer.weights).all()):
            added = layer.attended.added
            if added is not None and bool((hidden := (added == -math.inf).all(-1)).any()):
                row = int(hidden.any(0).nonzero()[0])
                message = f"the mask of layer {i} hides all tokens from row {row}, expected one to read"
                raise RefusedError("model_nothing_to_read", detail=message, layer=i, row=row)
            message = (
                f"the attention weights of layer {i} aren't all finite numbers, expected a model that yields numbers:"
                " its weights may be damaged, or too large for its precision"
            )
            raise RefusedError("model_not_finite", detail=message, layer=i)
    parts = (each for layer in layers for each in layer.attended.computed() if each is not layer.attended.added)
    if not all(bool(torch.isfinite(each).all()) for each in parts) or not _is_finite(result):
        message = (
            "what the model computes isn't all finite numbers, expected a model that yields numbers: its weights may be"
            " damaged, or too large for its precision"
        )
        raise RefusedError("model_answer_not_finite", detail=message)


def _is_finite(result: object, name: str = "") -> bool:
    """Whether all of a model's result is finite; logits may be -inf."""
    if isinstance(result, Tensor):
        return bool((result < math.inf if name == "logits" else torch.isfinite(result)).all())
    if isinstance(result, Mapping):
        return all(_is_finite(each, key) for key, each in result.items())
    return all(map(_is_finite, result)) if isinstance(result, tuple | list) else True
