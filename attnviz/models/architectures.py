"""Architectures that compute something else than plain attention, and what that is."""

from typing import Any

import torch

from attnviz.core.errors import RefusedError
from attnviz.models.watching import Attended
from attnviz.words import say

# By what transformers calls them: how they read otherwise than by softmax(Q Kᵀ) V.
_OTHERWISE = {
    "deberta": "disentangled", "deberta-v2": "disentangled", "xlnet": "two_streams", "longformer": "local",
    "led": "local", "reformer": "hashed", "mamba": "without", "mamba2": "without", "rwkv": "without", "fnet": "without",
}  # fmt: skip


def check_architecture(model: Any) -> None:
    """Raise ``ValueError`` for a model of an architecture that is known to attend otherwise, or to take no text."""
    name, kind = type(model).__name__, getattr(model.config, "model_type", "")
    if kind in _OTHERWISE:
        _refuse(name, _OTHERWISE[kind])
    if getattr(model, "main_input_name", "input_ids") != "input_ids" or hasattr(model.config, "vision_config"):
        _refuse(name, "no_text")


def check_referee(name: str, attended: list[Attended], result: Any) -> None:
    """Raise ``ValueError`` unless all attention weights that a model hands out are those that were caught."""
    own = result.get("attentions") if hasattr(result, "get") else None
    same = own is not None and len(own) == len(attended) and all(
        seen.weights is not None and each is not None and each.shape[1:] == seen.weights.shape
        and torch.allclose(each[0].float(), seen.weights.float(), rtol=1e-5, atol=1e-7)
        for seen, each in zip(attended, own, strict=False)
    )  # fmt: skip
    if not same:
        _refuse(name, "unknown")


def _refuse(name: str, why: str) -> None:
    message = f"{name} can't be looked into, expected softmax(Q Kᵀ) V of a text: {say(f'models.otherwise.{why}')}"
    raise RefusedError("model_otherwise", detail=message, otherwise=why)
