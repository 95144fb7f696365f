"""Controls that a lesson link hides: still there, so that their values stay, but out of sight."""

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.link_values import take
from attnviz.link.parameter_table import HIDE
from attnviz.words import say

_CONTAINERS = {"text": "sentence", "what_if": "playground-what_if"}  # where a control is more than its own element
_SLIDER = ("setup-temperature",)


def hide() -> None:
    """Put the hidden controls out of sight, with a way to have them back."""
    names = take(HIDE)
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("setup.hidden", n=len(names)), width="content")
        st.button(
            say("setup.show_hidden"),
            on_click=url_texts.send,
            args=(HIDE, ""),
            type="tertiary",
            key="hiding.show",
        )
    # Names from the table of parameters, never from the URL.
    kept = (each for name in names for each in (_CONTAINERS.get(name, name), f"setup_meaning_{name}"))
    selectors = ", ".join(f".st-key-{each}" for each in (*kept, *(_SLIDER if "temperature" in names else ())))
    st.html(f"<style>{selectors} {{ display: none; }}</style>")
