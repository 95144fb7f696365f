"""The model that is trained, as a table of stages with gradients."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from attnviz.core.layers import in_layer, stacked
from attnviz.core.masks import CAUSAL, MASKS, Masked
from attnviz.core.rules import Ids, Lookup, Product, Softmax, Surprise
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.core.stages import MASK, Stage, Table, Texts, layer_table
from attnviz.features.learn.training.settings import TrainingSettings

EMBEDDINGS = ("w_e", "w_p")
_ONES = ("gamma_1", "gamma_2")  # gains, which start at 1; biases and offsets start at 0


@lru_cache(maxsize=64)
def model_table(settings: TrainingSettings, vocabulary: tuple[str, ...]) -> Table:
    """Return a model's stages, from token table to next-token probabilities.

    The rows of the token table that are looked up depend on the text: see :func:`of_text`.

    >>> list(model_table(TrainingSettings(), ("a", "b")))[:4], list(model_table(TrainingSettings(), ("a", "b")))[-2:]
    (['w_e', 'w_p', 'e', 'p'], ['logits', 'probabilities'])
    """
    learned = settings.position.adds
    stages: dict[str, Stage] = {"w_e": _stage("w_e", "W_e", "entry", "feature", "projections", entries=vocabulary)}
    if learned:
        stages["w_p"] = _stage("w_p", "W_p", "feature", "feature", "projections")
    layer = layer_of(settings)
    stages |= stacked(layer, settings.n_layers)
    looked_up = (("e", "w_e"), ("p", "w_p")) if learned else (("x", "w_e"),)
    for own, table in looked_up:
        name = in_layer(0, own) if settings.n_layers > 1 else own
        stages[name] = replace(stages[name], rule=Lookup(), sources=(table,))
    last = list(stages)[-1]
    if not settings.tied:
        stages["w_u"] = _stage("w_u", "W_u", "feature", "entry", "projections", entries=vocabulary)
    if settings.bias:
        stages["b_u"] = _stage("b_u", "b_u", "feature", "entry", "projections", is_vector=True, entries=vocabulary)
    sources = (last, "w_e" if settings.tied else "w_u", *(("b_u",) if settings.bias else ()))
    stages["logits"] = _stage(
        "logits", "Y", "query", "entry", "scores", Product(transposed=settings.tied), sources, entries=vocabulary
    )
    stages["probabilities"] = _stage(
        "probabilities", "P", "query", "entry", "attention", Softmax(), ("logits",), entries=vocabulary
    )
    return MappingProxyType(stages)


def layer_of(settings: TrainingSettings) -> Table:
    """Return the stages of one layer."""
    return layer_table(
        settings.d_k, biases=(), mask=Masked(MASKS[CAUSAL]), n_heads=settings.n_heads, n_kv_heads=settings.n_heads,
        positions=settings.positions, d_v=settings.d_k, output=True,
        b_o=False,
        norm=block_of(settings), activation=settings.activation if settings.d_ff else None,
    )  # fmt: skip


def block_of(settings: TrainingSettings) -> str:
    """Return a scenario's `norm` for these settings; residual sums always remain."""
    return "sums" if settings.norm == "none" else settings.norm


def _stage(name: str, symbol: str, *what: Any, **more: Any) -> Stage:
    return Stage(name, symbol, Texts.of(f"stages.{name}"), *what, **more)


def of_text(table: Table, ids: Ids, length: int, targets: Ids = ()) -> Table:
    """Return the stages for one text or a batch, by token ids.

    With `targets`, the last stages are the model's surprise at each of them, and its mean over the places that count.
    """
    stages = dict(table)
    for name, stage in table.items():
        if stage.kind == Lookup.name:
            of_places = stage.sources == ("w_p",)
            stages[name] = replace(stage, rule=Lookup(tuple(range(length)) if of_places else ids))
    if targets:
        stages |= _judged()
        stages["losses"] = replace(stages["losses"], rule=Surprise(targets))
    return MappingProxyType(stages)


@cache
def _judged() -> Table:
    losses = _stage("losses", "L", "query", "feature", "scores", Surprise(), ("logits",))
    counted = _stage("counted", "c", "feature", "feature", "attention")
    loss = _stage("loss", "J", "feature", "feature", "scores", Product(), ("counted", "losses"))
    return MappingProxyType({stage.name: stage for stage in (losses, counted, loss)})


def mask_of(table: Table, length: int) -> dict[str, Tensor]:
    """Return the causal masks of `length` tokens by their names."""
    return {name: MASKS[CAUSAL].drawn(length, length) for name in table if _is_mask(name)}


def _is_mask(name: str) -> bool:
    return name.rpartition(".")[2] == MASK


def shapes_in(settings: TrainingSettings, n_entries: int, n_places: int, table: Table) -> dict[str, tuple[int, ...]]:
    """Return the shape of each learned matrix, in the table's order."""
    d, d_k, d_ff = settings.d_model, settings.d_k, settings.d_ff or 0
    sizes: Mapping[str, tuple[int, ...]] = {
        "w_e": (n_entries, d), "w_p": (n_places, d), "w_q": (d, d_k), "w_k": (d, d_k), "w_v": (d, d_k),
        "w_o": (d_k, d), "gamma_1": (d,), "beta_1": (d,), "gamma_2": (d,), "beta_2": (d,),
        "w_1": (d, d_ff), "b_1": (d_ff,), "w_2": (d_ff, d), "b_2": (d,), "w_u": (d, n_entries), "b_u": (n_entries,),
    }  # fmt: skip
    return {
        name: sizes[name.rpartition(".")[2]]
        for name, stage in table.items()
        if stage.rule is None and not _is_mask(name)
    }


def drawn_parameters(settings: TrainingSettings, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Return the initial parameters, drawn from the seed.

    Tables are drawn by torch.randn, and multiplied by :func:`spread`. Projections are drawn as nn.Linear does. Gains
    are 1, biases and offsets 0.
    """
    generator = generator_for(settings.seed)
    parameters: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        own = name.rpartition(".")[2]
        if len(shape) == 1:
            made = torch.full(shape, float(own in _ONES), **FLOAT32_ON_CPU)
        elif own in EMBEDDINGS:
            made = torch.randn(shape, generator=generator, **FLOAT32_ON_CPU) * spread(settings)
        else:
            bound = 1 / math.sqrt(shape[0])
            made = torch.empty(shape, **FLOAT32_ON_CPU).uniform_(-bound, bound, generator=generator)
        parameters[name] = _alike(made, own, settings) if settings.heads_alike else made
    return parameters


def spread(settings: TrainingSettings) -> float:
    """Return the initial spread of token vectors, smaller with a tied unembedding."""
    return settings.d_model**-0.5 if settings.tied else 1.0


def _alike(matrix: Tensor, name: str, settings: TrainingSettings) -> Tensor:
    """Return a projection in which all heads have the first one's numbers."""
    own = settings.d_k // settings.n_heads
    if name in ("w_q", "w_k", "w_v"):
        return matrix[:, :own].repeat(1, settings.n_heads)
    return matrix[:own].repeat(settings.n_heads, 1) if name == "w_o" else matrix
