"""Curves over the dimension: the scaling experiment's figures."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from attnviz.colours.palette import FONT_SIZE, SMALL_SIZE, TITLE_SIZE, on_page, scale_style, theme
from attnviz.core.arguments import typed
from attnviz.core.limits import check_whole
from attnviz.explanation.row_statistics import STATISTICS
from attnviz.features.scaling.in_words import write_number
from attnviz.features.sweeps.arguments import MAX_DIM
from attnviz.words import say
from attnviz.words.numbers import equals, significant


@dataclass(frozen=True)
class Curve:
    """One statistic of a sweep as a figure: column, name and style."""

    column: str
    called: str = ""  # its title; if blank, the catalogue's title for the column
    log_y: bool = False
    top: float = 0.0  # end of an axis that starts at 0; 0 for a free axis
    theory: bool = False  # whether to draw what theory expects, too

    @property
    def title(self) -> str:
        """The title of the statistic's figure."""
        return self.called or say(f"scaling.curve.{self.column}")


_OF_DOT_PRODUCTS = (Curve("variance", log_y=True, theory=True), Curve("std", log_y=True, theory=True))
_OF_SOFTMAX = tuple(Curve(statistic.name, top=statistic.top) for statistic in STATISTICS)
CURVES = _OF_DOT_PRODUCTS + _OF_SOFTMAX
# The rows in which a page draws the curves. The first curve is large, and fills a row.
CURVE_ROWS = (CURVES[:1], *(CURVES[first : first + 3] for first in range(1, len(CURVES), 3)))


_MOST_LABELS = 16  # keys' labels below the bars, at most


@typed
def curve_spec(
    table: pd.DataFrame,
    curve: Curve,
    *,
    picked: int | None = None,
    dark: bool = False,
    theory: bool = True,
    height: int = 300,
) -> dict[str, Any]:
    """Return a sweep's statistic over the dimension: a line per scale.

    A band around each line is its confidence interval. `picked` is a dimension to mark; with `theory`, curves that
    have one get the expected variance (or its root) as thin lines.
    """
    picked = None if picked is None else check_whole("picked", picked, 1, MAX_DIM)
    height = check_whole("height", height, 50, 5000)
    data: list[dict[str, Any]] = []
    theory = theory and curve.theory
    for scale, rows in table.groupby("scale", sort=False):
        data += _lines(rows, str(scale), curve, dark)
        if theory:
            data.append(_theory(rows, curve, dark))
    layout = _layout(curve, sorted(table.dim.unique().tolist()), picked, dark)
    layout["height"] = height
    if theory:
        layout["xaxis"]["title"]["text"] = say("scaling.curve.with_theory")
    if curve.log_y and table[curve.column].max() > 30 * table[curve.column].min():
        layout["yaxis"]["dtick"] = 1  # whole powers of ten
    return {"data": data, "layout": layout}


