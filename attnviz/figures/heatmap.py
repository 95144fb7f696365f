"""A matrix of a trace as a heatmap: a Plotly figure, or the plain dictionary that is one.

Plotly.js takes the dictionary as it is; building and checking the Figure object costs several times the
rest, so the page uses the dictionary and notebooks the Figure.
"""

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.attention import AttentionTrace
from attnviz.figures.limits import colour_limits
from attnviz.figures.palette import DIVERGING, SEQUENTIAL, STAGE_COLOURS, Theme, theme
from attnviz.numbers import DEFAULT_DIGITS, number_format, written
from attnviz.stages import STAGES, Stage, formula_of
from attnviz.tokens import token_labels

if TYPE_CHECKING:
    import plotly.graph_objects as go

IN_CELL = 16  # numbers stand in the cells up to this many rows and columns
LABELLED = 48  # every row has its tick up to here; above, Plotly thins the labels
NARROWEST = 150  # pixels: Plotly.js draws nothing narrower, Streamlit would cut it off
DRAWN = 256  # rows or columns; above, neighbouring cells are drawn as one
LABEL_CHARS = 18
CHAR_WIDTH, FONT_SIZE, TITLE_HEIGHT = 6.2, 11, 44  # pixels
TITLE_SIZE, SMALLEST_TITLE = 13, 11  # of its letters, which shrink where a narrow matrix has a long title


@dataclass(frozen=True)
class _Picture:
    """What a heatmap draws: the cells, of which each may stand for several, and the names of its rows and columns."""

    stage: Stage
    z: np.ndarray
    shape: tuple[int, int]  # of the matrix
    steps: tuple[int, int]  # rows and columns of the matrix in one cell
    rows: list[str]
    columns: list[str]
    limits: tuple[float, float]
    number: str
    theme: Theme
    query: int | None

    @property
    def in_cell(self) -> bool:
        return max(self.shape) <= IN_CELL


def heatmap(
    trace: AttentionTrace, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False
) -> "go.Figure":
    """Return the heatmap of one matrix of a trace as a Plotly figure, which shows itself in a notebook.

    `name` is a field of the trace that holds a matrix, `digits` the decimals in cells and hover, `query` the
    row to outline. Above 256 rows or columns, neighbouring cells are drawn as one: the largest by size.

    Raises ``ValueError`` for another name or a batched trace.

    >>> from attnviz.scenario import Scenario, trace
    >>> heatmap(trace(Scenario()), "attention_weights").data[0].zmax
    1.0
    """
    import plotly.graph_objects as go  # only notebooks and exports need the Figure class

    return go.Figure(heatmap_spec(trace, name, digits=digits, query=query, dark=dark))


def heatmap_spec(
    trace: AttentionTrace, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False
) -> dict[str, Any]:
    """Return the same heatmap as the plain dictionary that Plotly.js reads; arguments as in :func:`heatmap`."""
    picture = _picture(trace, name, digits, query, dark)
    data = [_cells(picture)]
    if picture.in_cell and not np.isfinite(picture.z).all():
        data.append(_undefined_cells(picture, trace.causal))
    return {"data": data, "layout": _layout(picture, _formula(trace, picture.stage))}


def _picture(trace: AttentionTrace, name: str, digits: int, query: int | None, dark: bool) -> _Picture:
    if name not in STAGES or getattr(trace, name) is None:
        raise ValueError(f"{name!r} is no matrix of this trace, expected one of {', '.join(STAGES)}")
    matrix = getattr(trace, name).detach().cpu().numpy()
    if matrix.ndim == 1:
        matrix = matrix[None, :]
    if matrix.ndim != 2:
        raise ValueError(f"{name} has shape {matrix.shape}, expected one matrix and no batch")
    stage = STAGES[name]
    steps = (math.ceil(matrix.shape[0] / DRAWN), math.ceil(matrix.shape[1] / DRAWN))
    z = _largest_of_blocks(matrix, steps) if max(steps) > 1 else matrix
    finite = np.abs(z[np.isfinite(z)])
    return _Picture(
        stage=stage,
        z=z,
        shape=matrix.shape,
        steps=steps,
        rows=axis_labels(trace, stage.rows, matrix.shape[0], steps[0]),
        columns=axis_labels(trace, stage.columns, matrix.shape[1], steps[1]),
        limits=colour_limits(trace, name),
        number=number_format(float(finite.max()) if finite.size else 0.0, digits),
        theme=theme(dark),
        query=None if query is None or stage.rows == "feature" or query >= matrix.shape[0] else query,
    )


