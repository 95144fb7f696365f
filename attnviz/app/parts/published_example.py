"""An example as the set-up of all pages: by a click, or by ``?example=love-ai``."""

import streamlit as st

from attnviz.app.session import address, state, url_texts
from attnviz.app.session.session import this_session
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import QUERY
from attnviz.link.set_up import parameters
from attnviz.published import OPENING, starting_points, worked_examples
from attnviz.words import say


def name_now(name: str) -> None:
    """Remember the example that the URL has just named: the page Check my numbers opens there."""
    this_session().example = name


def take_named() -> str:
    """Return the example that the URL named, once; '' where it named none."""
    session = this_session()
    named, session.example = session.example, ""
    return named


def start_over() -> None:
    """Make the example that the app opens with the set-up of all pages; nothing of before is offered back."""
    set_up(OPENING)
    state.forget_offer()


def show_opening() -> None:
    """Draw a button for the example that the app opens with."""
    example = starting_points()[OPENING]
    st.button(example.title, key="setup.opening", on_click=set_up, args=(OPENING,), type="tertiary")


def show_choice() -> None:
    """Draw a button for each worked example."""
    st.caption(say("check.examples.caption"))
    for name, example in worked_examples().items():
        st.button(example.title, key=f"setup.worked.{name}", on_click=set_up, args=(name,), type="tertiary")


def set_up(name: str) -> None:
    """Make an example the set-up of all pages; in a callback, before the controls are drawn."""
    begin_with(starting_points()[name].scenario)


def begin_with(scenario: Scenario, query: int | None = None) -> None:
    """Make a scenario the set-up of all pages, with this token picked, or none; in a callback."""
    address.turn({name: getattr(scenario, name, row.default) for name, row in parameters().items()})
    url_texts.send(QUERY, "" if query is None else str(query))
    state.start_set_up_anew(scenario)
