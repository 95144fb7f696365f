"""Share's offer beside a question: to ask a class."""

import streamlit as st

from attnviz.words import say


def show_ask_the_class(about: str) -> None:
    """Draw the link that opens a class with this question."""
    st.link_button(say("classes.share"), f"./class?about={about}", icon=":material/groups:", type="tertiary")
