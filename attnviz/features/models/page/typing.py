"""The inputs of the page Language model: sentence, model, order of heads.

A sentence that no link can carry stays in its field, and the page says so.
"""

from dataclasses import dataclass

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.fields import stand_at_once
from attnviz.app.session.page_record import came_back
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.features.language_models.inside import offered
from attnviz.features.models.link_texts import BY_LAYERS, MOST_ABOVE, ORDERS
from attnviz.features.models.parameters import (
    MODEL,
    MODEL_HEAD,
    MODEL_ORDER,
    MODEL_QUERY,
    MODEL_SECOND,
    MODEL_WHY,
    MODEL_WRITTEN,
    MOST_OF_SENTENCE,
    SENTENCE,
    WORKED_HEADS,
    example_of,
    first_model,
    texts_of_models,
)
from attnviz.link.parameter_table import texts
from attnviz.words import plural, say, thousands


@dataclass
class ModelSession:
    """A session's view of the page.

    `opened` is "heads", "board", "compare", or blank for what a link opens; `new` is True until the page is drawn.
    """

    opened: str = ""
    new: bool = True


def model_session() -> ModelSession:
    """Return the session's view of the page."""
    return this_session().part(ModelSession)


def open_on_first_model() -> None:
    """Select the first model in a new session, unless a link differs."""
    session = model_session()
    if session.new and not any(map(url_texts.current, texts_of_models())):
        for name, text in first_model().items():
            url_texts.correct(name, text)
    session.new = False


def sentence(parameter: str, label: str, key: str, *, hidden: bool = False, ends: tuple[str, ...] = ()) -> str:
    """Draw a field for a sentence in the address; return its text.

    The field has no max_chars, because it would silently refuse a longer paste. A text that the address can't hold is
    kept in the session: one that is too long, or a blank one, where a blank parameter stands for the example. When the
    sentence changes, the parameters `ends` are emptied, because they belong to the old one.
    """
    current, kept = take(parameter), f"{key}.kept"
    typed, then = this_session().get(kept, (current, current))
    if then != current:  # a link or Back has brought another sentence
        typed = current
    if not came_back():  # else the page still has what was typed before the server was gone
        this_session().put(key, typed)
    held = str(
        st.text_input(
            label, typed, key=key, on_change=_keep, args=(parameter, key, kept, ends),
            label_visibility="collapsed" if hidden else "visible",
        )
    )  # fmt: skip
    if held != typed:
        _keep(parameter, key, kept, ends)
    is_optional = not texts()[parameter].default
    stand_at_once(parameter, {key: ""}, most=MOST_OF_SENTENCE, ends=ends, is_optional=is_optional)
    return held


def _keep(parameter: str, key: str, kept: str, ends: tuple[str, ...]) -> None:
    typed = this_session().get(key)
    blank = not typed.strip() and texts()[parameter].default
    if blank or len(typed) > MOST_OF_SENTENCE:
        this_session().put(kept, (typed, take(parameter)))
        return
    this_session().pop(kept, None)
    url_texts.put(parameter, typed)
    for each in ends:
        url_texts.send(each, "")


def is_too_long(typed: str) -> bool:
    """Whether a link can't carry a sentence; if so, say so."""
    if len(typed) <= MOST_OF_SENTENCE:
        return False
    characters, most = plural(len(typed), "character"), thousands(MOST_OF_SENTENCE)
    st.warning(say("models.page.too_many", characters=characters, most=most), icon=":material/info:")
    return True


_SECOND_KEY = "model.second"
_SENTENCE_KEY, _ORDER_KEY, _ABOVE_KEY = "model.sentence", "model.order", "model.above"
# (model, sentence, order of the heads, least figure in percent, containers for the model's name and for more text)
TypedValues = tuple[str, str, str, int, tuple[DeltaGenerator, DeltaGenerator]]


def show_asked(*, alone: bool) -> TypedValues:
    """Draw the fields for sentence, model and order; return their values."""
    name = take(MODEL)
    with st.container(width=532, key="model_typed"):
        text = sentence(
            SENTENCE, say("models.page.sentence"), _SENTENCE_KEY, hidden=True, ends=(MODEL_WRITTEN, MODEL_WHY)
        )
    with st.container(
        horizontal=True, vertical_alignment="center", key="model_asked", width=532 if alone else "content"
    ):
        which = st.container()
        with st.popover(say("models.page.model")):
            if len(offered()) > 1:
                held = this_session().held("model.name", name, _take_model)
                st.selectbox(say("models.page.model"), list(offered()), **held)
            order, above = _order()
            st.caption(say("models.page.about" if order == BY_LAYERS else f"models.page.measures.{order}"))
            if text == example_of(name):
                for layer, head in WORKED_HEADS[name]:
                    st.button(say("models.page.worked", layer=layer, head=head), key=f"model.worked.{layer}.{head}",
                              icon=":material/lightbulb:", on_click=_take_worked, args=((layer, head),))  # fmt: skip
            is_too_long(sentence(MODEL_SECOND, say("models.page.second"), _SECOND_KEY, ends=(MODEL_WRITTEN, MODEL_WHY)))
            st.caption(say("models.page.pair"))
            more = st.container()
    return name, text, order, above, (which, more)


def _take_model(chosen: str) -> None:
    before = take(MODEL)
    url_texts.put(MODEL, chosen)
    example = example_of(chosen)
    if example is not None and take(SENTENCE) == example_of(before):  # not typed by the reader
        url_texts.put(SENTENCE, example)
        _take_worked(WORKED_HEADS[chosen][0])
    url_texts.put(MODEL_WRITTEN, ())
    url_texts.put(MODEL_WHY, None)


def _take_worked(place: tuple[int, int]) -> None:
    url_texts.put(MODEL_HEAD, place)
    url_texts.put(MODEL_QUERY, None)


def _order() -> tuple[str, int]:
    """Draw the heads' order and limit, both kept in the address."""
    order, above = take(MODEL_ORDER)
    this_session().put(_ORDER_KEY, order)
    st.selectbox(say("models.page.order"), ORDERS, key=_ORDER_KEY, width=220, on_change=_keep_order,
                 format_func=lambda each: say(f"models.page.orders.{each}"))  # fmt: skip
    if order == BY_LAYERS:
        return order, 0
    this_session().put(_ABOVE_KEY, above)
    st.number_input(say("models.page.above"), 0, MOST_ABOVE, step=5, key=_ABOVE_KEY, width=160, on_change=_keep_order)
    return order, above


def _keep_order() -> None:
    order = this_session().get(_ORDER_KEY)
    above = 0 if order == BY_LAYERS else this_session().get(_ABOVE_KEY)
    url_texts.put(MODEL_ORDER, (order, int(above or 0)))
