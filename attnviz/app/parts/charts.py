"""Plotly figures on a page."""

import math
from collections.abc import Callable
from typing import Any, Literal

import streamlit as st
from plotly.basedatatypes import BaseFigure

from attnviz.app.session.session import Figure, this_session
from attnviz.app.text import is_dark

_CONFIG = {"displayModeBar": False}


def offer(key: str, title: str, alt: str, draw: Callable[[], dict[str, Any]]) -> None:
    """Offer a figure of this run under Share."""
    this_session().shared.figures[key] = Figure(title, alt, draw)


class _PlainFigure(BaseFigure):  # type: ignore[misc]
    """A dictionary that Streamlit takes for a figure.

    Given a dictionary, st.plotly_chart builds and checks a Figure from it, which took most of the server's
    time for eight heatmaps (some 100 of 140 ms); the tests check the dictionaries instead.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        object.__setattr__(self, "_spec", spec)

    def to_dict(self) -> Any:
        return self._spec


def show_figure(
    spec: dict[str, Any],
    key: str,
    alt: str,
    *,
    width: Literal["content", "stretch"] = "content",
) -> None:
    """Draw a figure given as a plain dictionary, with a text for those who cannot see it."""
    st.plotly_chart(_PlainFigure(spec), width=width, theme=None, key=key, alt=alt, config=_CONFIG)


def show_offered(
    draw: Callable[..., dict[str, Any]], key: str, title: str, alt: str, *,
    width: Literal["content", "stretch"] = "content",
) -> None:  # fmt: skip
    """Draw a figure, in the colours of the reader's page, and offer it under Share."""
    show_figure(draw(dark=is_dark()), key, alt, width=width)
    offer(key, title, alt, draw)


def clicked(selection: Any) -> tuple[float, float] | None:
    """Return x and y of the point that was clicked; None where none was, or where a message was forged.

    >>> clicked({"selection": {"points": [{"x": 1, "y": 2}]}}), clicked({"selection": {"points": []}})
    ((1.0, 2.0), None)
    """
    try:
        point = selection["selection"]["points"][0]
        x, y = float(point["x"]), float(point["y"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def show_pickable(spec: dict[str, Any], key: str, alt: str) -> Any:
    """Draw a figure whose points can be clicked; return the x of the point that was, or None."""
    event = st.plotly_chart(
        _PlainFigure(spec), theme=None, key=key, alt=alt, config=_CONFIG, on_select="rerun", selection_mode="points"
    )
    point = clicked(event)
    return point and point[0]
