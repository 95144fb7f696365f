"""Heatmaps on a page."""

from functools import partial
from pathlib import Path

import streamlit as st

from attnviz.app.parts.charts import show_figure
from attnviz.app.parts.picked_cell import picked_cell, show_picked, take_click
from attnviz.app.scripts import script
from attnviz.app.session import state
from attnviz.app.text import is_dark
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import is_elsewhere
from attnviz.core.scenario import Scenario
from attnviz.core.stages import pictured
from attnviz.explanation.summary import described
from attnviz.figures import heatmap_spec, is_pickable

_in_sight = st.components.v2.component(
    "attnviz_in_sight", html="<span></span>", js=script(Path(__file__).parent / "in_sight.js")
)


def show_heatmaps(trace: AttentionTrace, scenario: Scenario, query: int) -> None:
    """Draw every matrix of the trace in the order of the computation, beside the learned ones that it is made with;
    they wrap where the page is narrow."""
    dark, digits = is_dark(), state.digits()
    picked = picked_cell(trace, scenario)
    with st.container(horizontal=True, gap="small", key="playground_heatmaps"):
        groups = [group for group in pictured(trace.stages) if not is_elsewhere(group[-1])]
        for i, group in enumerate(groups):
            with st.container(horizontal=True, gap="small", width="content", key=f"playground_heatmaps_{i}"):
                for name in group:
                    spec = heatmap_spec(
                        trace, name, digits=digits, query=query, dark=dark, pickable=True, picked=picked, brief=True
                    )
                    # Streamlit mounts a changed picture anew and draws it twice; with a revision that stays the same,
                    # Plotly.js sees that the second time brings nothing new.
                    spec["layout"]["datarevision"] = 0
                    key = f"playground.{name}"
                    show_figure(
                        spec, key, described(trace, name, query, digits),
                        on_click=partial(take_click, trace, name, key) if is_pickable(spec) else None,
                    )  # fmt: skip
    show_picked(trace, picked, query)
    place = ["", 0, 0] if picked is None else [picked.matrix, picked.row, picked.column]
    with st.container(key="in_sight"):
        data = {"cell": ".".join(map(str, place)) if picked else "", "matrix": place[0], "row": place[1]}
        _in_sight(key="playground.in_sight", data=data)
