"""A head compared with another head, another sentence or another model."""

from functools import partial
from typing import Any

import streamlit as st

from attnviz.app.components.pictures import show_pictures
from attnviz.app.session import state, url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message, message_of
from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels
from attnviz.explanation.comparing import Comparison
from attnviz.features.language_models.inside import ModelTrace, offered
from attnviz.features.models.link_texts import BEFORE, HEAD, MODEL, SENTENCE, Compared
from attnviz.features.models.page.result_cache import looked
from attnviz.features.models.page.typing import is_too_long, sentence
from attnviz.features.models.parameters import MODEL_COMPARE, MODEL_COMPARED
from attnviz.figures.small_tables import comparison_on_page
from attnviz.words import say
from attnviz.words.numbers import written

_KIND_KEY, _TEXT_KEY, _MODEL_KEY = "model.compare", "model.compare.sentence", "model.compare.model"
_LAYER_KEY, _HEAD_KEY = "model.compare.layer", "model.compare.head"
# Cells show numbers for at most _WRITTEN tokens, with _FEW decimals, because the pictures stand side by side.
_WRITTEN, _FEW = 6, 2


def show_comparison(view: ModelTrace, place: tuple[int, int], target: str, query: int) -> None:
    """Draw the choice of comparison, and both heads' weights in one scale."""
    kinds = [HEAD, SENTENCE, *([MODEL] if len(offered()) > 1 else []), *([BEFORE] if view.edits else [])]
    asked = take(MODEL_COMPARE)
    held = this_session().held(_KIND_KEY, asked.kind if asked.kind in kinds else None, partial(_keep_kind, view.name))
    st.segmented_control(say("models.compare.with"), kinds, label_visibility="collapsed",
                         format_func=lambda each: say(f"models.compare.kinds.{each}"), **held)  # fmt: skip
    if asked.kind not in kinds:
        return
    try:
        found = _other(asked, view, place, target)
    except ValueError as error:
        st.warning(as_message(message_of(error)), icon=":material/info:")
        return
    if found is None:
        return
    called, other = found
    trace = view.heads[place]
    comparison = Comparison(trace, other)
    st.text(_apart(comparison, called))
    query = min(query, len(trace.tokens) - 1, len(other.tokens) - 1)
    bare = max(*trace.attention_weights.shape, *other.attention_weights.shape) > _WRITTEN
    names = {"A": say("models.compare.this", layer=place[0], head=place[1]), "B": called,
             "B − A": say("models.compare.difference")}  # fmt: skip
    alts = {label: say("models.compare.alt", which=which) for label, which in names.items()}
    digits = state.digits() if bare else _FEW
    pictures = comparison_on_page(comparison, "attention_weights", digits=digits, query=query, alts=alts, bare=bare)
    show_pictures(pictures, "model.compare.pictures")


def _keep(asked: Compared) -> None:
    url_texts.put(MODEL_COMPARE, asked)


def _keep_kind(name: str, kind: str | None) -> None:
    # The link names the model, because another server may offer other ones.
    _keep(Compared(kind or "", name=_others(name)[0] if kind == MODEL else ""))


def _others(name: str) -> list[str]:
    return [each for each in offered() if each != name]


def _other(asked: Compared, view: ModelTrace, place: tuple[int, int], target: str) -> tuple[str, AttentionTrace] | None:
    """Return the name and the trace of the head to compare."""
    if asked.kind == BEFORE:
        assert view.original is not None
        return say("models.compare.kinds.before"), view.original.heads[place]
    if asked.kind == HEAD:
        layer, head = _other_head(asked, view, place)
        return say("models.compare.this", layer=layer, head=head), view.heads[layer, head]
    name, text = view.name, view.asked
    if asked.kind == MODEL:
        others = _others(name)
        shown = asked.name if asked.name in others else others[0]
        held = this_session().held(_MODEL_KEY, shown, lambda to: _keep(Compared(MODEL, name=to)))
        st.selectbox(say("models.page.model"), others, **held)
        name = shown
    else:
        text = typed = sentence(MODEL_COMPARED, say("models.compare.sentence"), _TEXT_KEY)
        if not typed.strip() or is_too_long(typed):
            return None
    seen = looked(name, text, target)
    seen = seen.only(view.kinds[0] if view.kinds[0] in seen.kinds else seen.kinds[0])
    if place not in list(seen.heads):
        st.info(say("models.page.none", layer=place[0], head=place[1]), icon=":material/info:")
        place = next(iter(seen.heads))
    return (name if asked.kind == MODEL else seen.text), seen.heads[place]


def _other_head(asked: Compared, view: ModelTrace, place: tuple[int, int]) -> tuple[int, int]:
    """Draw the choice of another head, by default the layer's next one."""
    layer, head = place
    most = view.layers[layer].n_heads - 1
    layer, head = asked.head or (layer, head + 1 if head < most else 0)
    with_heads = [number for number, each in enumerate(view.layers) if each.n_heads]
    layer = min(with_heads, key=lambda number: (abs(number - layer), number))
    most = view.layers[layer].n_heads - 1
    head = min(head, most)
    this_session().put(_LAYER_KEY, layer)
    this_session().put(_HEAD_KEY, head)
    with st.container(horizontal=True):
        if len(with_heads) < view.n_layers:  # a field for numbers can't leave out layers without heads
            st.selectbox(say("models.compare.layer"), with_heads, key=_LAYER_KEY, width=140, on_change=_keep_head)
        else:
            st.number_input(say("models.compare.layer"), 0, view.n_layers - 1, key=_LAYER_KEY, width=140,
                            on_change=_keep_head)  # fmt: skip
        st.number_input(say("models.compare.head"), 0, most, key=_HEAD_KEY, width=140, on_change=_keep_head)
    return layer, head


def _keep_head() -> None:
    layer, head = this_session().get(_LAYER_KEY), this_session().get(_HEAD_KEY)
    if layer is not None and head is not None:  # an emptied field changes nothing
        _keep(Compared(HEAD, (int(layer), int(head))))


def _apart(comparison: Comparison, called: str) -> str:
    """Say where two heads differ most, if they read the same tokens."""
    difference = comparison.difference("attention_weights")
    if difference is None or comparison.a.tokens != comparison.b.tokens:
        return say("models.compare.others", other=called)
    at = int(difference.abs().argmax())
    row, column = divmod(at, difference.shape[1])
    labels: Any = token_labels(comparison.a.tokens)
    read = comparison.a.stages["attention_weights"].labels("columns", comparison.a.tokens, difference.shape[1])
    weights = [float(trace.attention_weights[row, column]) for trace in (comparison.a, comparison.b)]
    digits, most = state.digits(), float(difference.abs().max())
    if not most:
        return say("models.compare.equal", other=called)
    if len({written(each, digits) for each in weights}) == 1:
        return say(
            "models.compare.close", other=called, query=labels[row], key=read[column], most=written(most, digits)
        )
    return say("models.compare.apart", other=called, query=labels[row], key=read[column],
               here=written(weights[0], digits), there=written(weights[1], digits))  # fmt: skip
