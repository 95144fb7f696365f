"""The way to the panel What if of the playground, from wherever what it changes is spoken of."""

import streamlit as st

from attnviz.app.session.navigation import go_to
from attnviz.words import say

PANEL = "playground.what_if"  # whether it is open, in the session


def show_way_to_panel(key: str) -> None:
    """Draw a link to the panel, which is open then."""
    if st.button(say("what_if.way"), key=key, type="tertiary", on_click=open_panel):
        go_to("pages/playground.py")


def open_panel() -> None:
    """Have the panel open from the next run on; in a callback."""
    st.session_state[PANEL] = True
