"""Small pictures: differences, variants, and values with their mixes."""

import html
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from attnviz.colours.palette import FONT_SIZE, ROLES, TITLE_SIZE, Theme, on_page, theme
from attnviz.colours.shading import scale_of, shades, takes_black
from attnviz.compare import Comparison
from attnviz.figures.heatmap import spec_of
from attnviz.figures.marks import hatching
from attnviz.figures.picture import Picture, picture, picture_of
from attnviz.teach.questions import Points, Table
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, in_cell, written

_LARGER = 1.35  # are cells of what moved than those of A and B


def comparison_specs(
    comparison: Comparison, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False,
    bare: bool = False,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Return heatmaps of A, B and, for equal shapes, B - A.

    All share one scale, so that the same ink is the same amount in A, in B and in what lies between them. What moved is
    seen first, and larger than both. `bare` ones are small: their numbers are told when pointed at.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> list(comparison_specs(Comparison(trace(Scenario("a b")), trace(Scenario("a c"))), "context"))
    ['B − A', 'A', 'B']
    """
    a, b = (picture(trace, name, digits, query, dark) for trace in (comparison.a, comparison.b))
    difference = comparison.difference(name)
    limits = _limits(a, b, difference)
    # What is true of A and B alike is said once, above both.
    pictures = {label: _about(drawn, {"plain": ""}, limits=limits) for label, drawn in (("A", a), ("B", b))}
    if difference is not None:
        # What only one of the two masks is a number in the other, and so has moved by it.
        hidden = [trace.masked_in(name) for trace in (comparison.a, comparison.b)]
        both = None if hidden[0] is None or hidden[1] is None else hidden[0] & hidden[1]
        moved = picture_of(comparison.b, name, difference, both, digits, query, dark)
        moved = _about(moved, {"plain": say("compare.difference")}, limits=(-limits[1], limits[1]), signed=True)
        pictures = {"B − A": moved, **pictures}
    specs = {
        label: spec_of(_about(drawn, {"title": label}, bare=bare), label, filled_up=False)
        for label, drawn in pictures.items()
    }
    if bare or difference is None:
        return _on_one_line(specs)
    first = _enlarged(specs.pop("B − A"))
    return {"B − A": first} | _on_one_line(specs)


def _enlarged(spec: dict[str, Any]) -> dict[str, Any]:
    """Make a heatmap's cells larger, and their numbers with them."""
    layout = spec["layout"]
    for side, ends in (("width", "lr"), ("height", "tb")):
        around = sum(layout["margin"][end] for end in ends)
        layout[side] = around + round(_LARGER * (layout[side] - around))
    for trace in spec["data"]:
        if "size" in trace.get("textfont", {}):
            trace["textfont"] = trace["textfont"] | {"size": round(1.2 * trace["textfont"]["size"], 1)}
    return spec


def _limits(a: Picture, b: Picture, difference: Tensor | None) -> tuple[float, float]:
    """Return limits that A and B share, wide enough for their difference."""
    low, high = min(a.limits[0], b.limits[0]), max(a.limits[1], b.limits[1])
    if low == 0 or difference is None:
        return low, high
    finite = difference[difference.isfinite()].abs()
    high = max(high, float(finite.max()) if finite.numel() else 0.0)
    return -high, high


def _on_one_line(specs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Let all heatmaps' rows begin and end at the same heights."""
    for side in ("t", "b"):
        widest = max(spec["layout"]["margin"][side] for spec in specs.values())
        for spec in specs.values():
            layout = spec["layout"]
            layout["height"] += widest - layout["margin"][side]
            layout["margin"][side] = widest
    return specs


def _about(drawn: Picture, texts: dict[str, str], **more: Any) -> Picture:
    """Return a picture with other texts, drawn otherwise."""
    return replace(drawn, stage=drawn.stage.retold(**texts), **more)


CELL_WIDTH, CELL_HEIGHT, CHAR_WIDTH = 54, 27, 7.3  # pixels
_RIGHT_SUM = "✓"


def table_spec(
    table: Table, digits: int, dark: bool = False, larger: float = 1.0, cell_width: int = CELL_WIDTH
) -> dict[str, Any]:
    """Return a table's heatmap for Plotly.js, its sums in the margins.

    All of it is `larger` times as large.

    A row whose sum is 1 is green and has a tick; what columns sum to is neither right nor wrong.
    """
    z = table.matrix.detach().double().numpy()
    (n_rows, n_columns), shown = z.shape, theme(dark)
    largest = table.limit or float(np.abs(z[np.isfinite(z)]).max(initial=0)) or 1.0
    limits = (0.0 if table.kind == "share" else -largest, largest)
    rows, columns = _names(table.rows, n_rows), _names(table.columns, n_columns)
    left = 16 + CHAR_WIDTH * max(map(len, rows))
    right, bottom = (76.0, 32) if table.sums else (8.0, 8)
    written_over = 20 + 7.6 * len(table.title)
    annotations = _numbers(z, shades(np.nan_to_num(z), limits, table.role, dark), digits)
    annotations += _sums(z, digits, shown) if table.sums else []
    spec: dict[str, Any] = {
        "data": [{
            "type": "heatmap", "z": np.where(np.isfinite(z), z, np.nan), "zmin": limits[0], "zmax": limits[1],
            "colorscale": scale_of(limits, table.role, dark), "showscale": False, "xgap": 1, "ygap": 1,
            "hoverinfo": "skip",
        }],
        "layout": {
            "width": round(max(left + cell_width * n_columns + right, written_over)),
            "height": 62 + CELL_HEIGHT * n_rows + bottom,
            "margin": {"l": round(left), "t": 62, "b": bottom,
                       "r": round(max(right, written_over - left - cell_width * n_columns))},
            **on_page(shown),
            "title": {"text": f'<b style="color:{ROLES[table.role].on(dark)}">{html.escape(table.title)}</b>',
                      "font": {"size": TITLE_SIZE}, "x": 0, "y": 1, "yanchor": "top", "yref": "container",
                      "pad": {"t": 12, "l": 4}},
            "xaxis": _axis(columns, shown) | {"side": "top"},
            "yaxis": _axis(rows, shown) | {"autorange": False, "range": [n_rows - 0.5, -0.5]},
            "annotations": annotations,
            "shapes": hatching(~np.isfinite(z), (cell_width, CELL_HEIGHT), shown.undefined)
                      if not np.isfinite(z).all() else [],
        },
    }  # fmt: skip
    # Not by the page, whose figures measure their room as it's seen.
    layout = spec["layout"] | {side: round(larger * spec["layout"][side]) for side in ("width", "height")}
    layout["margin"] = {end: round(larger * room) for end, room in layout["margin"].items()}
    for letters in (layout, layout["title"], *annotations):
        letters["font"] = letters["font"] | {"size": larger * letters["font"]["size"]}
    return spec | {"layout": layout}


def _names(names: tuple[str, ...], n: int) -> list[str]:
    return list(names) if len(names) == n else [str(i) for i in range(n)]


def _axis(names: list[str], shown: Theme) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(names))), "ticktext": [html.escape(name) for name in names], "fixedrange": True,
        "range": [-0.5, len(names) - 0.5], "showgrid": False, "zeroline": False, "ticks": "",
        "showline": True, "mirror": True, "linecolor": shown.grid,
    }  # fmt: skip


