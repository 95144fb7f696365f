"""Heatmaps on a page."""

from typing import Any

import streamlit as st
from plotly.basedatatypes import BaseFigure

from attnviz.attention import AttentionTrace
from attnviz.figures import heatmap_spec
from attnviz.stages import PICTURED
from attnviz.summary import described
from attnviz.ui.text import is_dark


class _PlainFigure(BaseFigure):  # type: ignore[misc]
    """A dictionary that Streamlit takes for a figure.

    Given a dictionary, st.plotly_chart builds and checks a Figure from it, which took most of the server's
    time for eight heatmaps (some 100 of 140 ms); the tests check the dictionaries instead.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        object.__setattr__(self, "_spec", spec)

    def to_dict(self) -> Any:
        return self._spec


def show_figure(spec: dict[str, Any], key: str, alt: str) -> None:
    """Draw a figure given as a plain dictionary, with a text for those who cannot see it."""
    st.plotly_chart(_PlainFigure(spec), width="content", theme=None, key=key, alt=alt, config={"displayModeBar": False})


def show_heatmaps(trace: AttentionTrace, query: int, digits: int) -> None:
    """Draw every matrix of the trace in the order of the computation; they wrap where the page is narrow."""
    dark = is_dark()
    with st.container(horizontal=True, gap="small", key="playground_heatmaps"):
        for name in PICTURED:
            spec = heatmap_spec(trace, name, digits=digits, query=query, dark=dark)
            show_figure(spec, f"playground.{name}", described(trace, name, query, digits))
