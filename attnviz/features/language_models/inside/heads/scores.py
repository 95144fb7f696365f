"""A head's parts, and the stages from scores to softmax."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attnviz.core.rules import Cap, Scale
from attnviz.core.stages import CAPPED, DISTANCE_BIAS, DIVIDED, Stage
from attnviz.features.language_models.inside.projections import Projected
from attnviz.words import Later, later
from attnviz.words.numbers import significant


@dataclass(frozen=True)
class HeadParts:
    """A head's queries, keys and values, and how they were made."""

    given: Mapping[str, Tensor]  # q, k, v: (n_tokens, d)
    projected: Mapping[str, Projected | None]
    added: Tensor | None
    scaling: float
    weights: Tensor | None
    context: Tensor | None
    scores: Callable[[], Tensor]  # computes this head's part of the product of all heads' queries and keys
    others: bool = False  # cross-attention: keys and values are of other tokens than queries
    bias: str = ""  # "distance", "place" or "tokens": what the bias depends on; blank without one
    learned: bool = False  # whether the bias is learned
    cap: float | None = None
    sink: float | None = None
    rewritten: tuple[str, ...] = ()  # those of q, k and v that the model changed in place after making them
    goes_on_changed: bool = False  # whether the model changes the context in place afterwards


def texts_of(name: str, kind: str = "", **places: object) -> dict[str, Later]:
    """Return the texts of a stage that only models have."""
    texts = {key: later(f"models.{name}.{key}", **places) for key in ("title", "meaning", "short")}
    return texts | {"plain": later(f"models.{name}.{'.'.join(filter(None, ('plain', kind)))}", **places)}


def scaled_stages(stage: Stage, parts: HeadParts) -> dict[str, Stage]:
    """Return the stages from the scores to the input of softmax."""
    divided, added = _scale_of(parts.scaling, parts.given["k"].shape[-1]), stage.sources[1:]
    if parts.bias:
        added = (DISTANCE_BIAS,)
    kind = "biased" if parts.bias else "masked" if added else "divided"
    if parts.cap is None:
        told = f"{kind}_by_1" if divided == Scale(own=True) else kind
        return {
            stage.name: replace(stage.with_texts(**texts_of("scaled", told)), rule=divided, sources=("scores", *added))
        }
    between = {
        DIVIDED: replace(
            stage.with_texts(**texts_of("divided")), name=DIVIDED, symbol="S_d", rule=divided, sources=("scores",)
        ),
        CAPPED: replace(
            stage.with_texts(**texts_of("capped", limit=significant(parts.cap))),
            name=CAPPED, symbol="S_c", rule=Cap(parts.cap), sources=(DIVIDED,),
        ),
    }  # fmt: skip
    last = replace(
        stage.with_texts(**texts_of("scaled", f"{kind}_capped")), rule=Scale(own=True), sources=(CAPPED, *added)
    )
    return {**between, stage.name: last}


def _scale_of(scaling: float, d_k: int) -> Scale:
    """Return the scaling of scores: by √d_k, or the model's own number.

    >>> _scale_of(0.125, 64), _scale_of(1.0, 64).divisor, _scale_of(0.3, 64).divisor
    (Scale(d_k=64, temperature=1.0, factor=False, own=False), 1.0, 3.3333333333333335)
    """
    if math.isclose(d_k**-0.5, scaling, rel_tol=1e-6):
        return Scale(d_k)
    return Scale(None, 1 / scaling, own=True)


def bias_stage(mask: Stage, parts: HeadParts) -> Stage:
    """Return the stage of the bias, which has the mask in it."""
    told = texts_of("bias", parts.bias)
    plain = later(f"models.bias.{'learned' if parts.learned else 'prescribed'}", plain=told["plain"])
    return replace(mask.with_texts(**told | {"plain": plain}), name=DISTANCE_BIAS, symbol="B", colours="scores")


def depends_on(bias: Tensor, readable: Tensor) -> str:
    """Return what a bias ``(n_queries, n_keys)`` depends on: "distance", "place" or "tokens"."""
    rows, columns = bias.shape
    distances = torch.arange(columns, device=bias.device) - torch.arange(rows, device=bias.device)[:, None]
    places = {"distance": distances + rows, "place": torch.arange(columns, device=bias.device).expand(rows, columns)}
    for name, place in places.items():
        at, numbers = place[readable], bias.float()[readable]
        ends = [
            numbers.new_zeros(rows + columns).scatter_reduce(0, at, numbers, how, include_self=False)[at]
            for how in ("amin", "amax")
        ]
        if torch.equal(*ends):
            return name
    return "tokens"
