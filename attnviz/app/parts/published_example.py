"""A worked example as the set-up of all pages: by a click, or by ``?example=love-ai``."""

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.address import open_with, open_without
from attnviz.app.text import literal
from attnviz.link.parameter_table import parameters
from attnviz.published import EXAMPLE, with_example, worked_example, worked_examples
from attnviz.words import say

_NAMED = "examples.named"


def set_up_from_url() -> None:
    """Make the example that the URL names the set-up; what else the URL says lies over it. Before any control."""
    name = st.query_params.get(EXAMPLE)
    if name is None:
        return
    if name not in worked_examples():
        say_unknown(name, tuple(worked_examples()))
        open_without([EXAMPLE])
        return
    st.session_state[_NAMED] = name
    # Controls that are drawn for the first time read the URL and do not write it.
    open_with({EXAMPLE: ""} | with_example(st.query_params.to_dict()))


def say_unknown(name: str, known: tuple[str, ...]) -> None:
    """Say that the URL names an example that is none, and which there are."""
    state.say(say("check.examples.unknown", name=literal(name), known=", ".join(known)))


def take_named() -> str:
    """Return the example that the URL named, once: the page Check my numbers opens there. '' where it named none."""
    return str(st.session_state.pop(_NAMED, ""))


def show_choice() -> None:
    """Draw a button for each example."""
    st.caption(say("check.examples.caption"))
    for name, example in worked_examples().items():
        st.button(example.title, key=f"setup.worked.{name}", on_click=set_up, args=(name,), type="tertiary")


def set_up(name: str) -> None:
    """Make an example the set-up of all pages; in a callback, before the controls are drawn."""
    scenario = worked_example(name).scenario
    for control, parameter in parameters().items():
        st.session_state[control] = getattr(scenario, control, parameter.default)
    url_texts.send(url_texts.QUERY, "")
    state.start_set_up_anew(scenario)