def _numbers(z: np.ndarray, behind: np.ndarray, digits: int) -> list[dict[str, Any]]:
    dark_ink = takes_black(behind) | ~np.isfinite(z)
    return [
        _text(j, i, in_cell(float(z[i, j]), digits), "#000000" if dark_ink[i, j] else "#ffffff")
        for i in range(z.shape[0])
        for j in range(z.shape[1])
    ]


def _sums(z: np.ndarray, digits: int, shown: Theme) -> list[dict[str, Any]]:
    """Outside of the cells, where only the paper reaches."""

    def said(total: float, x: float, y: float, *, judged: bool = False) -> dict[str, Any]:
        right = judged and abs(total - 1) < 1e-4
        return _text(x, y, written(total, digits) + f" {_RIGHT_SUM}" * right, shown.right if right else shown.text)

    beside = [
        said(float(total), 1, i, judged=True) | {"xref": "paper", "xanchor": "left"} for i, total in enumerate(z.sum(1))
    ]
    below = [said(float(total), j, 0) | {"yref": "paper", "yanchor": "top"} for j, total in enumerate(z.sum(0))]
    return beside + below


def _text(x: float, y: float, text: str, colour: str) -> dict[str, Any]:
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"color": colour, "size": FONT_SIZE}}


def _joined(names: list[str], places: np.ndarray, span: float) -> list[str]:
    """Return one label for all points as good as at one place."""
    at = [tuple(place) for place in np.round(places / (span / 40 or 1)).tolist()]
    return [
        ", ".join(name for name, place in zip(names, at, strict=True) if place == own) if at.index(own) == i else ""
        for i, own in enumerate(at)
    ]


def points_spec(points: Points, dark: bool = False) -> dict[str, Any]:
    """Return values, joined by lines, and contexts as points in a plane."""
    shown = theme(dark)
    values, contexts = points.values.detach().double().numpy(), points.contexts.detach().double().numpy()
    around = np.concatenate([values, values[:1]])
    names = [html.escape(label) for label in points.labels]
    span = float(np.ptp(values, axis=0).max())
    colour = ROLES["v"].on(dark)  # of both: a context is made of values

    def scatter(places: np.ndarray, **more: Any) -> dict[str, Any]:
        told = [", ".join(written(value, DEFAULT_DIGITS) for value in place) for place in places.tolist()]
        hover = {"customdata": told, "hovertemplate": "%{customdata}"}
        return {"type": "scatter", "x": places[:, 0], "y": places[:, 1], "cliponaxis": False} | hover | more

    return {
        "data": [
            scatter(around, mode="lines", name=say("report.points.around"),
                    line={"color": shown.muted, "width": 1, "dash": "dot"}),
            scatter(values, mode="markers+text", name=say("report.points.values"),
                    text=_joined(names, values, span), textposition="top center",
                    marker={"color": colour, "size": 12, "symbol": "square-open", "line": {"width": 2.5}}),
            scatter(contexts, mode="markers+text", name=say("report.points.contexts"),
                    text=_joined(names, contexts, span), textposition="bottom center",
                    marker={"color": colour, "size": 10}),
        ],
        "layout": {
            "width": 340, "height": 330, "margin": {"l": 36, "r": 24, "t": 28, "b": 92},
            **on_page(shown), "legend": {"orientation": "h", "y": -0.12},
            "xaxis": {"gridcolor": shown.grid, "zeroline": False, "fixedrange": True},
            "yaxis": {"gridcolor": shown.grid, "zeroline": False, "fixedrange": True},
        },
    }  # fmt: skip
