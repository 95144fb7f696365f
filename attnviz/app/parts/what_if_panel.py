"""The way to the panel What if of the playground, from wherever what it changes is spoken of."""

import streamlit as st

from attnviz.app.parts.published_example import begin_with
from attnviz.app.session.address import go_to
from attnviz.app.session.session import this_session
from attnviz.core.scenario import Scenario
from attnviz.words import say

PANEL = "playground.what_if"  # whether it is open, in the session


def show_way_to_panel(key: str, scenario: Scenario | None = None, query: int | None = None) -> None:
    """Draw a link to the panel, which is open then: of this scenario, or of the one that is set up."""
    st.button(say("what_if.way"), key=key, type="tertiary", on_click=_lead, args=(scenario, query))


def _lead(scenario: Scenario | None, query: int | None) -> None:
    open_panel()
    if scenario is not None:
        begin_with(scenario, query)
    go_to("pages/playground.py")


def open_panel() -> None:
    """Have the panel open from the next run on; in a callback."""
    this_session().put(PANEL, True)
