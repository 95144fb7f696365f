"""Looking into models of transformers, or torch modules, while they compute."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.core.arguments import typed
from attnviz.core.limits import in_short
from attnviz.features.language_models.inside.available_models import ALONG, short_name
from attnviz.features.language_models.inside.eager_attention import EagerRecorder, learned_in
from attnviz.features.language_models.inside.editing import all_changed, editing_of, notices_of
from attnviz.features.language_models.inside.edits import ModelEdit, as_edits
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from attnviz.features.language_models.inside.loading import load
from attnviz.features.language_models.inside.pieces import Read
from attnviz.features.language_models.inside.pretrained import check_finite, is_pretrained, look, reads_others
from attnviz.features.language_models.inside.projections import Named, attended_as_named, named_of
from attnviz.features.language_models.inside.recording import twin_of
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.features.language_models.inside.trace import ModelTrace


@typed
def look_into(
    model: Any, tokenizer: Any = None, text: Read | None = None, *, target: str | None = None,
    tokens: Sequence[str] = (), edits: Iterable[ModelEdit | str] = (), q: str | None = None, k: str | None = None,
    v: str | None = None, scale: float | None = None, mask: Tensor | None = None,
) -> ModelTrace:  # fmt: skip
    """Return what a model computes for a text, a trace per head.

    Pass a loaded `model` of transformers with its `tokenizer`, or the name of an included model, "stories" or
    "all-MiniLM-L6-v2", which has its own. Neither the model nor its results are changed: it computes its plain
    ("eager") attention. Models that write attention out, such as Falcon, Bloom, MPT, GPT-J, GPT-Neo, RoFormer and
    MPNet, are checked against their own ``output_attentions``. Models that attend in another way, such as DeBERTa,
    XLNet and Longformer, are refused, and the error says how they attend. A `text` may be a pair, ``(text, second)``,
    for models that compare two texts: the tokenizer puts a separator between them and gives its own segment ids.
    `target` is the decoder's text, in a model with an encoder and a decoder.

    ``look_into(module, x)`` does the same for any other module. It shows what nn.MultiheadAttention,
    nn.TransformerEncoderLayer, F.scaled_dot_product_attention or a written out ``softmax(q @ k.mT) @ v`` compute in it
    for `x`, one sequence ``(n_tokens, d)`` or ``(1, n_tokens, d)``; `tokens` are the names of its rows. It computes as
    after ``.eval()``, without dropout; a module in training stays in training.

    If a module writes its attention in another way, `q`, `k` and `v` name the submodules or parameters that make its
    queries, keys and values, or one for all three. The formula, applied to these, has to give what the module computes;
    so the number of heads is found. `scale` multiplies scores; without it, 1/√d_k and 1 are tried. `mask` has bools, or
    numbers that are added; without it, no mask and a causal one are tried.

    With `edits`, the model is changed while it computes, and is itself again afterwards: see
    :class:`attnviz.ModelEdit`. Torch computes everything after a change. `original` of the result is the trace without
    them.

    Raises ``ValueError`` for an empty text or one that is too long for the model; for a model that gives numbers that
    aren't finite, attends to nothing, or attends in another way; and for named parts that don't give what the module
    computes.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.

    >>> import torch
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> view = look_into(layer, torch.ones(3, 8), tokens=("a", "small", "cat"))
    >>> view.heads[0, 1].attention_weights[0]
    tensor([0.3333, 0.3333, 0.3333])
    >>> off = look_into(layer, torch.ones(3, 8), edits=["0.1.off"])
    >>> bool(off.heads[0, 1].context.any()), off.original.heads[0, 1].context.shape
    (False, torch.Size([3, 4]))
    >>> class Own(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.ask, self.offer, self.give = (torch.nn.Linear(8, 4, bias=False) for _ in range(3))
    ...     def forward(self, x):
    ...         powers = torch.einsum("qd,kd->qk", self.ask(x), self.offer(x)).exp()
    ...         return powers / powers.sum(-1, keepdim=True) @ self.give(x)
    >>> look_into(Own(), torch.ones(3, 8), q="ask", k="offer", v="give").heads[0, 0].attention_weights[0]
    tensor([0.3333, 0.3333, 0.3333])
    """
    changes, named = as_edits(edits), named_of(q, k, v, scale, mask)
    if named is not None and (isinstance(model, str) or is_pretrained(model)):
        raise ValueError("q, k, v, scale or mask is given, expected them with a module of torch alone")
    if isinstance(model, str):
        return _look_into_one_along(model, tokenizer, text, target, changes)
    if is_pretrained(model):
        return _look_into_loaded(model, tokenizer, text, target, changes)
    if not isinstance(model, nn.Module):
        raise ValueError(f"model is {in_short(model)}, expected a model of transformers or a module of torch")
    if text is not None or target is not None:
        raise ValueError("text or target is given with a module of torch, expected x alone: look_into(module, x)")
    return _look_into_module(model, tokenizer, tuple(tokens), changes, named)


def _look_into_one_along(
    name: str, tokenizer: Any, text: Read | None, target: str | None, changes: tuple[ModelEdit, ...]
) -> ModelTrace:
    """Return what an included model computes for a text."""
    if name not in ALONG:
        along = " or ".join(map(repr, ALONG))
        raise ValueError(f"model is {in_short(name)}, expected {along} or a model that is loaded already")
    model, own_tokenizer = load(name)
    return look(model, own_tokenizer, text if tokenizer is None else tokenizer, target, name, changes)  # type: ignore[arg-type]


def _look_into_loaded(
    model: Any, tokenizer: Any, text: Read | None, target: str | None, changes: tuple[ModelEdit, ...]
) -> ModelTrace:
    """Return what a model of transformers computes with its tokenizer."""
    if not callable(tokenizer):
        raise ValueError(f"tokenizer is {in_short(tokenizer)}, expected the model's own")
    name = short_name(getattr(model, "name_or_path", "")) or type(model).__name__
    return look(model, tokenizer, text, target, name, changes)  # type: ignore[arg-type]


def _look_into_module(
    module: nn.Module, x: object, tokens: tuple[str, ...], edits: tuple[ModelEdit, ...] = (), named: Named | None = None
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
    for editing in (False, True) if edits else (False,):  # the unchanged run shows where changes belong
        watch = EagerRecorder(
            editing_of(edits, view.layers) if view is not None and editing else None, own.parameters()
        )
        with torch.no_grad(), watch:
            result = _called(own, x)
            attended = watch.attended if named is None else [_named_one(named, own, watch, result, edits)]
        layers = _layers(module, learned_in(attended, own.parameters()), tokens)
        if view is not None:
            layers = all_changed(edits, layers, view.layers)
        check_finite(layers, result)
        laid = edits if editing else ()
        view = ModelTrace(type(module).__name__, "", tokens, layers, result=result, edits=laid, original=view,
                          notes=notices_of(laid, layers))  # fmt: skip
    assert view is not None
    return view


def _named_one(
    named: Named, module: nn.Module, watch: EagerRecorder, result: object, edits: tuple[ModelEdit, ...]
) -> AttentionRecord:
    found = attended_as_named(named, module, watch.attended, watch.products, result)
    if edits and not (len(watch.attended) == 1 and found is watch.attended[0]):
        raise ValueError(
            f"{type(module).__name__} can't be changed where its attention is found by names, expected one that is"
            " found without them: no edits, or no q, k and v"
        )
    return found


def _as_evaluated(module: nn.Module) -> nn.Module:
    """Return a module without dropout: a twin if it's in training."""
    if not any(each.training for each in module.modules()):
        return module
    try:
        twin: nn.Module = twin_of(module).eval()
        return twin
    except (RuntimeError, TypeError) as error:
        raise ValueError(
            f"{type(module).__name__} is in training and can't be copied ({error}), expected one after .eval()"
        ) from error


def _called(module: nn.Module, x: Tensor) -> object:
    try:
        return module(x, x, x) if isinstance(module, nn.MultiheadAttention) else module(x)
    except (RuntimeError, TypeError, IndexError) as error:  # the module's own error says best what is wrong
        message = (
            f"look_into calls {type(module).__name__} with x alone, {tuple(x.shape)} of {x.dtype}: if it takes more, as"
            " a mask, look into a module of your own whose forward(x) calls it"
        )
        error.add_note(message)
        raise


def _layers(
    module: nn.Module, attended: list[AttentionRecord], tokens: tuple[str, ...]
) -> tuple[Layer | OtherLayer, ...]:
    if not attended:
        raise ValueError(
            f"{type(module).__name__} attended to nothing that can be seen, expected one that calls"
            " F.scaled_dot_product_attention, has an nn.MultiheadAttention or computes softmax(q @ k.mT) @ v; if it"
            " does so otherwise, name what makes queries, keys and values: look_into(module, x, q=..., k=..., v=...)"
        )
    layers = []
    for number, each in enumerate(attended):
        layer = Layer(each, "encoder", tokens, tokens, number=number, attention=number)
        layers.append(
            Layer(each, "cross", (), tokens, number=number, attention=number) if reads_others(layer) else layer
        )
    return tuple(layers)
