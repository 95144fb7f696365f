"""The page Language model: a sentence, all heads, and one board."""

from functools import partial
from itertools import takewhile

import streamlit as st

from attnviz.app.operations.run_queue import in_turn
from attnviz.app.parts.charts import offer
from attnviz.app.session import address, state, url_texts
from attnviz.app.session.session import Computation, this_session
from attnviz.app.session.url_texts import take
from attnviz.app.streamlit_internals import DeltaGenerator, is_fragment_run
from attnviz.app.text import as_message, literal, message_of
from attnviz.core.limits import ReaderError
from attnviz.features.language_models.inside import ModelEdit, ModelTrace
from attnviz.features.language_models.inside.layers.layer import Kind
from attnviz.features.language_models.inside.uses import has_next
from attnviz.features.language_models.inside.writing import can_write
from attnviz.features.models.link_texts import HEAD, Compared
from attnviz.features.models.model_code import model_script
from attnviz.features.models.model_grid import model_spec
from attnviz.features.models.model_pages import head_report, model_page
from attnviz.features.models.page.changing import CHANGES_OPEN, in_words, show_changes, show_switch
from attnviz.features.models.page.comparing import show_comparison
from attnviz.features.models.page.grid import (
    differential_in_words,
    show_head,
    show_heads,
    show_what_to_look_for,
    show_which,
)
from attnviz.features.models.page.head import show_board
from attnviz.features.models.page.result_cache import fitting, looked, most_of, turn
from attnviz.features.models.page.typing import (
    TypedValues,
    is_too_long,
    model_session,
    open_on_first_model,
    sentence,
    show_asked,
)
from attnviz.features.models.page.uses import show_uses
from attnviz.features.models.page.writing import drawing, show_next
from attnviz.features.models.parameters import (
    FIRST_HEAD,
    MODEL_CACHE,
    MODEL_CELL,
    MODEL_COMPARE,
    MODEL_EDITS,
    MODEL_HEAD,
    MODEL_KIND,
    MODEL_QUERY,
    MODEL_SECOND,
    MODEL_TARGET,
    MODEL_WRITTEN,
)
from attnviz.figures import heatmap_spec
from attnviz.link.parameter_table import texts
from attnviz.words import say

_KIND_KEY, _TARGET_KEY = "model.kind", "model.target"
_STYLE = """<style>
.stElementContainer[class*="st-key-model-head"] { opacity: 1 !important; transition: none !important; }
.stMainBlockContainer:has([class*="st-key-model-board"]) { padding-bottom: 0; }
[class*="st-key-model-board"] { margin-bottom: -34px; } /* hides the empty strip below the board's dock */
@media (max-width: 900px) { STACKED }
@media (max-width: 640px) { /* the switches come after the head's numbers */
  [data-testid="stLayoutWrapper"]:has(> .st-key-model_switches) { order: 1; margin: 34px 0 20px; }
}
:root[data-presents] { STACKED
  .stMainBlockContainer [data-testid="stHorizontalBlock"]:has(.st-key-model_uses) { display: grid; gap: 0; }
  .st-key-model-head { grid-area: 1 / 1; }
  .st-key-model-heads { grid-area: 1 / 1; z-index: 1; place-self: end start; width: auto; } /* in A's empty part */
}
</style>""".replace(
    "STACKED",
    """
  [data-testid="stHorizontalBlock"]:has(.st-key-model_uses) { flex-direction: column; gap: 0.6rem; }
  [data-testid="stHorizontalBlock"]:has(.st-key-model_uses) > .stColumn,
  [data-testid="stHorizontalBlock"]:has(.st-key-model_uses) > .stColumn > div { display: contents; }
  [data-testid="stLayoutWrapper"]:has(> :is(.st-key-model_next, .st-key-model_uses)) { order: 1; }""",
)


@st.fragment
@in_turn()
def show_model() -> None:
    """Draw the page as a fragment, so that changes rerun it alone."""
    alone = is_fragment_run()
    _show_page(alone=alone)
    if alone and state.has_messages():  # only a whole run draws messages, above the page
        st.rerun()
    if alone:  # a whole run reports at its end
        address.report("model", "model.address")


