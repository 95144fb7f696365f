"""The cells of a heatmap as Plotly traces: the numbers, and the signs of what is no finite number."""

import html
from typing import Any, NamedTuple

import numpy as np

from attnviz.figures.palette import DIVERGING, FONT_SIZE, INFINITE, NOT_A_NUMBER, SEQUENTIAL, Scale, needs_dark_ink
from attnviz.figures.picture import FINITE, LABELLED, MASKED, NAN, NEGATIVE, POSITIVE, Picture
from attnviz.numbers import in_format

DARK_INK, LIGHT_INK = "#000000", "#ffffff"


class Sign(NamedTuple):
    """How cells of a kind that has no colour on the scale are drawn, and what is said of them."""

    sign: str
    words: str
    legend: str
    colour: str  # empty: that of the theme
    ink: str


_SIGNS = {
    MASKED: Sign("−∞", "−∞, masked: a later token", "grey: masked", "", ""),
    NEGATIVE: Sign("−∞", "−∞, beyond float32", "purple: ∞", INFINITE, LIGHT_INK),
    POSITIVE: Sign("∞", "∞, beyond float32", "purple: ∞", INFINITE, LIGHT_INK),
    NAN: Sign("NaN", "NaN, not a number", "pink: NaN", NOT_A_NUMBER, DARK_INK),
}
_MASKED_SHARE = _SIGNS[MASKED]._replace(sign="–", words="0, masked: a later token")


def cell_traces(picture: Picture) -> list[dict[str, Any]]:
    """Return the heatmap traces that together cover every cell once.

    Plotly writes the numbers of one trace in one ink, so that a picture with light and dark cells takes two.
    """
    z, scale = picture.z, scale_of(picture)
    finite = picture.kinds == FINITE
    groups = [(finite, "")]
    if picture.in_cell:
        dark_ink = needs_dark_ink(np.nan_to_num(z), scale, picture.limits)
        groups = [(finite & dark_ink, DARK_INK), (finite & ~dark_ink, LIGHT_INK)]
    drawn = [_numbers(picture, np.where(where, z, np.nan), scale, ink) for where, ink in groups if where.any()]
    return drawn + [_signs(picture, kind) for kind in kinds_in(picture)]


def scale_of(picture: Picture) -> Scale:
    """Return the colour scale of a picture."""
    return SEQUENTIAL if picture.stage.colours == "attention" else DIVERGING


def legend(picture: Picture) -> str:
    """Say which colours mean that a cell is no finite number; empty where all are."""
    return "".join(f", {words}" for words in dict.fromkeys(_SIGNS[kind].legend for kind in kinds_in(picture)))


def value_in_words(picture: Picture, row: int, column: int) -> str:
    """Return what the hover says of a cell: its number, or why it has none."""
    kind = int(picture.kinds[row, column])
    if kind == FINITE:
        return in_format(float(picture.z[row, column]), picture.number)
    return sign_of(picture, kind).words


def kinds_in(picture: Picture) -> list[int]:
    """Return the kinds of cells in a picture that are no finite number."""
    return [kind for kind in _SIGNS if (picture.kinds == kind).any()]


def _numbers(picture: Picture, z: np.ndarray, scale: Scale, ink: str) -> dict[str, Any]:
    coloured = {"zmin": picture.limits[0], "zmax": picture.limits[1], "colorscale": scale}
    if not picture.in_cell:
        # Formats within a template write a hyphen for the minus sign, that of the axis a true one.
        return _trace(picture, z, "%{z}") | coloured | {"zhoverformat": picture.number}
    text = [["" if np.isnan(value) else in_format(value, picture.number) for value in row] for row in z.tolist()]
    return _trace(picture, z, "%{text}") | coloured | _texts(text, ink)


def _texts(text: list[list[str]], ink: str) -> dict[str, Any]:
    """What stands in the cells of a trace; a template without a value would be written into its open cells, too."""
    return {"text": text, "texttemplate": "%{text}", "textfont": {"size": FONT_SIZE, "color": ink}}


def _signs(picture: Picture, kind: int) -> dict[str, Any]:
    sign = sign_of(picture, kind)
    colour = sign.colour or picture.theme.undefined
    z = np.where(picture.kinds == kind, np.float32(0), np.float32(np.nan))
    trace = _trace(picture, z, sign.words) | {"zmin": 0, "zmax": 1, "colorscale": ((0, colour), (1, colour))}
    if picture.in_cell:
        text = [[sign.sign if here else "" for here in row] for row in (picture.kinds == kind).tolist()]
        trace |= _texts(text, sign.ink or picture.theme.text)
    return trace


def sign_of(picture: Picture, kind: int) -> Sign:
    """Return how a cell of this kind is drawn."""
    return _MASKED_SHARE if kind == MASKED and picture.stage.rule == "softmax" else _SIGNS[kind]


def _trace(picture: Picture, z: np.ndarray, value: str) -> dict[str, Any]:
    stage = picture.stage
    gap = 1 if picture.in_cell else 0
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": z,  # plotly.js leaves NaN cells open
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": f"{stage.rows} %{{y}}, {stage.columns} %{{x}}<br>{stage.symbol} = {value}<extra></extra>",
        "xgap": gap,
        "ygap": gap,
    }
    # Where Plotly thins the ticks, hover reads the name off the axis value, which so must be unique.
    sides = (("y", picture.rows, stage.rows, 0), ("x", picture.columns, stage.columns, 1))
    for axis, labels, kind, side in sides:
        if len(labels) > LABELLED:
            step = picture.steps[side]
            names = labels if kind == "feature" else [f"{i * step}: {label}" for i, label in enumerate(labels)]
            trace[axis] = [html.escape(name) for name in names]
    return trace
