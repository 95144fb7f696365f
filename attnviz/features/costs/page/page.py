"""The parts of the page on costs, in their order."""

from pathlib import Path

import streamlit as st

from attnviz.core.scenario import Scenario
from attnviz.features.costs.page.curve import show_curve, show_measured
from attnviz.features.costs.page.tiles import show_tiles, show_traffic
from attnviz.words import say

_STYLE = (Path(__file__).parent / "costs.css").read_text()


def show_costs(scenario: Scenario | None) -> None:
    """Draw the page."""
    st.html(f"<style>{_STYLE}</style>")
    with st.container(key="costs"):
        st.markdown(f"## {say('costs.heading')}")
        show_curve(scenario)
        show_tiles(scenario)
        show_traffic()
        show_measured()
