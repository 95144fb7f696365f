"""A matrix of a trace as a heatmap: a Plotly figure, or the plain dictionary that is one.

Plotly.js takes the dictionary itself; building and checking the Figure object costs several times the
rest, so the page uses the dictionary and notebooks the Figure.
"""

import html
import textwrap
import unicodedata
from typing import TYPE_CHECKING, Any

from attnviz.colours.palette import FONT_SIZE, SEQUENTIAL, STAGE_COLOURS, font
from attnviz.core.stages import Stage, formula_of
from attnviz.core.trace import Trace
from attnviz.explanation import Explanation
from attnviz.figures.cells import DARK_INK, LIGHT_INK, cell_traces, legend, scale_of
from attnviz.figures.picking import CLICKABLE, outlines_of, targets
from attnviz.figures.picture import FINITE, LABELLED, Picture, picture
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, written

if TYPE_CHECKING:
    import plotly.graph_objects as go

NARROWEST = 168  # pixels; four small matrices stand beside each other on a laptop, and their sentences in five lines
NARROW, LINES_OF_NARROW = 200, 5  # narrow pictures stand beside each other: as many lines over each, so that rows align
CHAR_WIDTH, TITLE_HEIGHT, LINE_HEIGHT = 6.2, 29, 17  # pixels
FRAME, THIN_FRAME, LOW = 2.5, 1.0, 14  # pixels: around the picked row, and the height below which a row is low
ABOUT_CHAR_WIDTH = 5.6
TITLE_SIZE, SMALLEST_TITLE = 13, 11  # of its letters, which shrink where a narrow matrix has a long title


