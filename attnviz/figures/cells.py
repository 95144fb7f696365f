"""A heatmap's cells as Plotly traces: numbers, and signs for the rest."""

import html
import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from attnviz.colours.palette import FONT_SIZE, Hatch
from attnviz.colours.shading import scale_of, takes_black
from attnviz.core.stages import Stage
from attnviz.figures.picture import FINITE, LABELLED, MASKED, NAN, NEGATIVE, POSITIVE, Picture
from attnviz.words import say
from attnviz.words.numbers import LARGEST_FIXED, not_finite, number_format

DARK_INK, LIGHT_INK = "#000000", "#ffffff"
BY_PLOTLY, TOLD = "written by Plotly", "told to it"
_CLEAR = "rgba(0, 0, 0, 0)"


class Sign(NamedTuple):
    """The sign of a cell without a number, and its texts' names."""

    sign: str
    name: str
    kind: str


_SIGNS = {
    MASKED: Sign(not_finite(-math.inf), "masked", "masked"),
    NEGATIVE: Sign(not_finite(-math.inf), "negative", "undefined"),
    POSITIVE: Sign(not_finite(math.inf), "positive", "undefined"),
    NAN: Sign(not_finite(math.nan), "nan", "undefined"),
}
_MASKED_SHARE = _SIGNS[MASKED]._replace(sign="–", name="share")


def cell_traces(picture: Picture) -> list[dict[str, Any]]:
    """Return the heatmap traces that together cover every cell once.

    Plotly writes the numbers of one trace in one ink, so that a picture with light and dark cells needs two traces.
    """
    z = picture.z
    finite = picture.kinds == FINITE
    if picture.in_cell:
        dark_ink = takes_black(picture.shades)
        groups = [(finite & dark_ink, DARK_INK), (finite & ~dark_ink, LIGHT_INK)]
        draw = partial(_numbers_in_cells, picture)
    else:
        by_plotly = fixed(z, picture.digits)
        groups = [(finite & by_plotly, BY_PLOTLY), (finite & ~by_plotly, TOLD)]
        draw = partial(_numbers_in_hover, picture)
    drawn = [draw(np.where(where, z, np.nan), of_group) for where, of_group in groups if where.any()]
    return drawn + [_signs(picture, kind) for kind in kinds_in(picture)]


def fixed(z: np.ndarray, digits: int) -> np.ndarray:
    """Return whether Plotly would write each number as the app does."""
    size = np.abs(np.nan_to_num(z).astype(np.float64))
    by_plotly = (size == 0) | ((size >= 10.0**-digits) & (size < LARGEST_FIXED))
    # They may be rounded up to the limit.
    for at in zip(*np.nonzero(by_plotly & (size > LARGEST_FIXED - 1)), strict=True):
        by_plotly[at] = number_format(float(size[at]), digits).endswith("f")
    halfway: np.ndarray = 2 * 10.0**digits * size % 2 == 1
    return by_plotly & ~halfway


def legend(picture: Picture) -> str:
    """Say what cells that aren't finite look like, if there are any."""
    return ", ".join(dict.fromkeys(say(f"figures.legend.{_SIGNS[kind].kind}") for kind in kinds_in(picture)))


def value_in_words(picture: Picture, row: int, column: int) -> str:
    """Return a cell's hover text: its number, or why it has none."""
    kind = int(picture.kinds[row, column])
    if kind == FINITE:
        return picture.text_of(float(picture.z[row, column]))
    return say(f"figures.signs.{sign_of(picture, kind).name}")


def kinds_in(picture: Picture) -> list[int]:
    """Return the kinds of cells in a picture that aren't finite."""
    return [kind for kind in _SIGNS if (picture.kinds == kind).any()]


def _coloured(picture: Picture) -> dict[str, Any]:
    scale = scale_of(picture.limits, picture.stage.role, picture.theme.dark)
    return {"zmin": picture.limits[0], "zmax": picture.limits[1], "colorscale": scale}


def _numbers_in_cells(picture: Picture, z: np.ndarray, ink: str) -> dict[str, Any]:
    return _trace(picture, z, "%{text}") | _coloured(picture) | _texts(_written(picture, z), ink)


def _numbers_in_hover(picture: Picture, z: np.ndarray, form: str) -> dict[str, Any]:
    """Return a trace whose cells show their numbers only on hover."""
    if form == TOLD:
        return _trace(picture, z, "%{text}") | _coloured(picture) | {"text": _written(picture, z)}
    # A format inside the template would write minus as a hyphen; `zhoverformat` writes a true minus sign.
    number = f"{'+' if picture.signed else ''}.{picture.digits}f"
    return _trace(picture, z, "%{z}") | _coloured(picture) | {"zhoverformat": number}


def _written(picture: Picture, z: np.ndarray) -> list[list[str]]:
    return [["" if math.isnan(value) else picture.text_of(value) for value in row] for row in z.tolist()]


def _texts(text: list[list[str]], ink: str) -> dict[str, Any]:
    """Return the settings that write texts into a trace's cells."""
    return {"text": text, "texttemplate": "%{text}", "textfont": {"size": FONT_SIZE, "color": ink}}


def _signs(picture: Picture, kind: int) -> dict[str, Any]:
    """Return transparent cells of one kind, with hatching visible below them."""
    sign = sign_of(picture, kind)
    z = np.where(picture.kinds == kind, np.float32(0), np.float32(np.nan))
    trace = _trace(picture, z, say(f"figures.signs.{sign.name}"))
    trace |= {"zmin": 0, "zmax": 1, "colorscale": ((0, _CLEAR), (1, _CLEAR))}
    if picture.in_cell:
        text = [[sign.sign if here else "" for here in row] for row in (picture.kinds == kind).tolist()]
        trace |= _texts(text, hatch_of(picture, kind).ink)
    return trace


def sign_of(picture: Picture, kind: int) -> Sign:
    """Return the sign in a cell of this kind."""
    return _MASKED_SHARE if kind == MASKED and picture.stage.makes_shares else _SIGNS[kind]


def hatch_of(picture: Picture, kind: int) -> Hatch:
    """Return the hatching of a cell of this kind."""
    return picture.theme.masked if kind == MASKED else picture.theme.undefined


def hatched(picture: Picture) -> list[tuple[np.ndarray, Hatch]]:
    """Return each hatching with the cells that have it."""
    hatches = dict.fromkeys(hatch_of(picture, kind) for kind in kinds_in(picture))
    kinds = {hatch: [kind for kind in _SIGNS if hatch_of(picture, kind) == hatch] for hatch in hatches}
    return [(np.isin(picture.kinds, of_hatch), hatch) for hatch, of_hatch in kinds.items()]


def said_of(stage: Stage, row: str, column: str, value: str) -> str:
    """Return a cell's hint, in lines."""
    rows, columns = (say(f"figures.axes.{kind}") for kind in (stage.rows, stage.columns))
    return say("figures.hover", rows=rows, row=row, columns=columns, column=column, symbol=stage.symbol, value=value)


def _trace(picture: Picture, z: np.ndarray, value: str) -> dict[str, Any]:
    stage = picture.stage
    gap = 1 if picture.in_cell else 0
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": z,  # plotly.js draws nothing for NaN
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": said_of(stage, "%{y}", "%{x}", value).replace("\n", "<br>") + "<extra></extra>",
        "xgap": gap,
        "ygap": gap,
    }
    # If Plotly leaves out ticks, hover texts take a row's name from the axis values, which must therefore be unique.
    for axis, names in (("y", picture.row_names), ("x", picture.column_names)):
        if len(names) > LABELLED:
            trace[axis] = [html.escape(name) for name in names]
    return trace
