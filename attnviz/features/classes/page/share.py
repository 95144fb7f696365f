"""What Share offers beside what is asked: a class."""

import streamlit as st

from attnviz.words import say


def show_ask_the_class(about: str) -> None:
    """Draw what leads to a class that is asked this question."""
    st.link_button(say("classes.share"), f"./class?about={about}", icon=":material/groups:", type="tertiary")