def heatmap(
    trace: Trace,
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

    >>> from attnviz.core.scenario import Scenario, trace
    >>> heatmap(trace(Scenario()), "attention_weights").data[0].zmin
    0.0
    """
    import plotly.graph_objects as go  # only notebooks and exports need the Figure class

    return go.Figure(heatmap_spec(trace, name, digits=digits, query=query, dark=dark))


def heatmap_spec(
    trace: Trace,
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
    left = 14 + max(width_of(label) for label in picture.row_names)
    angle, label_room, right = _column_label_room(picture.column_names, width)
    title_width = _title_width(picture.stage, formula)
    wanted = max(NARROWEST, title_width * SMALLEST_TITLE / TITLE_SIZE)
    right = max(right, wanted - left - width * n_columns)
    whole = left + width * n_columns + right
    title_size = min(TITLE_SIZE, TITLE_SIZE * whole / title_width)
    lines = _lines_below_title(picture, whole)
    top = label_room + TITLE_HEIGHT + LINE_HEIGHT * len(lines)
    row = None if picture.query is None else picture.query // picture.steps[0]
    layout: dict[str, Any] = {
        "width": round(whole),
        "height": round(top + height * n_rows + 6),
        "margin": {"l": round(left), "r": round(right), "t": round(top), "b": 6},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": picture.theme.undefined,
        "font": font(picture.theme),
        "title": _title(picture, formula, lines) | {"font": {"size": round(title_size, 1)}},
        "xaxis": _axis(picture.column_names, None) | {"side": "top", "tickangle": angle},
        "yaxis": _axis(picture.row_names, row) | {"autorange": False, "range": [n_rows - 0.5, -0.5]},
        "dragmode": False,
        "showlegend": False,
    }
    if row is not None:
        layout["shapes"] = [_frame(picture, row, height)]
        if height < LOW:
            layout["annotations"] = [_pointer(picture, row)]
    return layout


def _frame(picture: Picture, row: int, height: float) -> dict[str, Any]:
    """Return the frame around the picked row; where rows are low it is thin and lies beside the row, not on it."""
    line, beside, colour = FRAME, 0.0, picture.theme.outline
    if height < LOW:  # it lies on other cells, and so is as they need it, whatever the page
        line, beside = THIN_FRAME, THIN_FRAME / 2 / height
        colour = LIGHT_INK if scale_of(picture) is SEQUENTIAL else DARK_INK
    return {
        "type": "rect", "x0": -0.5, "x1": picture.z.shape[1] - 0.5,
        "y0": row - 0.5 - beside, "y1": row + 0.5 + beside,
        "line": {"color": colour, "width": line}, "layer": "above",
    }  # fmt: skip


def _pointer(picture: Picture, row: int) -> dict[str, Any]:
    """Return a mark beside the picked row, whose name is not at the axis where many rows share it."""
    return {
        "x": 1, "xref": "paper", "xanchor": "left", "xshift": -1, "y": row, "yanchor": "middle", "showarrow": False,
        "text": "◀", "font": {"size": 9, "color": picture.theme.outline},
    }  # fmt: skip


def _cell_size(picture: Picture) -> tuple[float, float]:
    """Return the width and height of a cell in pixels."""
    z = picture.z
    if picture.in_cell:
        finite = z[picture.kinds == FINITE].tolist()
        longest = max((len(picture.text_of(value)) for value in finite), default=1)
        return max(34.0, CHAR_WIDTH * longest + 5), 23.0
    side = min(18.0, max(1.0, 420 / max(z.shape)))
    return max(side, 24.0 if z.shape[1] < 10 else side), side


def width_of(text: str, size: float = FONT_SIZE) -> float:
    """Return about how many pixels a text takes in letters of this size, rather too many than too few.

    >>> round(width_of("one")), round(width_of("WWW")), round(width_of("漢字"))
    (19, 30, 22)
    """
    return sum(_letter_width(letter) for letter in text) * size


def _letter_width(letter: str) -> float:
    """Return the width of a letter as a share of the letters' size."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.9 if letter in "MWmw@%&—" else 0.66 if letter.isupper() else CHAR_WIDTH / FONT_SIZE


def _column_label_room(columns: list[str], cell_width: float) -> tuple[int, float, float]:
    """Return the angle of the column labels, and the pixels they need above and to the right of the cells."""
    lengths = [width_of(label) for label in columns]
    if max(lengths) <= cell_width + 2:
        return 0, 18.0, 10.0
    if cell_width < 16:
        return -90, 10 + max(lengths), 10.0
    ends = (length * 0.72 - (len(columns) - i - 0.5) * cell_width for i, length in enumerate(lengths))
    return -45, 14 + max(lengths) * 0.72, max(10.0, 4 + max(ends))


def formula_in(trace: Trace, stage: Stage) -> str:
    """Return the formula of a stage as this trace computed it."""
    return formula_of(stage.name, trace.stages)


def _title_width(stage: Stage, formula: str) -> float:
    """Return the pixels that the first line of a title takes at its full size."""
    mark = 18 if stage.name in STAGE_COLOURS else 0
    made = 0 if formula == stage.title else len(formula) + 3
    return 8 + mark + TITLE_SIZE * (0.56 * len(stage.title) + 0.49 * made)


def about_of(picture: Picture) -> str:
    """Return shape and colour limits of a matrix, and what has a colour of its own."""
    key = "figures.share_spread" if picture.stage.colours == "attention" else "figures.spread"
    spread = say(key, largest=written(picture.limits[1], 2))
    about = say("figures.about", rows=picture.shape[0], columns=picture.shape[1], spread=spread)
    if max(picture.steps) > 1:
        about = say("figures.blocks", about=about, rows=picture.steps[0], columns=picture.steps[1])
    coloured = legend(picture)
    return say("figures.legend.several", about=about, legend=coloured) if coloured else about


def _lines_below_title(picture: Picture, width: float) -> list[str]:
    """Return what the matrix is in one sentence, then its axes, shape and colours, in lines of this width."""
    about = say("figures.axes_and_about", axes=picture.stage.axes, about=about_of(picture))
    letters = int((width - 4) / ABOUT_CHAR_WIDTH)
    wrapped = (textwrap.wrap(text, letters, break_on_hyphens=False) for text in (picture.stage.plain, about))
    lines = [line for lines in wrapped for line in lines]
    return lines + [""] * (LINES_OF_NARROW - len(lines)) if width < NARROW else lines


def _title(picture: Picture, formula: str, lines: list[str]) -> dict[str, Any]:
    stage = picture.stage
    mark = f'<span style="color:{STAGE_COLOURS[stage.name]}">■</span> ' if stage.name in STAGE_COLOURS else ""
    made = "" if formula == stage.title else f" = {formula}"
    below = "".join(f'<br><span style="font-size:11px;color:{picture.theme.muted}">{line}</span>' for line in lines)
    return {
        "text": f"{mark}<b>{stage.title}</b>{made}{below}",
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
