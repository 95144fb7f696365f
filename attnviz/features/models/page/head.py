"""One head of a model: its board, and sentences about it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attnviz.app.components.board import show_board_of_model
from attnviz.app.parts.charts import Measured, show_figure, show_measured
from attnviz.app.session import state
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import is_dark
from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import in_rows
from attnviz.core.stages import CAPPED, DISTANCE_BIAS, DIVIDED
from attnviz.core.tokens import token_labels
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_words
from attnviz.explanation.summary import reads_most
from attnviz.features.language_models.inside import ModelEdit, ModelTrace
from attnviz.features.language_models.inside.edits import MASK, OFF, WEIGHTS
from attnviz.features.language_models.inside.layers.between import symbols_of
from attnviz.features.language_models.inside.layers.differential import PAIRED
from attnviz.features.language_models.inside.layers.latent import CACHED, LATENT, LEARNED_LATENT
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.norms import NORMED
from attnviz.features.models.page.changing import show_controls
from attnviz.features.models.page.writing import cache_in_words
from attnviz.features.models.parameters import MODEL_CELL, MODEL_QUERY
from attnviz.figures import heatmap_spec
from attnviz.words import plural, say
from attnviz.words.numbers import for_json, percent, written

_SINK = 0.3  # special tokens, or the first one, are a sink from this share of a head's attention on
_MORE_THAN_EVEN = 1.5  # times the first token's share if all are read alike, which is large in short texts


def value_in_words(view: ModelTrace, place: tuple[int, int], query: int) -> str:
    """Say how long the value vector with a token's largest weight is."""
    trace, digits = view.heads[place], state.digits()
    reads, alike = reads_most(trace, query, digits)
    if ModelEdit(view.layers[place[0]].number, place[1], OFF) in view.edits:
        return say("models.page.value_off", reads=reads)
    read = trace.stages["attention_weights"].labels("columns", trace.tokens, trace.v.shape[0])
    shares, lengths = trace.attention_weights[query], trace.v.norm(dim=-1)
    both = shares * lengths
    key, most = int(shares.argmax()), int(both.argmax())
    numbers = {"length": lengths[key], "both": both[key], "most": both[most]}
    told = {name: written(value.item(), digits) for name, value in numbers.items()}
    if alike:
        return say("models.page.value_alike", reads=reads, of=read[most], most=told["most"])
    return say("models.page.value", reads=reads, key=read[key], of=read[most], **told)


def sink_in_words(view: ModelTrace, layer: int, head: int) -> str:
    """Say if attention rests on special tokens or a decoder's first."""
    measured = view.measured(layer, head)
    if measured is None:
        return ""
    if measured.special is None or measured.special < _SINK:
        first, n = measured.first or 0.0, len(view.tokens)
        even = sum(1 / i for i in range(2, n + 1)) / max(1, n - 1)  # its mean share if each row reads all alike
        if view.layers[layer].kind != "decoder" or first < _SINK or first < _MORE_THAN_EVEN * even:
            return ""
        return say("models.page.sink_first", share=percent(first), first=view.tokens[0])
    names = [token for token, special in zip(view.tokens, view.special, strict=True) if special]
    return say("models.page.sink", share=percent(measured.special), tokens=" · ".join(names))


def output_in_words(layer: Layer, trace: AttentionTrace, query: int) -> str:
    """Say how much of the output a head gives."""
    assert layer.attended.output is not None
    lengths = {"part": trace["output"][query].norm(), "whole": layer.attended.output.product[query].float().norm()}
    told = {name: written(length.item(), state.digits()) for name, length in lengths.items()}
    name = "output_told" if layer.attended.output.bias is None else "output_told_bias"
    return say(f"models.page.{name}", token=token_labels(layer.tokens)[query], **told)


