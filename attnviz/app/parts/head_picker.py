"""The heads as a row of buttons, on pages that have no board to pick one on."""

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.link_values import picked_head
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import HEAD
from attnviz.words import say

_KEY = "heads.picker"


def show_head_picker(scenario: Scenario) -> int:
    """Draw the heads, where there are several, and return the number of the one in view."""
    head = picked_head(scenario)
    if scenario.n_heads > 1:
        st.session_state[_KEY] = head
        st.segmented_control(say("heads.picker"), range(scenario.n_heads), key=_KEY, required=True, on_change=_take)
    return head


def _take() -> None:
    url_texts.put(HEAD, int(st.session_state[_KEY]))
