"""Steps between a layer's input and its queries, keys and values."""

import re
from typing import Any

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.features.language_models.inside.norms import is_normed
from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Projection
from attnviz.words import listed

# Names in transformers of the product that makes a latent vector, and of its norm.
_LATENT = re.compile(r"^kv_a_(proj|layernorm)")


def given_by(module: Any, parts: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return which of Q, K and V are given, by reason."""
    if module is None or not parts:
        return {}
    children = [name for name, each in module.named_children() if type(each).__name__ != "Identity"]
    if any(map(_LATENT.match, children)):
        return {"latent": parts}
    normed = tuple(part for part in parts if is_normed(module, part))
    return {"norm": normed} if normed else {}


def products_of_input(attended: AttentionRecord) -> tuple[Projection, ...]:
    """Return the products of a layer's input, without those of latent vectors."""
    made = attended.projections
    if "latent" not in given_by(attended.module, ("k",)):
        return made
    return tuple(each for each in made if torch.equal(each.x, made[0].x))


def symbols_of(trace: AttentionTrace, names: tuple[str, ...]) -> str:
    """Return matrices' symbols, listed as in a sentence."""
    return listed([trace.stages[name].symbol for name in names])
