"""Checks of what is shown of a family's small model against what the model itself computes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnviz import ModelTrace, explain, look_into
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import RefusedError
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from tests.families.building import TARGET, Family, NotBuiltError, built, computed
from tests.unit.small_models import TEXT, tokenizer

_NOISE = 1e-5  # most that two float32 sums may differ, relative to the largest number


@dataclass(frozen=True)
class Outcome:
    """The outcome of a family: "shown", "refused", "not built" or "broken".

    `told` is the reason, or how many heads have parts that stand as given. `wrong` are the checks that failed, empty
    for a family that is right.
    """

    kind: str
    model: str
    status: str
    told: str = ""
    wrong: tuple[str, ...] = ()
    layers: int = 0
    weights: str = ""  # whether they equal those that the model returns, or it returns none
    given: tuple[str, ...] = ()  # parts of heads that stand as given, with the reason


def outcome_of(family: Family, **settings: Any) -> Outcome:
    """Build a small model of a family, look into it, and return the outcome."""
    try:
        model = built(family, **settings)
    except NotBuiltError as error:
        return Outcome(family.kind, family.model, "not built", " ".join(str(error).split())[:160])
    target = TARGET if model.config.is_encoder_decoder else None
    try:
        view = look_into(model, tokenizer(), TEXT, target=target)
    except RefusedError as error:
        return Outcome(family.kind, family.model, "refused", error.sentence(lambda *_: None))
    except Exception as error:
        return Outcome(
            family.kind, family.model, "broken", f"{type(error).__name__}: {error}", ("refused with a reason",)
        )
    return _checked(family, view, computed(model, output_attentions=True))


def _checked(family: Family, view: ModelTrace, own: Any) -> Outcome:
    wrong = []
    if not _same(view.result[0], own[0]):
        wrong.append("output")
    weights, ours = "not handed out", [_softmaxes(each) for each in _in_order(view)]
    handed = _of_tokens(_handed_out(own), view)
    if [each.shape[1:] for each in handed] == [each.shape for each in ours]:
        pairs = [(each[0], layer) for each, layer in zip(handed, ours, strict=True)]
        if all(_same(each, made) for each, made in pairs):
            weights = "same"
        elif all(_same(each, made / made.sum(-1, keepdim=True)) for each, made in pairs) and _has_sinks(view):
            weights = "same, before what the sinks take"
        else:
            weights = "differ"
            wrong.append("weights")
    elif handed:
        weights = "of other layers"
        wrong.append("weights")
    given: dict[str, None] = {}
    for (layer, head), trace in view.heads.items():
        wrong += [f"{name} of head {layer}.{head}" for name in unequal(trace)]
        given |= dict.fromkeys(trace.notices)
    places = list(view.heads)
    for place in (places[0], places[-1]):
        wrong += [f"{cell} of head {place[0]}.{place[1]} explained" for cell in beyond(view.heads[place])][:4]
    return Outcome(family.kind, family.model, "shown", "", tuple(wrong), view.n_layers, weights, tuple(given))


def _of_tokens(handed: Iterator[Tensor], view: ModelTrace) -> tuple[Tensor, ...]:
    """Return what a model returns as weights, without the states of linear attention."""
    linear = any(isinstance(layer, OtherLayer) and layer.does == "linear" for layer in view.layers)
    return tuple(each for each in handed if not linear or each.shape[-2:] == view.attending[0].weights.shape[-2:])


def _softmaxes(layer: Layer) -> Tensor:
    """Return a layer's softmaxes, in differential attention also the subtracted ones."""
    return next(iter(layer.computed_weights.values()))


def _has_sinks(view: ModelTrace) -> bool:
    return all(layer.attended.sinks is not None for layer in view.attending)


def unequal(trace: AttentionTrace) -> Iterator[str]:
    """Yield the matrices of a head that differ from what their rules make of their sources."""
    for name, stage in trace.stages.items():
        if stage.rule is None:
            continue
        sources = [trace[source] for source in stage.sources]
        if not _same(stage.rule.compute(*sources), trace[name], 1e-4):
            yield name
    if trace.stages["context"].rule is None and not trace.notices:
        yield "context, given without a reason"


def beyond(trace: AttentionTrace) -> Iterator[str]:
    """Yield the cells of a head whose explained terms don't give the number, within their tolerance."""
    for name, stage in trace.stages.items():
        if stage.rule is None:
            continue
        rows, columns = trace[name].shape
        for row in sorted({0, rows // 2, rows - 1}):
            for column in range(columns):
                told = explain(trace, name, row, column)
                if not (abs(told.exact - told.value) <= told.tolerance or told.exact == told.value):
                    yield f"{name}[{row}, {column}]"


def _handed_out(own: Any) -> Iterator[Tensor]:
    """Yield the attention weights that a model returns, in the order of kinds."""
    names = ("encoder_attentions", "attentions", "decoder_attentions", "cross_attentions")
    for name in names:
        made = own.get(name) if isinstance(own, Mapping) else None
        yield from (each for each in made or () if isinstance(each, Tensor))


def _in_order(view: ModelTrace) -> list[Any]:
    attending = [layer for layer in view.layers if isinstance(layer, Layer)]
    return sorted(attending, key=lambda layer: ("encoder", "decoder", "cross").index(layer.kind))


def _same(one: Tensor, other: Tensor, most: float = _NOISE) -> bool:
    size = float(other.abs().nan_to_num(0.0, 0.0, 0.0).max())
    return one.shape == other.shape and torch.allclose(one, other, rtol=0.0, atol=most * size, equal_nan=True)