def made_in_words(trace: AttentionTrace, between: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Say which matrices the board holds, and which it couldn't find."""
    weights = [name for name in WEIGHTS if name in trace.stages]
    known = {name for names in between.values() for name in names}
    given = [name for name in "qkv" if f"w_{name}" not in weights and name not in known]
    made, standing = (", ".join(trace.stages[name].symbol for name in names) for names in (weights, given))
    numbers = plural(sum(trace[name].numel() for name in weights), "number")
    return [
        *([say("models.page.made", numbers=numbers, matrices=made)] if made else []),
        *([say("models.page.given", matrices=standing)] if standing else []),
        *(say(f"models.between.{why}", matrices=symbols_of(trace, names)) for why, names in between.items()),
        *([] if "output" in trace.stages else [say("models.page.no_output")]),
    ]


def origins_of(trace: AttentionTrace) -> dict[str, list[str]]:
    """Return where each matrix that the board doesn't compute comes from."""
    kinds = (
        dict.fromkeys(("x", "y"), "input")
        | dict.fromkeys(
            (*WEIGHTS, "gamma_q", "gamma_k", *(f"{name}_2" for name in _LEARNED), *LEARNED_LATENT, "w_o"), "weight"
        )
        | {MASK: MASK, DISTANCE_BIAS: "bias"}
    )
    given = (name for name, stage in trace.stages.items() if stage.rule is None)
    return {name: [say(f"models.given.{kinds.get(name, 'model')}")] for name in given}


def ages_of(view: ModelTrace, trace: AttentionTrace) -> dict[str, Any] | None:
    """Return which board rows are new, and where older ones come from.

    Rows before "from" are from the "cache", or from a step "before". None if nothing was written.
    """
    if not view.written:
        return None
    keys = (stage.sources[1] for name, stage in trace.stages.items() if name.startswith("scores") and stage.sources)
    n, cached = len(view.tokens), {*CACHED} if CACHED[0] in trace.stages else {"v", *keys}
    rows = (name for name, stage in trace.stages.items() if stage.rows != "feature" and len(trace[name]) == n)
    return {"from": view.computed_from, "of": {name: "cache" if name in cached else "before" for name in rows}}


def before_of(view: ModelTrace, place: tuple[int, int], trace: AttentionTrace) -> dict[str, float | str]:
    """Return the earlier value of each changed number, by its place."""
    if view.original is None:
        return {}
    own, head = view.attending_at(place[0]), place[1]
    original, shared = view.original.heads[place], own.n_heads // len(own.attended.key)
    before: dict[str, float | str] = {}
    for edit in view.edits:
        matrix = DISTANCE_BIAS if edit.matrix == MASK and DISTANCE_BIAS in trace.stages else edit.matrix
        if edit.layer != own.number or matrix not in trace.stages or edit.head is None:
            continue
        same = edit.head // shared == head // shared if edit.matrix[-1] in "kv" and edit.matrix != MASK else False
        if edit.head == head or same:
            numbers = original.matrices.get(matrix)
            value = 0.0 if numbers is None else in_rows(numbers)[edit.row, edit.column].item()
            before[f"{matrix},{edit.row},{edit.column}"] = for_json(value)
    return before


_LEARNED = ("w_q", "w_k", "b_q", "b_k", "gamma_q", "gamma_k")  # learned matrices of a second softmax
_BOARD_KEY = "model.board"
_SHOWN = ("x", "y", *WEIGHTS, "q", "k", "v", *LATENT, *NORMED, "q_rotated", "k_rotated", "mask", DISTANCE_BIAS,
          "scores", DIVIDED, CAPPED, "scaled_scores", *PAIRED, "attention_weights", "context", "w_o",
          "output")  # fmt: skip


def show_board(
    view: ModelTrace, layer: int, head: int, query: int, edits: tuple[ModelEdit, ...], line: DeltaGenerator
) -> None:
    """Show one head's board and what can be changed in it.

    What the head does opens from `line`, beside the page's other buttons; beside the switches it wouldn't fit.
    """
    trace, own = view.heads[layer, head], view.attending_at(layer)
    with line.popover(say("models.page.about_head")):
        _show_about(view, layer, head, query)
    with st.container(horizontal=True, vertical_alignment="center", key="model_switches"):
        show_controls(own, head, edits, trace)
        values = st.toggle(say("models.page.values"), key="model.values")
        average = st.toggle(say("models.page.average"), key="model.average")
    if values:
        _show_values(trace, query)
    if average:
        st.caption(say("models.page.average_warning"))
        _show_average(own, query)
    whole = own.whole(head)
    show_board_of_model(
        whole, query, names=tuple(filter(whole.stages.__contains__, _SHOWN)), key=f"{_BOARD_KEY}.{own.number}.{head}",
        picks={"query": MODEL_QUERY, "cell": MODEL_CELL},
        folds=True, origins=origins_of(whole), before=before_of(view, (layer, head), whole), ages=ages_of(view, whole),
    )  # fmt: skip


def _show_about(view: ModelTrace, layer: int, head: int, query: int) -> None:
    """Say what a head does, and which of its matrices are known."""
    own = view.attending_at(layer)
    whole = own.whole(head)
    if view.written:
        st.caption(say("write.cells") if view.computed_from else cache_in_words(view))
    if own.kind == "cross":
        st.caption(say("models.page.cross"))
    else:
        st.text(figures_in_words(view.measured(layer, head), head, ALL_SHARES)["full"])
    st.text(value_in_words(view, (layer, head), query))
    if sink := sink_in_words(view, layer, head):
        st.text(sink)
    if "output" in whole.stages:
        st.text(output_in_words(own, whole, query))
    for told_of_it in made_in_words(whole, own.between(whole)):
        st.caption(told_of_it)


def _show_values(trace: Any, query: int) -> None:
    """Draw a token's attention weights, the values' lengths, and their products."""
    shares, lengths = trace.attention_weights[query], trace.v.norm(dim=-1)
    read = trace.stages["attention_weights"].labels("columns", trace.tokens, len(trace.v))
    measures = {"weight": shares.tolist(), "length": lengths.tolist(), "product": (shares * lengths).tolist()}
    show_measured("model.values.table", say("models.values.token"), read, {
        name: Measured(say(f"models.values.{name}"), values, max(values), state.digits())
        for name, values in measures.items()
    })  # fmt: skip


def _show_average(layer: Layer, query: int) -> None:
    """Draw a token's attention weights, averaged over all heads of a layer."""
    name, trace = "attention_weights", layer.average()
    stage, (rows, columns) = trace.stages[name], trace[name].shape
    alt = say("summary.described.matrix", title=stage.title, rows=rows, columns=columns, meaning=stage.meaning)
    show_figure(
        heatmap_spec(trace, name, query=query, digits=state.digits(), dark=is_dark()), f"model.input.{name}", alt
    )
