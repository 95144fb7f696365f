"""What a page says when its connection to the server goes and comes back; see connection.js."""

from pathlib import Path

import streamlit as st

from attnviz.scripts import script
from attnviz.words import say

_HERE = Path(__file__).parent

_connection = st.components.v2.component(
    "attnviz_connection",
    html='<div class="connection" role="status"></div>',
    css=(_HERE / "connection.css").read_text(),
    js=script(_HERE / "connection.js"),
)


def watch() -> None:
    """Draw, at the end of a run, what watches over the connection; there is nothing to see."""
    _connection(key="connection", data={name: say(f"connection.{name}") for name in ("away", "back")}, height=1)
