"""A moment of a training as a scenario: its layers as the playground has them, to be edited and exported there."""

from typing import Any

import numpy as np
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.errors import RefusedError
from attnviz.core.layers import named
from attnviz.core.scenario import Scenario
from attnviz.core.stages import LAYERS, NORMS
from attnviz.core.tokens import TOKENIZERS, tokenize, visible
from attnviz.training.model import block_of
from attnviz.training.training import Training

Rows = tuple[tuple[float, ...], ...]


def scenario_of(training: Training, trace: AttentionTrace) -> Scenario:
    """Return all layers of a model as a scenario, with the matrices that it has in a trace of one of its moments: it
    makes the same attention weights, and the same vectors behind the last layer. What follows these, the
    probabilities of the next token, a scenario doesn't have.

    In a scenario a context is as wide as X. Where it's narrower here, W_v has columns of zeros behind those of each
    head and W_o the rows that belong to them: they add nothing.

    Raises ``ValueError`` where a scenario has no room for it.

    >>> from attnviz.core.scenario import trace
    >>> from attnviz.training import train
    >>> training = train("repeat", steps=1)
    >>> made = training.trace(1)
    >>> again = trace(scenario_of(training, made))
    >>> again.n_layers, bool((again["layers.1.residual_1"] - made["layers.1.residual_1"]).abs().max() < 1e-5)
    (2, True)
    """
    settings = training.settings
    given: dict[str, Any] = {}
    for layer in range(settings.n_layers):
        given |= {named(layer, own): by for own, by in _of_layer(training, trace, layer).items()}
    learned = settings.positions == "learned"
    text, tokenizer = as_text(trace.tokens)
    matrices: dict[str, Any] = {
        name: numbers(trace[_first(trace, name)]) for name in (("e", "p") if learned else ("x",))
    }
    matrices |= {name: by for name, by in given.items() if "." not in name}
    return Scenario(
        text=text, tokenizer=tokenizer, embedding="stable", d_in=settings.d_model, d_out=settings.d_k,
        d_v=settings.d_model, n_heads=settings.n_heads, output=True, causal=True, norm=block_of(settings),
        d_ff=settings.d_ff, activation=settings.activation, n_layers=settings.n_layers,
        positions=settings.positions,
        deeper={name: by for name, by in given.items() if "." in name},
        **matrices,
    )  # fmt: skip


def _first(trace: AttentionTrace, name: str) -> str:
    return name if name in trace.stages else f"layers.0.{name}"


def _of_layer(training: Training, trace: AttentionTrace, layer: int) -> dict[str, Rows]:
    """Return what is learned of a layer, by the names that it has there."""
    settings, model = training.settings, training.model
    behind = ("w_q", "w_k", *LAYERS, *NORMS)
    names = {own: model.name_of(layer, None, own) for own in behind}
    given = {own: numbers(trace[name]) for own, name in names.items() if name in model.shapes}
    w_v, w_o = (trace[model.name_of(layer, None, own)] for own in ("w_v", "w_o"))
    d, n_heads, d_k = settings.d_model, settings.n_heads, settings.d_k
    if d_k > d or d % n_heads:
        raise RefusedError("block", width=d_k, d_in=d)
    wide_v, wide_o = w_v.new_zeros(d, d), w_o.new_zeros(d, d)
    for head in range(n_heads):
        own = slice(head * d_k // n_heads, (head + 1) * d_k // n_heads)
        place = slice(head * d // n_heads, head * d // n_heads + d_k // n_heads)
        wide_v[:, place], wide_o[place] = w_v[:, own], w_o[own]
    return given | {"w_v": numbers(wide_v), "w_o": numbers(wide_o)}


def numbers(matrix: Tensor) -> Rows:
    """Return the rows of a float32 matrix in as few digits as tell its numbers apart, for they travel in links.

    >>> import torch
    >>> numbers(torch.tensor([0.1, 2.5]))
    ((0.1, 2.5),)
    """
    rows = np.atleast_2d(matrix.detach().numpy().astype(np.float32))
    return tuple(tuple(float(str(value)) for value in row) for row in rows)


def as_text(tokens: tuple[str, ...]) -> tuple[str, str]:
    """Return a text, and the tokenizer that cuts it into these tokens; where none does, into their visible forms."""
    for joined in (" ", ""):
        for tokenizer in reversed(tuple(TOKENIZERS)):
            if tokenize(joined.join(tokens), tokenizer) == tokens:
                return joined.join(tokens), tokenizer
    return " ".join(map(visible, tokens)), "whitespace"
