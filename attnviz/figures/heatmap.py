"""A matrix of a trace as a heatmap: a Plotly figure, or the plain dictionary that is one.

Plotly.js takes the dictionary as it is; building and checking the Figure object costs several times the
rest, so the page uses the dictionary and notebooks the Figure.
"""

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.attention import AttentionTrace
from attnviz.figures.limits import colour_limits
from attnviz.figures.palette import DIVERGING, SEQUENTIAL, STAGE_COLOURS, Scale, theme
from attnviz.numbers import DEFAULT_DIGITS, number_format, written
from attnviz.stages import STAGES, Stage, formula_of
from attnviz.tokens import token_labels

if TYPE_CHECKING:
    import plotly.graph_objects as go

IN_CELL = 16  # numbers stand in the cells up to this many rows and columns
LABELLED = 48  # every row has its tick up to here; above, Plotly thins the labels
LABEL_CHARS = 18
CHAR_WIDTH, FONT_SIZE, TITLE_HEIGHT = 6.2, 11, 44  # pixels


def heatmap(
    trace: AttentionTrace,
    name: str,
    *,
    digits: int = DEFAULT_DIGITS,
    query: int | None = None,
    dark: bool = False,
) -> "go.Figure":
    """Return the heatmap of one matrix of a trace as a Plotly figure, which shows itself in a notebook.

    `name` is a field of the trace that holds a matrix, `digits` the decimals in cells and hover, `query` the
    row to outline.

    Raises ``ValueError`` for another name or a batched trace.

    >>> from attnviz.scenario import Scenario, trace
    >>> heatmap(trace(Scenario()), "attention_weights").data[0].zmax
    1.0
    """
    import plotly.graph_objects as go  # only notebooks and exports need the Figure class

    return go.Figure(heatmap_spec(trace, name, digits=digits, query=query, dark=dark))


def heatmap_spec(
    trace: AttentionTrace,
    name: str,
    *,
    digits: int = DEFAULT_DIGITS,
    query: int | None = None,
    dark: bool = False,
) -> dict[str, Any]:
    """Return the same heatmap as the plain dictionary that Plotly.js reads; arguments as in :func:`heatmap`."""
    if name not in STAGES or getattr(trace, name) is None:
        raise ValueError(f"{name!r} is no matrix of this trace, expected one of {', '.join(STAGES)}")
    z = getattr(trace, name).detach().cpu().numpy()
    if z.ndim == 1:
        z = z[None, :]
    if z.ndim != 2:
        raise ValueError(f"{name} has shape {z.shape}, expected one matrix and no batch")
    rows = axis_labels(trace, STAGES[name].rows, z.shape[0])
    columns = axis_labels(trace, STAGES[name].columns, z.shape[1])
    low, high = colour_limits(trace, name)
    in_cell = max(z.shape) <= IN_CELL
    number = number_format(_largest(z), digits)
    data = [_cells(z, rows, columns, STAGES[name], (low, high), number, in_cell)]
    if in_cell and not np.isfinite(z).all():
        data.append(_undefined_cells(z, rows, columns, STAGES[name], trace.causal, theme(dark).text))
    layout = _layout(trace, name, z, rows, columns, query, dark, in_cell, number)
    return {"data": data, "layout": layout}


def axis_labels(trace: AttentionTrace, kind: str, n: int) -> list[str]:
    """Return what stands at each row or column: the tokens told apart, or the numbers of the features."""
    if kind == "feature" or len(trace.tokens) != n:
        return [str(i) for i in range(n)]
    return [
        label if len(label) <= LABEL_CHARS else label[: LABEL_CHARS - 1] + "…" for label in token_labels(trace.tokens)
    ]


def _largest(z: np.ndarray) -> float:
    finite = np.abs(z[np.isfinite(z)])
    return float(finite.max()) if finite.size else 0.0


def _cells(
    z: np.ndarray,
    rows: list[str],
    columns: list[str],
    stage: Stage,
    limits: tuple[float, float],
    number: str,
    in_cell: bool,
) -> dict[str, Any]:
    scale: Scale = SEQUENTIAL if stage.colours == "attention" else DIVERGING
    cells: dict[str, Any] = {
        "type": "heatmap",
        "z": np.where(np.isfinite(z), z, np.nan),  # plotly.js leaves NaN cells open
        "zmin": limits[0],
        "zmax": limits[1],
        "colorscale": scale,
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": f"{_place(stage, '%{y}', '%{x}')}<br>{stage.symbol} = %{{z:{number}}}<extra></extra>",
        "xgap": 1 if in_cell else 0,
        "ygap": 1 if in_cell else 0,
    }
    if in_cell:
        cells["texttemplate"] = f"%{{z:{number}}}"
        cells["textfont"] = {"size": FONT_SIZE}
    if len(rows) > LABELLED and stage.rows != "feature":
        cells["y"] = _numbered(rows)
    if len(columns) > LABELLED and stage.columns != "feature":
        cells["x"] = _numbered(columns)
    return cells


