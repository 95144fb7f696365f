"""Plotly figures, tables of measures per token, and file downloads."""

import math
from collections.abc import Callable, Mapping, Sequence
from mimetypes import guess_type
from typing import Any, Literal, NamedTuple

import streamlit as st
from plotly.basedatatypes import BaseFigure

from attnviz.app.session.component import component
from attnviz.app.session.session import Figure, this_session
from attnviz.app.text import is_dark
from attnviz.words import say
from attnviz.words.numbers import written

_CONFIG = {"displayModeBar": False}
# An SVG is drawn in the page itself, so that it has the page's font. st.html would remove it.
_svg = component(
    "svg",
    "<div></div>",
    lambda: "export default ({ data, parentElement }) => { parentElement.querySelector('div').innerHTML = data.svg; };",
    isolate_styles=False,
)


def offer(key: str, title: str, alt: str, draw: Callable[[], Any]) -> None:
    """Offer a figure of this run under Share."""
    this_session().shared.figures[key] = Figure(title, alt, draw)


class _PlainFigure(BaseFigure):  # type: ignore[misc]
    """A dictionary that Streamlit accepts as a figure.

    From a plain dictionary, st.plotly_chart builds and validates a Figure, which took most of the server's time for
    eight heatmaps (some 100 of 140 ms); here the tests check the dictionaries instead.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        object.__setattr__(self, "_spec", spec)

    def to_dict(self) -> Any:
        return self._spec


def show_figure(
    spec: dict[str, Any] | str, key: str, alt: str = "", *, width: Literal["content", "stretch"] | int = "content"
) -> None:
    """Draw a Plotly figure, described by `alt`, or an SVG.

    An SVG contains its own description and width.
    """
    if isinstance(spec, str):
        _svg(key=key, data={"svg": spec})
        return
    st.plotly_chart(_PlainFigure(spec), width=width, theme=None, key=key, alt=alt, config=_CONFIG)


def show_offered(
    draw: Callable[..., dict[str, Any] | str], key: str, title: str, alt: str, *,
    width: Literal["content", "stretch"] = "content",
) -> None:  # fmt: skip
    """Draw a figure in the page's colours, and offer it under Share."""
    show_figure(draw(dark=is_dark()), key, alt, width=width)
    offer(key, title, alt, draw)


def clicked(selection: Any) -> tuple[float, float] | None:
    """Return the clicked point's x and y; None without a valid one.

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
    """Draw a figure; return the clicked point's x, or None."""
    event = st.plotly_chart(
        _PlainFigure(spec), theme=None, key=key, alt=alt, config=_CONFIG, on_select="rerun", selection_mode="points"
    )
    point = clicked(event)
    return point and point[0]


def download(label: str, make: Any, file_name: str, key: str, **looks: Any) -> None:
    """Draw a download button; a click makes the file, without a rerun."""
    kind = guess_type(file_name)[0] or "application/octet-stream"
    st.download_button(label, make, file_name, kind, key=key, on_click="ignore", **looks)


_NO_TEXT = " "  # hides Streamlit's number in each bar, which is written by another rule than all other numbers


class Measured(NamedTuple):
    """A measure: a number per token, a full bar's value, a format."""

    title: str
    values: Sequence[float]
    most: float
    digits: int
    percent: bool = False

    @property
    def texts(self) -> list[str]:
        """Return the measure's numbers as every other view writes them."""
        texts = [written(value, self.digits) for value in self.values]
        return [say("board.share.percent", share=text) for text in texts] if self.percent else texts


def show_measured(key: str, title: str, tokens: Sequence[str], measures: Mapping[str, Measured]) -> None:
    """Draw a table: a row per token, two columns per measure."""
    columns: dict[str, Sequence[object]] = {"token": tokens}
    shown: dict[str, Any] = {"token": st.column_config.TextColumn(title)}
    for name, measure in measures.items():
        columns |= {f"{name}.text": measure.texts, name: measure.values}
        shown[f"{name}.text"] = st.column_config.TextColumn(measure.title, alignment="right")
        shown[name] = st.column_config.ProgressColumn(
            _NO_TEXT, width="small", min_value=0.0, max_value=measure.most or 1.0, format=_NO_TEXT
        )
    st.dataframe(columns, hide_index=True, width=720, key=key, column_config=shown)
