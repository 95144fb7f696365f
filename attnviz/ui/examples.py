"""A worked example as the set-up of all pages: by a click, or by ``?example=love-ai``."""

from urllib.parse import parse_qsl

import streamlit as st

from attnviz.link import parameters, query_of
from attnviz.ui import bound, state
from attnviz.ui.text import literal
from attnviz.worked_examples import worked_example, worked_examples

PARAMETER = "example"
_NAMED = "examples.named"


def set_up_from_url() -> None:
    """Make the example that the URL names the set-up; what else the URL says lies over it. Before any control."""
    name = st.query_params.get(PARAMETER)
    if name is None:
        return
    del st.query_params[PARAMETER]
    try:
        scenario = worked_example(name).scenario
    except ValueError as error:
        state.say(f"The link was not taken as it is: {literal(str(error), most=300)}.")
        return
    st.session_state[_NAMED] = name
    if scenario is None:
        return
    own = st.query_params.to_dict()
    stated = dict(parse_qsl(query_of(scenario)))
    changes = [part for part in (stated.get(bound.CHANGES), own.get(bound.CHANGES)) if part]
    # Controls that are drawn for the first time read the URL and do not write it.
    st.query_params.from_dict(stated | own | ({bound.CHANGES: "*".join(changes)} if changes else {}))
    st.rerun()


def take_named() -> str:
    """Return the example that the URL named, once: the page Check my numbers opens there. '' where it named none."""
    return str(st.session_state.pop(_NAMED, ""))


def say_where_named_stands() -> None:
    """Tell of an example that the URL named, that is no set-up, and that the page did not take; after the page."""
    name = take_named()
    if name and worked_example(name).scenario is None:
        state.say(f"The example {literal(name)} starts from scores: it stands on the page Check my numbers.")


def show_choice() -> None:
    """Draw a button for each example that is a whole computation."""
    st.caption("Worked examples, with the matrices of their sources")
    for name, example in worked_examples().items():
        if example.scenario is not None:
            st.button(example.title, key=f"setup.worked.{name}", on_click=set_up, args=(name,), type="tertiary")


def set_up(name: str) -> None:
    """Make an example the set-up of all pages; in a callback, before the controls are drawn."""
    scenario = worked_example(name).scenario
    if scenario is None:
        raise ValueError(f"the example {name!r} is no whole computation")
    for control, parameter in parameters().items():
        st.session_state[control] = getattr(scenario, control, parameter.default)
    bound.send(bound.QUERY, "")
    state.start_set_up_anew(scenario)
