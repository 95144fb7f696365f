"""The foot of every page: which version this is, and of torch, whose numbers these are."""

import streamlit as st

from attnviz.app.keeper import build
from attnviz.words import say


def show_foot() -> None:
    """Draw the line at the end of a page; page.css gives it the room that is there anyway."""
    with st.container(key="foot"):
        st.caption(say("app.foot", version=build.version(), torch=build.torch_version()))
