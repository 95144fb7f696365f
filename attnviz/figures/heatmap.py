"""A matrix of a trace as a heatmap: a Plotly figure, or the plain dictionary that is one.

Plotly.js takes the dictionary as it is; building and checking the Figure object costs several times the
rest, so the page uses the dictionary and notebooks the Figure.
"""

import html
from typing import TYPE_CHECKING, Any

from attnviz.attention import AttentionTrace
from attnviz.explanation import Explanation
from attnviz.figures.cells import cell_traces, legend
from attnviz.figures.palette import STAGE_COLOURS, font
from attnviz.figures.picking import CLICKABLE, outlines_of, targets
from attnviz.figures.picture import FINITE, LABELLED, Picture, picture
from attnviz.numbers import DEFAULT_DIGITS, written
from attnviz.position_wise import FeedForwardTrace
from attnviz.stages import Stage, formula_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

NARROWEST = 150  # pixels: Plotly.js draws nothing narrower, Streamlit would cut it off
CHAR_WIDTH, TITLE_HEIGHT = 6.2, 44  # pixels
ABOUT_CHAR_WIDTH = 5.6
TITLE_SIZE, SMALLEST_TITLE = 13, 11  # of its letters, which shrink where a narrow matrix has a long title


def heatmap(
    trace: AttentionTrace | FeedForwardTrace,
    name: str,
    *,
    digits: int = DEFAULT_DIGITS,
    query: int | None = None,
    dark: bool = False,
) -> "go.Figure":
    """Return the heatmap of one matrix of a trace as a Plotly figure, which shows itself in a notebook.

    `name` is a field of the trace that holds a matrix, `digits` the decimals in cells and hover, `query` the
    row to outline. Above 256 rows or columns, neighbouring cells are drawn as one: one that is infinite or NaN,
    else the largest by size.

    Raises ``ValueError`` for another name or a batched trace.

    >>> from attnviz.scenario import Scenario, trace
    >>> heatmap(trace(Scenario()), "attention_weights").data[0].zmax
    1.0
    """
    import plotly.graph_objects as go  # only notebooks and exports need the Figure class

    return go.Figure(heatmap_spec(trace, name, digits=digits, query=query, dark=dark))


def heatmap_spec(
    trace: AttentionTrace | FeedForwardTrace,
    name: str,
    *,
    digits: int = DEFAULT_DIGITS,
    query: int | None = None,
    dark: bool = False,
    pickable: bool = False,
    picked: Explanation | None = None,
) -> dict[str, Any]:
    """Return the same heatmap as the plain dictionary that Plotly.js reads; arguments as in :func:`heatmap`.

    The cell that is `picked`, and those that it is made from, are outlined. A `pickable` heatmap whose numbers
    stand in its cells has a point on each, which can be clicked.
    """
    drawn = picture(trace, name, digits, query, dark)
    spec = spec_of(drawn, formula_in(trace, drawn.stage))
    if pickable and drawn.in_cell:
        spec["data"].append(targets(drawn))
        spec["layout"] |= CLICKABLE
    if picked is not None and (outlines := outlines_of(drawn, picked)):
        spec["layout"]["shapes"] = spec["layout"].get("shapes", []) + outlines
    return spec


def spec_of(picture: Picture, formula: str) -> dict[str, Any]:
    """Return a picture as the dictionary that Plotly.js reads, with the formula after the title."""
    return {"data": cell_traces(picture), "layout": _layout(picture, formula)}


def _layout(picture: Picture, formula: str) -> dict[str, Any]:
    n_rows, n_columns = picture.z.shape
    width, height = _cell_size(picture)
    left = 14 + CHAR_WIDTH * max(len(label) for label in picture.rows[:LABELLED])
    angle, top, right = _column_label_room(picture.columns, width)
    top += TITLE_HEIGHT
    title_width = _title_width(picture.stage, formula)
    about = about_of(picture)
    wanted = max(NARROWEST, title_width * SMALLEST_TITLE / TITLE_SIZE, ABOUT_CHAR_WIDTH * len(about))
    right = max(right, wanted - left - width * n_columns)
    title_size = min(TITLE_SIZE, TITLE_SIZE * (left + width * n_columns + right) / title_width)
    row = None if picture.query is None else picture.query // picture.steps[0]
    layout: dict[str, Any] = {
        "width": round(left + width * n_columns + right),
        "height": round(top + height * n_rows + 6),
        "margin": {"l": round(left), "r": round(right), "t": round(top), "b": 6},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": picture.theme.undefined,
        "font": font(picture.theme),
        "title": _title(picture, formula, about) | {"font": {"size": round(title_size, 1)}},
        "xaxis": _axis(picture.columns, None) | {"side": "top", "tickangle": angle},
        "yaxis": _axis(picture.rows, row) | {"autorange": False, "range": [n_rows - 0.5, -0.5]},
        "dragmode": False,
        "showlegend": False,
    }
    if row is not None:
        layout["shapes"] = [
            {
                "type": "rect", "x0": -0.5, "x1": n_columns - 0.5, "y0": row - 0.5, "y1": row + 0.5,
                "line": {"color": picture.theme.outline, "width": 2.5}, "layer": "above",
            }
        ]  # fmt: skip
    return layout


