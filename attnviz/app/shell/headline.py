"""The first line of every page, and how all pages look."""

from pathlib import Path

import streamlit as st

from attnviz.app.session import address, reconnecting, state
from attnviz.app.streamlit_internals import DeltaGenerator

_HERE = Path(__file__).parent
ICON = str(_HERE / "icon.svg")

# Nothing to see. A component, drawn first of all, makes the browser fetch what components need before what two dozen
# widgets need: the board stands on the first visit 0.4 s earlier. It brings the style of all pages along.
_first = st.components.v2.component(
    "attnviz_first",
    html="<span></span>",
    css=(_HERE / "page.css").read_text(),
    isolate_styles=False,
)


def show_headline(title: str, line: str) -> DeltaGenerator:
    """Draw what this is and what one can do here, in one line; return its container, for what stands at its end."""
    reconnecting.hold(state.first_run())
    address.correct()
    with st.container(key="first"):
        _first(key="first_component", height=1)
    headline = st.container(horizontal=True, vertical_alignment="center", gap="small", key="headline")
    with headline:
        st.markdown(f"#### {title}", width="content")
        st.markdown(f":gray[{line}]")
    return headline
