"""Another head, another sentence or another model beside the one that is shown: their attention weights, and where they
differ."""

from typing import Any

import streamlit as st

from attnviz.app.model.looked import looked
from attnviz.app.model.typing import is_too_long
from attnviz.app.parts.charts import show_figure
from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.app.text import as_message, is_dark
from attnviz.compare.comparison import Comparison
from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels
from attnviz.figures.comparison import comparison_specs
from attnviz.models import ModelTrace, offered
from attnviz.words import say
from attnviz.words.numbers import written

_KIND_KEY, _TEXT_KEY, _MODEL_KEY = "model.compare", "model.compare.sentence", "model.compare.model"
_LAYER_KEY, _HEAD_KEY = "model.compare.layer", "model.compare.head"
_FEW = 2  # decimals: two pictures stand beside each other
HEAD, TEXT, MODEL, BEFORE = "head", "sentence", "model", "before"


def show_comparison(view: ModelTrace, place: tuple[int, int], target: str, query: int) -> None:
    """Draw what is compared with, where something is, and both heads' attention weights in one scale."""
    kinds = [HEAD, TEXT, *([MODEL] if len(offered()) > 1 else []), *([BEFORE] if view.edits else [])]
    st.subheader(say("models.compare.heading"), anchor=False)
    kind = st.segmented_control(say("models.compare.with"), kinds, key=_KIND_KEY, label_visibility="collapsed",
                                format_func=lambda each: say(f"models.compare.kinds.{each}"))  # fmt: skip
    if kind is None:
        return
    try:
        found = _other(kind, view, place, target)
    except ValueError as error:
        st.warning(as_message(told(error)), icon=":material/info:")
        return
    if found is None:
        return
    called, other = found
    trace = view.heads[place]
    comparison = Comparison(trace, other)
    st.text(_apart(comparison, called))
    query = min(query, len(trace.tokens) - 1, len(other.tokens) - 1)
    specs = comparison_specs(comparison, "attention_weights", digits=_FEW, query=query, dark=is_dark())
    names = {"A": say("models.compare.this", layer=place[0], head=place[1]), "B": called}
    with st.container(horizontal=True):
        for label, spec in specs.items():
            alt = say("models.compare.alt", which=names.get(label, say("models.compare.difference")))
            show_figure(spec, f"model.compare.figure.{label}", alt)


def _other(kind: str, view: ModelTrace, place: tuple[int, int], target: str) -> tuple[str, AttentionTrace] | None:
    """Return what is compared with, by what it is called."""
    layer, head = place
    if kind == BEFORE:
        assert view.original is not None
        return say("models.compare.kinds.before"), view.original.heads[place]
    if kind == HEAD:
        with st.container(horizontal=True):
            layer = int(
                st.number_input(say("models.compare.layer"), 0, view.n_layers - 1, layer, key=_LAYER_KEY, width=140)
            )
            most = view.layers[layer].n_heads - 1
            other = min(most, head + 1) if head < most else 0
            head = int(st.number_input(say("models.compare.head"), 0, most, other, key=_HEAD_KEY, width=140))
        return say("models.compare.this", layer=layer, head=head), view.heads[layer, head]
    name, text = view.name, view.text
    if kind == MODEL:
        name = st.selectbox(say("models.page.model"), [each for each in offered() if each != name], key=_MODEL_KEY)
    else:
        text = st.text_input(say("models.compare.sentence"), key=_TEXT_KEY)
        if not text.strip() or is_too_long(text):
            return None
    seen = looked(name, text, target)
    seen = seen.only(view.kinds[0] if view.kinds[0] in seen.kinds else seen.kinds[0])
    if place not in list(seen.heads):
        st.info(say("models.page.none", layer=layer, head=head), icon=":material/info:")
        place = (0, 0)
    return (name if kind == MODEL else text), seen.heads[place]


def _apart(comparison: Comparison, called: str) -> str:
    """Say where two heads differ most, where they read the same tokens."""
    difference = comparison.difference("attention_weights")
    if difference is None or comparison.a.tokens != comparison.b.tokens:
        return say("models.compare.others", other=called)
    at = int(difference.abs().argmax())
    row, column = divmod(at, difference.shape[1])
    labels: Any = token_labels(comparison.a.tokens)
    read = comparison.a.stages["attention_weights"].labels("columns", comparison.a.tokens, difference.shape[1])
    weights = [float(trace.attention_weights[row, column]) for trace in (comparison.a, comparison.b)]
    digits = state.digits()
    return say("models.compare.apart", other=called, query=labels[row], key=read[column],
               here=written(weights[0], digits), there=written(weights[1], digits))  # fmt: skip