def _numbered(labels: list[str]) -> list[str]:
    # Where Plotly thins the ticks, hover reads the name off the axis value, which so must be unique.
    return [f"{i}: {html.escape(label)}" for i, label in enumerate(labels)]


def _place(stage: Stage, row: str, column: str) -> str:
    return f"{stage.rows} {row}, {stage.columns} {column}"


def _undefined_cells(
    z: np.ndarray, rows: list[str], columns: list[str], stage: Stage, causal: bool, colour: str
) -> dict[str, Any]:
    places = np.argwhere(~np.isfinite(z)).tolist()
    hovers = []
    for i, j in places:
        masked = causal and stage.name == "scaled_scores" and j > i
        what = "masked: a later token" if masked else written(float(z[i, j]), 1)
        hovers.append(f"{_place(stage, html.escape(rows[i]), html.escape(columns[j]))}<br>{stage.symbol} = {what}")
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": [written(float(z[i, j]), 1) for i, j in places],
        "textfont": {"size": FONT_SIZE, "color": colour},
        "hovertext": hovers,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _layout(
    trace: AttentionTrace,
    name: str,
    z: np.ndarray,
    rows: list[str],
    columns: list[str],
    query: int | None,
    dark: bool,
    in_cell: bool,
    number: str,
) -> dict[str, Any]:
    colours = theme(dark)
    n_rows, n_columns = z.shape
    cell = _cell_size(z, in_cell, number)
    left = 14 + CHAR_WIDTH * max(len(label) for label in rows[:LABELLED])
    angle, top = _column_label_angle(columns, cell[0])
    top += TITLE_HEIGHT
    layout: dict[str, Any] = {
        "width": round(left + cell[0] * n_columns + 8),
        "height": round(top + cell[1] * n_rows + 6),
        "margin": {"l": round(left), "r": 8, "t": round(top), "b": 6},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": colours.undefined,
        "font": {"color": colours.text, "size": FONT_SIZE},
        "title": _title(trace, name, z, dark),
        "xaxis": _axis(columns, STAGES[name].columns, None) | {"side": "top", "tickangle": angle},
        "yaxis": _axis(rows, STAGES[name].rows, query) | {"autorange": False, "range": [n_rows - 0.5, -0.5]},
        "dragmode": False,
        "showlegend": False,
    }
    if query is not None and STAGES[name].rows != "feature" and query < n_rows:
        layout["shapes"] = [
            {
                "type": "rect", "x0": -0.5, "x1": n_columns - 0.5, "y0": query - 0.5, "y1": query + 0.5,
                "line": {"color": colours.outline, "width": 2.5}, "layer": "above",
            }
        ]  # fmt: skip
    return layout


def _cell_size(z: np.ndarray, in_cell: bool, number: str) -> tuple[float, float]:
    if in_cell:
        finite = z[np.isfinite(z)]
        extremes = (float(finite.min()), float(finite.max())) if finite.size else (0.0,)
        longest = max(len(format(value, number)) for value in extremes)
        return max(34.0, CHAR_WIDTH * longest + 5), 23.0
    side = min(18.0, max(1.0, 420 / max(z.shape)))
    return max(side, 24.0 if z.shape[1] < 10 else side), side


def _column_label_angle(columns: list[str], cell_width: float) -> tuple[int, float]:
    """Return the angle of the column labels and the height they take, in pixels."""
    longest = max(len(label) for label in columns[:LABELLED]) * CHAR_WIDTH
    if longest <= cell_width + 2:
        return 0, 18.0
    return (-45, 14 + longest * 0.72) if cell_width >= 16 else (-90, 10 + longest)


def _title(trace: AttentionTrace, name: str, z: np.ndarray, dark: bool) -> dict[str, Any]:
    stage = STAGES[name]
    _, high = colour_limits(trace, name)
    formula = formula_of(
        stage,
        bias=trace.b_q is not None,
        scale=trace.scale,
        temperature=trace.temperature,
        causal=trace.causal,
    )
    mark = f'<span style="color:{STAGE_COLOURS[name]}">■</span> ' if name in STAGE_COLOURS else ""
    made = "" if formula == stage.title else f" = {formula}"
    spread = "0 to 1" if stage.colours == "attention" else f"±{written(high, 2)}"
    about = f"{z.shape[0]}×{z.shape[1]}, colours {spread}"
    return {
        "text": f"{mark}<b>{stage.title}</b>{made}<br>"
        f'<span style="font-size:11px;color:{theme(dark).muted}">{about}</span>',
        "font": {"size": 13},
        "x": 0,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 16, "l": 2},
    }


def _axis(labels: list[str], kind: str, picked: int | None) -> dict[str, Any]:
    n = len(labels)
    axis: dict[str, Any] = {
        "range": [-0.5, n - 0.5],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "automargin": False,
    }
    if n > LABELLED:
        # Positions for features, unique names for tokens: both are thinned by Plotly itself.
        return axis | ({} if kind == "feature" else {"type": "category", "nticks": 12})
    texts = [html.escape(label) for label in labels]
    if picked is not None and picked < n:
        texts[picked] = f"<b>{texts[picked]}</b>"
    return axis | {"tickvals": list(range(n)), "ticktext": texts}
