"""Attention weights without a model, shown like a model's."""

from collections.abc import Sequence
from typing import Any

import torch

from attnviz.core.arguments import typed
from attnviz.core.limits import check_type
from attnviz.features.arrays.files import WeightsFile
from attnviz.features.arrays.layers_of import layers_of
from attnviz.features.language_models.inside import Layer, ModelTrace
from attnviz.features.language_models.inside.layers.layer import Kind
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.words import say


@typed
def show_attention(
    weights: Any, tokens: Sequence[str], read_tokens: Sequence[str] | None = None, *, name: str | None = None
) -> ModelTrace:
    """Return a view of attention weights that are at hand as numbers.

    `weights` are ``(n_queries, n_keys)``, ``(n_heads, n_queries, n_keys)`` or ``(n_layers, n_heads, n_queries,
    n_keys)``: nested lists, or an array of NumPy, PyTorch, JAX or any library whose arrays have ``__array__``. A
    sequence or mapping of one array a layer works, too, such as the ``attentions`` of transformers or an
    ``ActivationCache`` of TransformerLens, each with or without a batch of one text. `tokens` name the rows and, unless
    `read_tokens` do, the columns.

    The view is like that of :func:`attnviz.look_into`: ``heads[layer, head].attention_weights`` are the numbers as they
    were given, ``figure()`` draws them, and :func:`attnviz.documents.model_page` makes a page of them that needs no
    network. Rows that don't sum to 1 are kept, and ``heads[layer, head].notices`` says so.

    Raises ``ValueError`` for another shape, several texts at once, or a number of tokens that doesn't fit.

    >>> view = show_attention([[1.0, 0.0], [0.25, 0.75]], ["The", "cat"])
    >>> view
    ModelTrace('Your array', n_tokens=2, n_layers=1, n_heads=1, kinds=('decoder',))
    >>> view.heads[0, 0].attention_weights
    tensor([[1.0000, 0.0000],
            [0.2500, 0.7500]])
    >>> show_attention([[0.5, 0.4]], ["it"], read_tokens=["the", "cat"]).heads[0, 0].notices
    ("Rows that don't sum to 1: 1 of 1, with sums from 0.900 to 0.900. All numbers stand as they were given.",)
    """
    layers = layers_of(weights)
    rows, columns = layers[0].shape[1:]
    queries = _checked("tokens", tokens, rows, "rows")
    if read_tokens is None and columns != rows:
        raise ValueError(f"weights has {rows} rows and {columns} columns, expected as many, or read_tokens=...")
    keys = queries if read_tokens is None else _checked("read_tokens", read_tokens, columns, "columns")
    reads_later = any(bool(layer.triu(1).any()) for layer in layers)
    kind: Kind = "cross" if read_tokens is not None else "encoder" if reads_later or rows == 1 else "decoder"
    hidden = torch.full((1, rows, columns), -torch.inf).triu(1) if kind == "decoder" else None
    shown = tuple(
        Layer(_record_of(layer, hidden), kind, queries, keys, number=number, attention=number)
        for number, layer in enumerate(layers)
    )
    return ModelTrace(say("arrays.name") if name is None else name, " ".join(queries), queries, shown)


def show_file(
    read: WeightsFile, name: str, tokens: Sequence[str] | None = None, read_tokens: Sequence[str] | None = None
) -> ModelTrace:
    """Return the view of a file.

    Tokens that are given replace the file's. Without any, rows and columns are called by their numbers. Raises as
    :func:`show_attention` does.
    """
    layers = layers_of(read.weights)
    rows, columns = layers[0].shape[1:]
    keys = read.read_tokens if read_tokens is None else read_tokens
    queries = read.tokens if tokens is None else tokens
    if keys is None and columns != rows:
        keys = tuple(map(str, range(columns)))
    return show_attention(layers, tuple(map(str, range(rows))) if queries is None else queries, keys, name=name)


def _checked(name: str, tokens: Sequence[str], n: int, of: str) -> tuple[str, ...]:
    """Return the tokens; ``ValueError`` if there aren't `n`."""
    if isinstance(tokens, str):
        check_type(name, tokens, tuple, "a list of tokens")
    if len(tokens) != n:
        raise ValueError(f"{name} has {len(tokens)} tokens, expected {n}, as many as weights has {of}")
    return tuple(tokens)


def _record_of(weights: torch.Tensor, hidden: torch.Tensor | None) -> AttentionRecord:
    """Return what is known of a layer: its weights alone."""
    n_heads, rows, columns = weights.shape
    return AttentionRecord(
        query=weights.new_zeros(n_heads, rows, 0),
        key=weights.new_zeros(n_heads, columns, 0),
        value=weights.new_zeros(n_heads, columns, 0),
        added=hidden,
        scaling=1.0,
        weights=weights,
        context=None,
        projections=(),
    )
