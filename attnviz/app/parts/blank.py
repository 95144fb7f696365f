"""What a page shows while there is no sentence that it can be about: what for it needs one, and a way to it."""

import streamlit as st

from attnviz.app.session.address import turn
from attnviz.app.session.session import this_session
from attnviz.core.stages import ITSELF
from attnviz.published import OPENING, starting_points
from attnviz.words import say

_KEY = "blank.text"


def show_blank(key: str) -> None:
    """Say by a sentence of the catalogue that one is missing, and take it."""
    st.info(say(key), icon=":material/edit:")
    st.text_input(say("setup.text.label"), key=_KEY, on_change=_take, label_visibility="collapsed",
                  placeholder=say("setup.text.help"))  # fmt: skip
    first = starting_points()[OPENING].scenario.text
    st.button(say("setup.text.first", text=first), on_click=_begin, args=(first,), key="blank.first")


def show_second_sentence(key: str) -> None:
    """Say by a sentence of the catalogue that the page is of a sentence which reads itself, and offer to have it so."""
    st.info(say(key), icon=":material/swap_horiz:")
    st.button(say("setup.reads.itself"), on_click=_read_itself, key="blank.reads")


def _read_itself() -> None:
    turn({"reads": ITSELF})


def _begin(text: str) -> None:
    turn({"text": text})


def _take() -> None:
    turn({"text": this_session().get(_KEY)})
