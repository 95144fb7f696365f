"""What a page shows while there is no sentence: what for it needs one, and a place to type it."""

import streamlit as st

from attnviz.words import say

_KEY = "blank.text"


def show_blank(key: str) -> None:
    """Say by a sentence of the catalogue that one is missing, and take it."""
    st.info(say(key), icon=":material/edit:")
    st.text_input(say("setup.text.label"), key=_KEY, on_change=_take, label_visibility="collapsed",
                  placeholder=say("setup.text.help"))  # fmt: skip


def _take() -> None:
    st.session_state["text"] = st.session_state[_KEY]
