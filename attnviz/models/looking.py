"""Looking into a model while it computes."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.core.limits import in_short
from attnviz.models.edits import ModelEdit, as_edits
from attnviz.models.included import INCLUDED, included
from attnviz.models.pretrained import check_finite, is_pretrained, look, reads_others
from attnviz.models.trace import Layer, ModelTrace
from attnviz.models.watching import Watch


def look_into(
    model: Any, tokenizer: Any = None, text: str | None = None, *, target: str | None = None,
    tokens: Sequence[str] = (), edits: Iterable[ModelEdit | str] = (),
) -> ModelTrace:  # fmt: skip
    """Look into a model: compute what it makes of a text, and keep the queries, keys, values and attention weights of
    every head, each as a trace like any other.

    A `model` of transformers that is loaded already comes with its `tokenizer`; "all-MiniLM-L6-v2", by its name, is the
    one that comes along, and has its own. The model itself isn't changed, and what it computes isn't either: its plain
    ("eager") attention. `target` is what goes into the decoder of a model that has an encoder, too.

    ``look_into(module, x)`` does the same for any other module: what nn.MultiheadAttention, nn.TransformerEncoderLayer
    or F.scaled_dot_product_attention compute in it for `x`, one sequence ``(n_tokens, d)`` or ``(1, n_tokens, d)``;
    `tokens` are the names of its rows.

    With `edits`, a model of transformers is changed while it computes, and is itself again afterwards: see
    :class:`attnviz.ModelEdit`. All that comes after is torch's, and `original` of the result is the same without them.

    Raises ``ValueError`` for an empty text, one that is too long for the model, a model that yields numbers that aren't
    finite, and one that attends to nothing.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.

    >>> layer = nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> view = look_into(layer, torch.ones(3, 8), tokens=("a", "small", "cat"))
    >>> view.heads[0, 1].attention_weights[0]
    tensor([0.3333, 0.3333, 0.3333])
    """
    changes = as_edits(edits)
    if isinstance(model, str):
        if model != INCLUDED:
            raise ValueError(f"model is {in_short(model)}, expected {INCLUDED!r} or a model that is loaded already")
        own, its_tokenizer = included()
        return look(own, its_tokenizer, text if tokenizer is None else tokenizer, target, INCLUDED, changes)  # type: ignore[arg-type]
    if is_pretrained(model):
        if tokenizer is None:
            raise ValueError("tokenizer is None, expected the model's own")
        name = getattr(model, "name_or_path", "") or type(model).__name__
        return look(model, tokenizer, text, target, name, changes)  # type: ignore[arg-type]
    if not isinstance(model, nn.Module):
        raise ValueError(f"model is {in_short(model)}, expected a model of transformers or a module of torch")
    if changes:
        raise ValueError(f"edits are {in_short(changes)}, expected none: they're for models of transformers")
    return _look_into_module(model, tokenizer, tuple(tokens))


def _look_into_module(module: nn.Module, x: object, tokens: tuple[str, ...]) -> ModelTrace:
    if not isinstance(x, Tensor) or x.dim() not in (2, 3) or (x.dim() == 3 and len(x) != 1) or 0 in x.shape:
        shape = tuple(x.shape) if isinstance(x, Tensor) else in_short(x)
        raise ValueError(f"x is {shape}, expected one sequence as a tensor (n_tokens, d) or (1, n_tokens, d)")
    if tokens and len(tokens) != x.shape[-2]:
        raise ValueError(f"tokens are {len(tokens)}, expected {x.shape[-2]}, one for each row of x")
    watch = Watch()
    with torch.no_grad(), watch:
        result = module(x, x, x) if isinstance(module, nn.MultiheadAttention) else module(x)
    if not watch.attended:
        raise ValueError(
            f"{type(module).__name__} attended to nothing that can be seen, expected one that calls"
            " F.scaled_dot_product_attention or has an nn.MultiheadAttention"
        )
    layers = []
    for each in watch.attended:
        layer = Layer(each, "encoder", tokens, tokens)
        layers.append(Layer(each, "cross", (), tokens) if reads_others(layer) else layer)
    check_finite(tuple(layers))
    return ModelTrace(type(module).__name__, "", tokens, tuple(layers), result=result)