def _show_page(*, alone: bool) -> None:
    st.html(_STYLE)
    open_on_first_model()
    linked = "compare" if take(MODEL_COMPARE).kind else "heads" if take(MODEL_CELL) is None else "board"
    opened = model_session().opened or linked
    if opened == "heads":
        line, right = left, _ = st.columns((532, 742), gap="large")
    else:  # all buttons that lead elsewhere stand in one line
        line = st.container(horizontal=True, vertical_alignment="center")
        left, right = st.container(), line.container(horizontal=True, vertical_alignment="center", width="content")
    with line:
        asked = show_asked(alone=opened == "heads")
    with left:
        name, text = asked[:2]
        if is_too_long(text):
            return
        if not text.strip():
            st.info(say("models.page.blank"), icon=":material/edit:")
            return
        target, second = take(MODEL_TARGET), take(MODEL_SECOND)
        read = (text, second) if second.strip() else text
        try:
            with turn(name, read, target):
                start = looked(name, read, target)
                more = {"written": _written(start), "cache": take(MODEL_CACHE) != "off"}
                plain = looked(name, read, target, **more)
                edits = _edits(plain)
                whole = looked(name, read, target, edits, **more) if edits else plain
                view = whole.only(_kind(whole))
                place = _picked(view)
                query = _query(view, place)
                if whole.special and all(whole.special):
                    st.info(say("models.page.no_word"), icon=":material/edit:")
                show_changes(whole, edits)
                if opened == "heads":
                    _show_all(whole, view, place, query, asked, right)
                else:
                    _show_one(view, place, query, opened, right)
                if not alone:  # only a whole run draws Share; until then, it would keep old results in memory
                    _give_to_share(view, place, query, name)
        except ReaderError as error:
            st.warning(as_message(message_of(error)), icon=":material/info:")


def _show_all(
    whole: ModelTrace, view: ModelTrace, place: tuple[int, int], query: int, asked: TypedValues, right: DeltaGenerator
) -> None:
    """Draw all heads, the one in view, and the model's answer."""
    name, _, order, above, (which, more) = asked
    with which:
        show_which(view)
    with more:
        show_what_to_look_for(view)
    show_heads(view, place, query, order, above)
    if has_next(whole):
        with st.container(key="model_next", gap="xsmall"):
            show_next(whole)
    with st.container(key="model_uses", gap="small"):
        show_uses(whole, name)
        show_switch(view.attending_at(place[0]), place[1], whole.edits, "off")
    with right:
        show_head()
        if told := differential_in_words(view.attending_at(place[0])):
            st.caption(told)
        with st.container(horizontal=True, vertical_alignment="center", key="model_ways"):
            st.button(say("models.page.numbers"), key="model.numbers", type="primary", on_click=_open, args=("board",))
            st.button(say("models.page.beside"), key="model.beside", type="tertiary", on_click=_open, args=("compare",))
            st.button(say("models.change.number"), key="model.change", type="tertiary", on_click=_open,
                      args=("board",), kwargs={"changes": True})  # fmt: skip


def _show_one(view: ModelTrace, place: tuple[int, int], query: int, opened: str, line: DeltaGenerator) -> None:
    """Draw one head's board, or a comparison with another head."""
    line.button(say("models.page.all"), key="model.all", icon=":material/arrow_back:", on_click=_back)
    line.markdown(f"**{say('models.view.place', layer=place[0], head=place[1])}**", width="content")
    if opened == "board":
        show_board(view, *place, query, view.edits, line)
    else:
        show_comparison(view, place, take(MODEL_TARGET), query)


def _open(what: str, *, changes: bool = False) -> None:
    model_session().opened = what
    if what == "compare" and not take(MODEL_COMPARE).kind:
        url_texts.put(MODEL_COMPARE, Compared(HEAD))
    this_session().put(CHANGES_OPEN, changes)


def _back() -> None:
    model_session().opened = "heads"
    url_texts.put(MODEL_CELL, None)
    url_texts.put(MODEL_COMPARE, Compared())