def _cell_size(picture: Picture) -> tuple[float, float]:
    """Return the width and height of a cell in pixels."""
    z = picture.z
    if picture.in_cell:
        finite = z[picture.kinds == FINITE]
        extremes = (float(finite.min()), float(finite.max())) if finite.size else (0.0,)
        longest = max(len(format(value, picture.number)) for value in extremes)
        return max(34.0, CHAR_WIDTH * longest + 5), 23.0
    side = min(18.0, max(1.0, 420 / max(z.shape)))
    return max(side, 24.0 if z.shape[1] < 10 else side), side


def _column_label_room(columns: list[str], cell_width: float) -> tuple[int, float, float]:
    """Return the angle of the column labels, and the pixels they need above and to the right of the cells."""
    lengths = [len(label) * CHAR_WIDTH for label in columns[:LABELLED]]
    if max(lengths) <= cell_width + 2:
        return 0, 18.0, 8.0
    if cell_width < 16:
        return -90, 10 + max(lengths), 8.0
    ends = (length * 0.72 - (len(columns) - i - 0.5) * cell_width for i, length in enumerate(lengths))
    return -45, 14 + max(lengths) * 0.72, max(8.0, 4 + max(ends))


def formula_in(trace: AttentionTrace | FeedForwardTrace, stage: Stage) -> str:
    """Return the formula of a stage as this trace computed it."""
    bias = stage.bias is not None and getattr(trace, stage.bias, None) is not None
    return formula_of(stage, bias=bias, scale=trace.scale, temperature=trace.temperature, causal=trace.causal)


def _title_width(stage: Stage, formula: str) -> float:
    """Return the pixels that the first line of a title takes at its full size."""
    mark = 18 if stage.name in STAGE_COLOURS else 0
    made = 0 if formula == stage.title else len(formula) + 3
    return 8 + mark + TITLE_SIZE * (0.56 * len(stage.title) + 0.49 * made)


def about_of(picture: Picture) -> str:
    """Return the second line of a title: shape, colour limits, and what has a colour of its own."""
    spread = "0 to 1" if picture.stage.colours == "attention" else f"±{written(picture.limits[1], 2)}"
    about = f"{picture.shape[0]}×{picture.shape[1]}, colours {spread}"
    if max(picture.steps) > 1:
        about += f", drawn: the largest of {picture.steps[0]}×{picture.steps[1]} cells"
    return about + legend(picture)


def _title(picture: Picture, formula: str, about: str) -> dict[str, Any]:
    stage = picture.stage
    mark = f'<span style="color:{STAGE_COLOURS[stage.name]}">■</span> ' if stage.name in STAGE_COLOURS else ""
    made = "" if formula == stage.title else f" = {formula}"
    return {
        "text": f"{mark}<b>{stage.title}</b>{made}<br>"
        f'<span style="font-size:11px;color:{picture.theme.muted}">{about}</span>',
        "x": 0,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 16, "l": 2},
    }


def _axis(labels: list[str], picked: int | None) -> dict[str, Any]:
    n = len(labels)
    axis: dict[str, Any] = {
        "range": [-0.5, n - 0.5],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "automargin": False,
        # Plotly.js measures every label to hide those that stand out: a third of its time at 32 tokens.
        "ticklabeloverflow": "allow",
        "tickangle": 0,
    }
    if n > LABELLED:
        return axis | {"type": "category", "nticks": 12}
    texts = [html.escape(label) for label in labels]
    if picked is not None:
        texts[picked] = f"<b>{texts[picked]}</b>"
    return axis | {"tickvals": list(range(n)), "ticktext": texts}
