"""A hybrid's layers in order, and the work of those without heads."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import nn

from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.words import listed, say

# How a layer mixes tokens -> names of classes in transformers that do so.
_MIXERS = {
    "linear": re.compile("DeltaNet|DeltaAttention|LinearAttention|LightningAttention|Retention"),
    "state_space": re.compile("Mamba|SSM|BambaMixer|FalconH1Mixer"),
    "convolution": re.compile("ShortConv"),
    "recurrent": re.compile("Recurrent(?!Gemma)|RecurrentBlock|Rglru|RWKV"),
}
_OF_ONE_TOKEN = re.compile(
    "(?i)mlp|moe|expert|router|norm|feedforward|activation|relu|silu|gelu|linear$|dropout|identity|list$"
)


def in_layers(model: nn.Module, layers: Sequence[Layer]) -> tuple[Layer | OtherLayer, ...]:
    """Return a model's layers by its own numbers, with or without attention.

    If a block has several attentions, each attention counts as a layer, in the order in which they are computed.
    """
    found = _blocks_of(model, [layer.attended for layer in layers])
    if found is None:
        return tuple(layers)
    blocks, places = found
    by_place = dict(zip(places, layers, strict=True))
    first, made = layers[0], list[Layer | OtherLayer]()
    for number, block in enumerate(blocks):
        does, parts = _mixer_of(block)
        if number in by_place:
            beside = does if does in _MIXERS else ""
            made.append(replace(by_place[number], number=number, beside=beside))
        else:
            n_keys = first.attended.key.shape[-2]
            made.append(OtherLayer(number, does, parts, first.kind, first.tokens, first.read, n_keys))
    return tuple(made)


def others_in_words(layers: Sequence[Any]) -> list[str]:
    """Say which layers have no attention weights, and what they do."""
    told: dict[str, list[str]] = {}
    for layer in layers:
        if isinstance(layer, OtherLayer):
            told.setdefault(str(layer), []).append(str(layer.number))
    beside = dict[str, list[str]]()
    for layer in layers:
        if isinstance(layer, Layer) and layer.beside:
            beside.setdefault(layer.beside, []).append(str(layer.number))
    return [
        *(_told("without", numbers, does) for does, numbers in told.items()),
        *(_told("beside", numbers, say(f"models.others.{does}")) for does, numbers in beside.items()),
    ]


def _told(which: str, numbers: list[str], does: str) -> str:
    many = "one" if len(numbers) == 1 else "many"
    return say(f"models.others.{which}_{many}", layers=listed(numbers), does=does)


def _blocks_of(model: nn.Module, attended: Sequence[AttentionRecord]) -> tuple[list[nn.Module], list[int]] | None:
    """Return a model's blocks, and the index of each attention's block."""
    for module in model.modules():
        if not isinstance(module, nn.ModuleList) or len(module) < len(attended):
            continue
        blocks, places, after = list(module), list[int](), 0
        for each in attended:
            # Blocks may share one attention module, as in Zamba: each time, it counts for the next block that has it.
            place = next((at for at in range(after, len(blocks)) if _is_in(each, blocks[at])), None)
            if place is None:
                break
            places.append(place)
            after = place + 1
        else:
            return blocks, places
    return None


def _is_in(attended: AttentionRecord, block: nn.Module) -> bool:
    if attended.module is not None:
        return any(each is attended.module for each in block.modules())
    own = {each.data_ptr() for each in block.parameters()}
    return any(each.pointer in own for each in attended.projections)


def _mixer_of(block: nn.Module) -> tuple[str, tuple[str, ...]]:
    """Return how a block mixes tokens, by the classes of its modules."""
    inside = [type(module).__name__ for module in block.modules() if module is not block]
    parts = tuple(dict.fromkeys(type(each).__name__ for each in block.children())) or (type(block).__name__,)
    for does, pattern in _MIXERS.items():
        if any(map(pattern.search, inside)):
            return does, parts
    if inside and all(map(_OF_ONE_TOKEN.search, inside)):
        return "feed_forward", parts
    return "unknown", parts