def _lines(rows: pd.DataFrame, scale: str, curve: Curve, dark: bool) -> list[dict[str, Any]]:
    colour, symbol, dash, label = scale_style(scale, dark)
    x = rows.dim.to_numpy(float)
    low, high = (rows[f"{curve.column}_{bound}"].to_numpy(float) for bound in ("low", "high"))
    band = {
        "type": "scatter", "mode": "lines", "x": np.concatenate([x, x[::-1]]), "y": np.concatenate([high, low[::-1]]),
        "fill": "toself", "fillcolor": colour, "opacity": 0.22, "line": {"width": 0}, "hoverinfo": "skip",
        "showlegend": False,
    }  # fmt: skip
    y = rows[curve.column].to_numpy(float)
    line = {
        "type": "scatter", "mode": "lines+markers", "name": label, "x": x, "y": y,
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "marker": {"symbol": symbol, "size": 8, "color": colour},
        "hovertext": [
            say("scaling.curve.hover", scale=label, dim=dim, value=write_number(value, most - least),
                low=write_number(least, most - least), high=write_number(most, most - least))
            for dim, value, least, most in zip(rows.dim, y, low, high, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }  # fmt: skip
    return [band, line]


def _theory(rows: pd.DataFrame, curve: Curve, dark: bool) -> dict[str, Any]:
    expected = rows.expected_variance.to_numpy(float)
    return {
        "type": "scatter", "mode": "lines", "name": say("scaling.curve.theory"), "x": rows.dim.to_numpy(float),
        "y": expected if curve.column == "variance" else np.sqrt(expected),
        "line": {"color": theme(dark).text, "width": 1.5, "dash": "dot"}, "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip


def _layout(curve: Curve, dims: list[int], picked: int | None, dark: bool) -> dict[str, Any]:
    colours = theme(dark)
    log_x = len(dims) > 1 and dims[-1] >= 8 * dims[0]
    grid = {"gridcolor": colours.grid, "zeroline": False, "fixedrange": True, "linecolor": colours.muted}
    x_axis: dict[str, Any] = grid | {
        "title": {"text": say("scaling.curve.dimension"), "standoff": 6, "font": {"size": FONT_SIZE}},
        "tickvals": _thinned(dims, log_x),
        "tickangle": 0,
    }
    y_axis: dict[str, Any] = grid | {"type": "log" if curve.log_y else "linear", "exponentformat": "power"}
    if log_x:
        x_axis["type"] = "log"
    if curve.top:
        y_axis["range"] = [-0.02 * curve.top, 1.05 * curve.top]
    layout: dict[str, Any] = {
        "height": 300,
        "margin": {"l": 52, "r": 12, "t": 62, "b": 44},
        **on_page(colours),
        "title": {"text": f"<b>{curve.title}</b>", "font": {"size": TITLE_SIZE}, "x": 0, "y": 0.97, "yanchor": "top"},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": SMALL_SIZE}},
        "xaxis": x_axis,
        "yaxis": y_axis,
        "hovermode": "closest",
    }
    if picked is not None:
        line = {"color": colours.muted, "width": 1, "dash": "dash"}
        layout["shapes"] = [
            {"type": "line", "x0": picked, "x1": picked, "y0": 0, "y1": 1, "yref": "paper", "line": line}
        ]
    return layout


def _thinned(dims: list[int], log_x: bool) -> list[int]:
    """Return the dimensions to label: the largest, and those with room."""
    places = [math.log(dim) if log_x else dim for dim in dims]
    room = (places[-1] - places[0]) / 8
    kept = [len(dims) - 1]
    for i in reversed(range(len(dims) - 1)):
        if places[kept[-1]] - places[i] >= room:
            kept.append(i)
    return [dims[i] for i in reversed(kept)]


@typed
def histogram_spec(scores: np.ndarray, d_k: int, title: str, *, dark: bool = False) -> dict[str, Any]:
    """Return the histogram of scores, with lines at plus and minus √`d_k`."""
    root = check_whole("d_k", d_k, 1, MAX_DIM) ** 0.5
    sign, width = equals(root, 3), significant(root, 3)
    counts, edges = np.histogram(scores, 40, (-4 * root, 4 * root))
    colour = scale_style("none", dark)[0]
    bars = {"type": "bar", "x": (edges[1:] + edges[:-1]) / 2, "y": counts, "marker": {"color": colour},
            "hovertemplate": "%{y}<extra></extra>"}  # fmt: skip
    layout = _layout(Curve("", title, top=1), [1], None, dark) | {"height": 240, "showlegend": False, "bargap": 0.05}
    layout["margin"]["t"] = 34
    layout["xaxis"] |= {"type": "linear", "range": [-4 * root, 4 * root], "tickvals": [-root, 0, root],
                        "ticktext": [f"−√{d_k} {sign} −{width}", "0", f"√{d_k} {sign} {width}"]}  # fmt: skip
    layout["xaxis"]["title"] = {"text": say("scaling.width.axis"), "standoff": 6, "font": {"size": FONT_SIZE}}
    layout["yaxis"] |= {"type": "linear", "range": [0, 1.1 * int(counts.max())]}
    layout["shapes"] = [
        {"type": "line", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1,
         "line": {"color": theme(dark).text, "width": 1.5, "dash": "dash"}} for at in (-root, root)
    ]  # fmt: skip
    return {"data": [bars], "layout": layout}


@typed
def row_spec(
    rows: Mapping[str, np.ndarray],
    title: str,
    *,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    axis: str | None = None,
    dark: bool = False,
) -> dict[str, Any]:
    """Return softmax rows as bars, grouped by scale; each sums to 1.

    `names` replace the scales' own names in the legend. `labels` are the keys' texts on the axis, `axis` its title, and
    `keys` are the keys' texts in hovers, if these differ.
    """
    data: list[dict[str, Any]] = []
    for i, (scale, attention_weights) in enumerate(rows.items()):
        colour, _, _, label = scale_style(scale, dark)
        name = names[i] if names else label
        weights = np.asarray(attention_weights, float)
        texts = keys or labels or [say("scaling.row.key", number=k) for k in range(len(weights))]
        data.append(
            {
                "type": "bar", "name": name, "y": weights, "marker": {"color": colour},
                "hovertext": [html.escape(text) for text in texts],
                "customdata": [write_number(weight) for weight in weights],
                "hovertemplate": say("scaling.row.hover", name=name, key="%{hovertext}", weight="%{customdata}")
                + "<extra></extra>",
            }
        )  # fmt: skip
    layout = _layout(Curve("", title, top=1), [1], None, dark)
    layout |= {"barmode": "group", "height": 240, "showlegend": len(data) > 1}
    layout["margin"]["t"] = 62 if len(data) > 1 else 34
    layout["xaxis"] |= {
        "title": {"text": axis or say("scaling.row.axis"), "standoff": 6, "font": {"size": FONT_SIZE}},
        "type": "linear",
    }
    del layout["xaxis"]["tickvals"], layout["xaxis"]["tickangle"]
    layout["yaxis"]["range"] = [0, 1.02]
    if keys and not labels:
        layout["xaxis"]["showticklabels"] = False  # numbers there would be positions, not keys
    if labels:
        step = math.ceil(len(labels) / _MOST_LABELS)
        layout["xaxis"] |= {
            "tickvals": list(range(0, len(labels), step)),
            "ticktext": [html.escape(text) for text in labels[::step]],
        }
    return {"data": data, "layout": layout}
