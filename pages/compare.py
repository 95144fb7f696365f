"""Compare: a pinned set-up A beside the set-up of now, B."""

import streamlit as st

from attnviz.comparing import Comparison
from attnviz.scenario import Scenario, traced
from attnviz.ui import current_scenario
from attnviz.ui.compare_views import pinned, show_comparison, show_pin
from attnviz.ui.editor import show_folded_editor
from attnviz.ui.token_picker import show_token_picker


def show_compare(scenario: Scenario) -> None:
    """Draw what is pinned beside this scenario."""
    query = show_token_picker(scenario)
    top = st.container()
    pictures = st.container()
    scenario = show_folded_editor(scenario)
    a = pinned()
    with top:
        show_pin(scenario, a)
    if a is not None:
        with pictures:
            show_comparison(Comparison(traced(a), traced(scenario)), query)


scenario = current_scenario()
if scenario is None:
    st.info("Type a sentence above: it is one side of the comparison.", icon="✏️")
else:
    show_compare(scenario)
