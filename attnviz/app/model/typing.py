"""Sentences that are typed on the page Real model: what no link can carry stays in its field, and is told."""

from dataclasses import dataclass

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.link_values import take
from attnviz.app.session.memory import came_back
from attnviz.app.session.session import this_session
from attnviz.link.parameter_table import MOST_OF_SENTENCE, first_model, texts, texts_of_models
from attnviz.words import plural, say


@dataclass
class ModelSession:
    """What is `opened` on this page in a session: "heads", "board", "compare", or blank for what a link opens; and
    whether it's `new`, so that it opens on the first model."""

    opened: str = ""
    new: bool = True


def model_session() -> ModelSession:
    """Return what this session has of the page."""
    return this_session().part(ModelSession)


def open_on_first_model() -> None:
    """Have the page show the first model, where a session opens it and no link says another: links that name none are
    of the time when there was one alone, which they open still."""
    session = model_session()
    if session.new and not any(map(url_texts.current, texts_of_models())):
        for name, text in first_model().items():
            url_texts.correct(name, text)
    session.new = False


def sentence(parameter: str, label: str, key: str, *, hidden: bool = False, ends: str = "") -> str:
    """Draw the field of a sentence that the address keeps, and return what stands in it.

    Without max_chars: the browser would refuse a longer paste without a word. What the address can't say, a text that
    is too long or a blank one where that stands for the example, is kept beside it. Another sentence ends what the
    parameter `ends` says of this one.
    """
    current, kept = take(parameter), f"{key}.kept"
    typed, then = this_session().get(kept, (current, current))
    if then != current:  # another sentence has come with a link, or by Back
        typed = current
    if not came_back():  # else the page still holds what was typed into it when its server went
        this_session().put(key, typed)
    held = str(
        st.text_input(
            label, typed, key=key, on_change=_keep, args=(parameter, key, kept, ends),
            label_visibility="collapsed" if hidden else "visible",
        )
    )  # fmt: skip
    if held != typed:
        _keep(parameter, key, kept, ends)
    return held


def _keep(parameter: str, key: str, kept: str, ends: str) -> None:
    typed = this_session().get(key)
    blank = not typed.strip() and texts()[parameter].default
    if blank or len(typed) > MOST_OF_SENTENCE:
        this_session().put(kept, (typed, take(parameter)))
        return
    this_session().pop(kept, None)
    url_texts.put(parameter, typed)
    if ends:
        url_texts.send(ends, "")


def is_too_long(typed: str) -> bool:
    """Return whether a sentence has more characters than a link can carry; if so, say what fits."""
    if len(typed) <= MOST_OF_SENTENCE:
        return False
    st.warning(say("models.page.too_many", characters=plural(len(typed), "character"), most=f"{MOST_OF_SENTENCE:,}"),
               icon=":material/info:")  # fmt: skip
    return True