def _largest_of_blocks(matrix: np.ndarray, steps: tuple[int, int]) -> np.ndarray:
    """Return the finite cell of largest size in each block, NaN where a block has none."""
    n_rows, n_columns = (math.ceil(n / step) for n, step in zip(matrix.shape, steps, strict=True))
    padded = np.full((n_rows * steps[0], n_columns * steps[1]), np.nan, dtype=matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = np.where(np.isfinite(matrix), matrix, np.nan)
    blocks = padded.reshape(n_rows, steps[0], n_columns, steps[1]).swapaxes(1, 2).reshape(n_rows, n_columns, -1)
    largest = np.where(np.isnan(blocks), -1, np.abs(blocks)).argmax(-1)
    return np.take_along_axis(blocks, largest[..., None], -1)[..., 0]


def axis_labels(trace: AttentionTrace, kind: str, n: int, step: int = 1) -> list[str]:
    """Return what stands at each row or column: the tokens told apart, or the numbers of the features.

    With a step, each label stands for as many and names the first.
    """
    if kind == "feature" or len(trace.tokens) != n:
        labels = [str(i) for i in range(n)]
    else:
        labels = list(token_labels(trace.tokens, LABEL_CHARS))
    if step == 1:
        return labels
    return [f"{labels[i]} to {labels[min(i + step, n) - 1]}" for i in range(0, n, step)]


def _cells(picture: _Picture) -> dict[str, Any]:
    stage = picture.stage
    place = f"{stage.rows} %{{y}}, {stage.columns} %{{x}}"
    gap = 1 if picture.in_cell else 0
    cells: dict[str, Any] = {
        "type": "heatmap",
        "z": np.where(np.isfinite(picture.z), picture.z, np.nan),  # plotly.js leaves NaN cells open
        "zmin": picture.limits[0],
        "zmax": picture.limits[1],
        "colorscale": SEQUENTIAL if stage.colours == "attention" else DIVERGING,
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": f"{place}<br>{stage.symbol} = %{{z:{picture.number}}}<extra></extra>",
        "xgap": gap,
        "ygap": gap,
    }
    if picture.in_cell:
        cells["texttemplate"] = f"%{{z:{picture.number}}}"
        cells["textfont"] = {"size": FONT_SIZE}
    # Where Plotly thins the ticks, hover reads the name off the axis value, which so must be unique.
    sides = (("y", picture.rows, stage.rows, 0), ("x", picture.columns, stage.columns, 1))
    for axis, labels, kind, side in sides:
        if len(labels) > LABELLED:
            step = picture.steps[side]
            names = labels if kind == "feature" else [f"{i * step}: {label}" for i, label in enumerate(labels)]
            cells[axis] = [html.escape(name) for name in names]
    return cells


def _undefined_cells(picture: _Picture, causal: bool) -> dict[str, Any]:
    """Return the signs for masked, infinite and NaN cells, which have no colour."""
    stage, z = picture.stage, picture.z
    places = np.argwhere(~np.isfinite(z)).tolist()
    hovers = []
    for i, j in places:
        masked = causal and stage.name == "scaled_scores" and j > i
        what = "masked: a later token" if masked else written(float(z[i, j]), 1)
        place = f"{stage.rows} {html.escape(picture.rows[i])}, {stage.columns} {html.escape(picture.columns[j])}"
        hovers.append(f"{place}<br>{stage.symbol} = {what}")
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": [written(float(z[i, j]), 1) for i, j in places],
        "textfont": {"size": FONT_SIZE, "color": picture.theme.text},
        "hovertext": hovers,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _layout(picture: _Picture, formula: str) -> dict[str, Any]:
    n_rows, n_columns = picture.z.shape
    width, height = _cell_size(picture)
    left = 14 + CHAR_WIDTH * max(len(label) for label in picture.rows[:LABELLED])
    angle, top, right = _column_label_room(picture.columns, width)
    top += TITLE_HEIGHT
    title_width = _title_width(picture.stage, formula)
    wanted = max(NARROWEST, title_width * SMALLEST_TITLE / TITLE_SIZE)
    right = max(right, wanted - left - width * n_columns)
    title_size = min(TITLE_SIZE, TITLE_SIZE * (left + width * n_columns + right) / title_width)
    row = None if picture.query is None else picture.query // picture.steps[0]
    layout: dict[str, Any] = {
        "width": round(left + width * n_columns + right),
        "height": round(top + height * n_rows + 6),
        "margin": {"l": round(left), "r": round(right), "t": round(top), "b": 6},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": picture.theme.undefined,
        "font": {"color": picture.theme.text, "size": FONT_SIZE},
        "title": _title(picture, formula) | {"font": {"size": round(title_size, 1)}},
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


def _cell_size(picture: _Picture) -> tuple[float, float]:
    """Return the width and height of a cell in pixels."""
    z = picture.z
    if picture.in_cell:
        finite = z[np.isfinite(z)]
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


def _formula(trace: AttentionTrace, stage: Stage) -> str:
    return formula_of(
        stage, bias=trace.b_q is not None, scale=trace.scale, temperature=trace.temperature, causal=trace.causal
    )


def _title_width(stage: Stage, formula: str) -> float:
    """Return the pixels that the first line of a title takes at its full size."""
    mark = 18 if stage.name in STAGE_COLOURS else 0
    made = 0 if formula == stage.title else len(formula) + 3
    return 8 + mark + TITLE_SIZE * (0.56 * len(stage.title) + 0.49 * made)


def _title(picture: _Picture, formula: str) -> dict[str, Any]:
    stage = picture.stage
    mark = f'<span style="color:{STAGE_COLOURS[stage.name]}">■</span> ' if stage.name in STAGE_COLOURS else ""
    made = "" if formula == stage.title else f" = {formula}"
    spread = "0 to 1" if stage.colours == "attention" else f"±{written(picture.limits[1], 2)}"
    about = f"{picture.shape[0]}×{picture.shape[1]}, colours {spread}"
    if max(picture.steps) > 1:
        about += f", drawn: the largest of {picture.steps[0]}×{picture.steps[1]} cells"
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
