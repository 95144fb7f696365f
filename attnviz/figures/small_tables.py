"""Small pictures: differences, variants, and values with their mixes."""

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from torch import Tensor

from attnviz.colours.palette import ROLES, on_page, theme
from attnviz.core.arguments import typed
from attnviz.core.stages import STAGES
from attnviz.explanation.comparing import Comparison
from attnviz.figures.heatmap import spec_of
from attnviz.figures.on_page import drawn_on_page
from attnviz.figures.picture import FINITE, Picture, kinds_of, picture, picture_of
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS, written

_LARGER = 1.35  # how much larger the cells of B − A are than those of A and B


@typed
def comparison_specs(
    comparison: Comparison, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False,
    bare: bool = False,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Return heatmaps of A, B and, for equal shapes, B - A.

    All of them share one scale, so that the same ink means the same amount in A, in B and in their difference. The
    difference comes first and is larger than both. `bare` pictures are small and show their numbers only on hover.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> list(comparison_specs(Comparison(trace(Scenario("a b")), trace(Scenario("a c"))), "context"))
    ['B − A', 'A', 'B']
    """
    pictures = comparison_pictures(comparison, name, digits=digits, query=query, dark=dark, bare=bare)
    specs = {label: spec_of(drawn, label, filled_up=False) for label, drawn in pictures.items()}
    if bare or "B − A" not in specs:
        return _on_one_line(specs)
    first = _enlarged(specs.pop("B − A"))
    return {"B − A": first} | _on_one_line(specs)


def comparison_pictures(
    comparison: Comparison, name: str, *, digits: int, query: int | None, dark: bool = False, bare: bool = False
) -> dict[str, Picture]:
    """Return pictures of a matrix of A, B and B - A."""
    a, b = (picture(trace, name, digits, query, dark) for trace in (comparison.a, comparison.b))
    difference = comparison.difference(name)
    limits = _limits(a, b, difference)
    # A text that holds for both A and B is written once, above them, so neither repeats it.
    pictures = {label: _about(drawn, {"plain": ""}, limits=limits) for label, drawn in (("A", a), ("B", b))}
    if difference is not None:
        # A cell that only one of the two masks is a number in the other, so it counts as changed.
        hidden = [trace.masked_in(name) for trace in (comparison.a, comparison.b)]
        both = None if hidden[0] is None or hidden[1] is None else hidden[0] & hidden[1]
        moved = picture_of(comparison.b, name, difference, both, digits, query, dark)
        moved = _about(moved, {"plain": say("compare.difference")}, limits=(-limits[1], limits[1]), signed=True)
        pictures = {"B − A": moved, **pictures}
    return {label: _about(drawn, {"title": label}, bare=bare) for label, drawn in pictures.items()}


def comparison_on_page(
    comparison: Comparison, name: str, *, digits: int, query: int | None, alts: Mapping[str, str], bare: bool = False
) -> dict[str, dict[str, Any]]:
    """Return these pictures as the page draws them, with `alt` texts."""
    pictures = comparison_pictures(comparison, name, digits=digits, query=query, bare=bare)
    return {
        label: drawn_on_page(drawn, label, alt=alts.get(label, label), in_cells=digits)
        for label, drawn in pictures.items()
    }


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
    """Align the first and last rows of all heatmaps."""
    for side in ("t", "b"):
        widest = max(spec["layout"]["margin"][side] for spec in specs.values())
        for spec in specs.values():
            layout = spec["layout"]
            layout["height"] += widest - layout["margin"][side]
            layout["margin"][side] = widest
    return specs


def _about(drawn: Picture, texts: dict[str, str], **more: Any) -> Picture:
    """Return a picture with other texts and fields."""
    return replace(drawn, stage=drawn.stage.with_texts(**texts), **more)


@dataclass(frozen=True)
class Table:
    """A matrix to show as a heatmap.

    `rows` and `columns` are labels; without them, they are numbered. `role` chooses the colour; with `sums`, the sums
    are shown, too.
    """

    title: str
    matrix: Tensor
    kind: Literal["signed", "share"] = "signed"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    sums: bool = False
    limit: float | None = None  # the limit of the colours, if several tables share it
    role: Literal["x", "q", "k", "a", "v"] = "a"


def table_picture(table: Table, digits: int, dark: bool) -> Picture:
    """Return the content of a table's heatmap."""
    z, stage = table.matrix.detach().double().numpy(), STAGES["scores"]
    if table.role != "a":
        stage = replace(STAGES[table.role], columns="entry")  # a kind of columns that may have any names
    kinds = kinds_of(z, None)
    largest = table.limit or float(np.abs(z[kinds == FINITE]).max(initial=0)) or 1.0
    rows, columns = (
        list(names) if len(names) == n else [str(i) for i in range(n)]
        for names, n in zip((table.rows, table.columns), z.shape, strict=True)
    )
    return Picture(
        stage, np.where(kinds == FINITE, z, np.nan), kinds, z.shape,
        (1, 1), rows, columns, (0.0 if table.kind == "share" else -largest, largest), digits, theme(dark), query=None,
    )  # fmt: skip


def table_in_words(table: Table, digits: int) -> str:
    """Return a table's size and range, for people who don't see it."""
    rows, columns = table.matrix.shape
    finite = table.matrix[table.matrix.isfinite()]
    ends = (finite if finite.numel() else table.matrix).aminmax()
    least, most = (written(float(value), digits) for value in ends)
    told = say("figures.table_alt", title=table.title, rows=plural(rows, "row"),
               columns=plural(columns, "column"), least=least, most=most)  # fmt: skip
    n_others = table.matrix.numel() - finite.numel()
    return f"{told} {say('summary.described.not_finite', n=n_others)}" if n_others else told


@dataclass(frozen=True)
class Points:
    """Values and contexts of two features, as points in a plane."""

    values: Tensor
    contexts: Tensor
    labels: tuple[str, ...]


def _joined(names: list[str], places: np.ndarray, apart: float) -> list[str]:
    """Return one label for points that are practically at one place."""
    at = [tuple(place) for place in np.round(places / (apart or 1)).tolist()]
    return [
        ", ".join(name for name, place in zip(names, at, strict=True) if place == own) if at.index(own) == i else ""
        for i, own in enumerate(at)
    ]


@typed
def points_spec(points: Points, dark: bool = False, in_hall: bool = False) -> dict[str, Any]:
    """Return values, joined by lines, and contexts as points in a plane.

    With `in_hall`, it is large enough to be read from the last row of a lecture hall.
    """
    larger, (width, height) = (24 / 13, (376, 420)) if in_hall else (1.0, (340, 330))
    margin = {"l": 48, "r": 36, "t": 40, "b": 88} if in_hall else {"l": 36, "r": 24, "t": 28, "b": 92}
    letters = {"font": {**on_page(theme(dark))["font"], "size": 24}} if in_hall else {}
    shown = theme(dark)
    values, contexts = points.values.detach().double().numpy(), points.contexts.detach().double().numpy()
    around = np.concatenate([values, values[:1]])
    names = [html.escape(label) for label in points.labels]
    apart = float(np.ptp(values, axis=0).max()) / (4 if in_hall else 40)
    of_contexts = _joined(names, contexts, apart)
    # A single large name stands at the lower left of its point; several names would be too long for that.
    below = ["bottom left" if in_hall and "," not in each else "bottom center" for each in of_contexts]
    colour = ROLES["v"].on(dark)  # for both, because a context is a mixture of values

    def scatter(places: np.ndarray, **more: Any) -> dict[str, Any]:
        told = [", ".join(written(value, DEFAULT_DIGITS) for value in place) for place in places.tolist()]
        hover = {"customdata": told, "hovertemplate": "%{customdata}"}
        return {"type": "scatter", "x": places[:, 0], "y": places[:, 1], "cliponaxis": False} | hover | more

    return {
        "data": [
            scatter(around, mode="lines", name=say("report.points.around"),
                    line={"color": shown.muted, "width": larger, "dash": "dot"}, showlegend=not in_hall),
            scatter(values, mode="markers+text", name=say("report.points.values"),
                    text=_joined(names, values, apart), textposition="top center",
                    marker={"color": colour, "size": 12 * larger, "symbol": "square-open", "line": {"width": 2.5}}),
            scatter(contexts, mode="markers+text", name=say("report.points.contexts"),
                    text=of_contexts, textposition=below,
                    marker={"color": colour, "size": 10 * larger}),
        ],
        "layout": {
            "width": width, "height": height, "margin": margin, **on_page(shown), **letters,
            "legend": {"orientation": "h", "y": -0.12},
            "xaxis": {"gridcolor": shown.grid, "zeroline": False, "fixedrange": True},
            "yaxis": {"gridcolor": shown.grid, "zeroline": False, "fixedrange": True},
        },
    }  # fmt: skip
