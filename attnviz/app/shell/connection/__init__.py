"""What a page does when its connection to the server goes and comes back; see connection.js."""

from pathlib import Path

import streamlit as st

from attnviz.app.components.board import take_left
from attnviz.app.session import address
from attnviz.app.session.answering import answers, sent_by
from attnviz.scripts import joined
from attnviz.words import say

_HERE = Path(__file__).parent
_KEY = "connection"
_BACK, _MENDING = "connection.back", "connection.mending"

_connection = st.components.v2.component(
    "attnviz_connection",
    html='<div class="connection" role="status"></div>',
    css=(_HERE / "connection.css").read_text(),
    js=joined(_HERE / "connection.js"),
)


def watch() -> None:
    """Draw, at the end of a run, what watches over the connection and the address; there is nothing to see."""
    if st.session_state.pop(_MENDING, False):
        address.write()
    with st.container(key="connection_place"):
        _connection(
            key=_KEY,
            data={
                "back": st.session_state.get(_BACK, 0),
                "answered": answers(),
                "words": {name: say(f"connection.{name}") for name in ("away", "back")},
                "address": address.expected(),
                "led": address.led(),
            },
            on_back_change=_take_back,
            on_left_change=lambda: take_left(sent_by(_KEY, "left")),
            on_mend_change=lambda: st.session_state.update({_MENDING: True}),
            height=1,
        )


def _take_back() -> None:
    number = sent_by(_KEY, "back")
    if isinstance(number, int | float):
        st.session_state[_BACK] = number
