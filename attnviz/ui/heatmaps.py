"""Heatmaps on a page."""

import streamlit as st

from attnviz.attention import AttentionTrace
from attnviz.figures import heatmap_spec
from attnviz.stages import PICTURED
from attnviz.summary import described
from attnviz.ui.charts import show_figure
from attnviz.ui.text import is_dark


def show_heatmaps(trace: AttentionTrace, query: int, digits: int) -> None:
    """Draw every matrix of the trace in the order of the computation; they wrap where the page is narrow."""
    dark = is_dark()
    with st.container(horizontal=True, gap="small", key="playground_heatmaps"):
        for name in PICTURED:
            spec = heatmap_spec(trace, name, digits=digits, query=query, dark=dark)
            # Streamlit mounts a changed picture anew and draws it twice; with a revision that stays the same,
            # Plotly.js sees that the second time brings nothing new.
            spec["layout"]["datarevision"] = 0
            show_figure(spec, f"playground.{name}", described(trace, name, query, digits))
