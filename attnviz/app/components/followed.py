"""A sentence of the page that follows the board, while a number on it is dragged."""

from pathlib import Path

import streamlit as st

_followed = st.components.v2.component(
    "attnviz_followed",
    html='<div class="followed"></div>',
    # What the board says of newer numbers takes the place of what Python said of older ones.
    css="""
      .st-key-followed:has(.followed:not(:empty)) [data-testid="stText"] { display: none; }
      .followed { overflow-wrap: anywhere; }
    """,
    js=(Path(__file__).parent / "followed.js").read_text(),
    isolate_styles=False,
)


def show_followed(said: str) -> None:
    """Draw a sentence on what a token reads most; while the board shows newer numbers, it says it of those."""
    with st.container(key="followed", gap=None):
        st.text(said)
        _followed(key="followed.now", data={"said": said})
