"""Controls that a lesson link hides: still there, so that their values stay, but out of sight."""

from collections.abc import Iterable

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.text import listed
from attnviz.link.parameter_table import parameters
from attnviz.words import say

_CONTAINERS = {"text": "sentence"}  # where a control is more than its own element


def text_of(names: Iterable[str]) -> str:
    """Return the names of controls as the URL has them."""
    return ".".join(names)


def hidden() -> list[str]:
    """Return the names of the controls that the link hides; what it names beside them gets a message."""
    text, arrived = url_texts.receive(url_texts.HIDE)
    named = text.split(".") if text else []
    unknown = [name for name in named if name not in parameters()]
    if arrived and unknown:
        state.say_ignored(say("links.hidden", names=listed(unknown)))
        url_texts.send(url_texts.HIDE, text_of(name for name in named if name in parameters()))
    return [name for name in parameters() if name in named]


def hide() -> None:
    """Put the hidden controls out of sight, with a way to have them back."""
    names = hidden()
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("setup.hidden", n=len(names)), width="content")
        st.button(
            say("setup.show_hidden"),
            on_click=url_texts.send,
            args=(url_texts.HIDE, ""),
            type="tertiary",
            key="hiding.show",
        )
    # Names from the table of parameters, never from the URL.
    selectors = ", ".join(f".st-key-{_CONTAINERS.get(name, name)}" for name in names)
    st.html(f"<style>{selectors} {{ display: none; }}</style>")