def _edits(plain: ModelTrace) -> tuple[ModelEdit, ...]:
    """Return the changes that fit this model and sentence; report the rest."""
    asked = take(MODEL_EDITS)
    edits = fitting(asked, plain)
    if len(edits) < len(asked):
        dropped = [in_words(each, plain) for each in asked if each not in edits]
        state.say_ignored(say("models.change.dropped", changes=", ".join(map(literal, dropped))))
        url_texts.correct(MODEL_EDITS, texts()[MODEL_EDITS].write(edits))
    return edits


def _written(start: ModelTrace) -> tuple[int, ...]:
    """Return what the model has written; report and drop what doesn't fit."""
    asked: tuple[int, ...] = take(MODEL_WRITTEN)
    n_known = start.result.logits.shape[-1] if can_write(start) else 0
    known = tuple(takewhile(lambda each: each < n_known, asked))[: max(0, most_of(start) - len(start.tokens))]
    if known != asked:
        state.say_ignored(say("write.unknown", ids=texts()[MODEL_WRITTEN].write(asked[len(known) :])))
        url_texts.correct(MODEL_WRITTEN, texts()[MODEL_WRITTEN].write(known))
    return known


def _kind(view: ModelTrace) -> Kind:
    """Draw the choice of attention kind and the decoder's field."""
    if len(view.kinds) == 1:
        return view.kinds[0]
    kind = take(MODEL_KIND)
    held = this_session().held(_KIND_KEY, kind, partial(url_texts.put, MODEL_KIND))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(say("models.page.kind"), view.kinds, required=True,
                             format_func=lambda each: say(f"models.page.kinds.{each}"), **held)  # fmt: skip
        written_so_far = sentence(MODEL_TARGET, say("models.page.target"), _TARGET_KEY)
    is_too_long(written_so_far)
    return kind if kind in view.kinds else view.kinds[0]


def _picked(view: ModelTrace) -> tuple[int, int]:
    layer, head = take(MODEL_HEAD)
    if (layer, head) not in list(view.heads):
        first = next(iter(view.heads))
        if (layer, head) != FIRST_HEAD:
            state.say_ignored(_no_such(view, layer, head))
        url_texts.correct(MODEL_HEAD, f"{first[0]}.{first[1]}")
        return first
    return layer, head


def _no_such(view: ModelTrace, layer: int, head: int) -> str:
    """Say that a head isn't there, and why."""
    if layer < view.n_layers and not view.layers[layer].n_heads:
        return say("models.others.picked", layer=layer, does=view.layers[layer])
    return say("models.page.none", layer=layer, head=head)


def _give_to_share(view: ModelTrace, place: tuple[int, int], query: int, name: str) -> None:
    """Give Share this head: its script, matrices, picture and report."""
    trace, digits = view.heads[place], state.digits()
    layer, head = place
    title, target = say("models.share.weights", layer=layer, head=head), take(MODEL_TARGET)
    alt = say("models.of_head", model=view.name, layer=layer, head=head)
    offer("model.weights", title, alt, lambda: heatmap_spec(trace, "attention_weights", query=query, digits=digits))
    offer("model.heads", say("models.title", model=view.name), say("models.alt", layers=len(view.attending),
          heads=view.n_heads, model=view.name), lambda: model_spec(view))  # fmt: skip
    this_session().shared.computation = Computation(
        f"layer{layer}_head{head}", say("models.share.about"), view.attending_at(layer).whole(head),
        lambda: model_script(view, *place, name=name, target=target, digits=digits, drawing=drawing()),
        lambda: head_report(view, *place, digits=digits), lambda: model_page(view),
    )  # fmt: skip


def _query(view: ModelTrace, place: tuple[int, int]) -> int:
    """Return the picked token; by default, one that reads another strongly."""
    layer, picked = (view.original or view).layers[place[0]], take(MODEL_QUERY)
    if picked is None and not view.written:
        others = layer.weights[place[1]].clone()
        others[:, 0] = 0
        if others.shape[0] == len(view.special) and not all(view.special):  # prefer the reader's words, if any
            others[list(view.special)] = -1
        if others.shape[0] == others.shape[1]:
            others.fill_diagonal_(0)
        return int(others.max(-1).values.argmax())
    last = len(layer.tokens) - 1  # the next word is predicted from the last token
    return last if picked is None else min(int(picked), last)
