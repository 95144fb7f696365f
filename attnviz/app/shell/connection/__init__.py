"""A notice when the server connection breaks or returns; see connection.js."""

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
    """Draw the invisible connection watcher, at the end of a run."""
    _connection(key="connection", data={name: say(f"connection.{name}") for name in ("away", "back")}, height=1)
