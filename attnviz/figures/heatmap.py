"""A trace's matrix as a heatmap: a Plotly figure or its dictionary.

Plotly.js reads the dictionary itself. Building and validating a Figure takes several times as long as everything else,
so that the page uses the dictionary, and only notebooks get a Figure.
"""

import html
import textwrap
import unicodedata
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnviz.colours.palette import FONT_SIZE, ROLES, SMALL_SIZE, TITLE_SIZE, on_page
from attnviz.core.arguments import typed
from attnviz.core.stages import Stage, formula_of
from attnviz.core.trace import Trace
from attnviz.figures.cells import cell_traces, hatched, legend
from attnviz.figures.marks import HEIGHT as BAR_HEIGHT
from attnviz.figures.marks import colour_bar, even_mark, has_colour_bar, hatching
from attnviz.figures.picture import FINITE, LABELLED, Picture, picture
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, written

if TYPE_CHECKING:
    import plotly.graph_objects as go

NARROWEST = 170  # pixels; two such pictures fit side by side on a phone, with their sentences in five lines
# Narrow pictures stand side by side. All of them have this many lines above, so that their rows align.
NARROW, LINES_OF_NARROW = 216, 5
CHAR_WIDTH, TITLE_HEIGHT, LINE_HEIGHT = 7.3, 30, 18  # pixels
# Pixels of the frame around the picked row, and of a row below which it counts as low.
FRAME, THIN_FRAME, LOW = 2.0, 1.0, 14
ABOUT_CHAR_WIDTH = 5.7
SMALLEST_TITLE = 12  # pixels; a title's letters shrink down to this if a narrow matrix has a long title


@typed
def heatmap(
    trace: Trace, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False
) -> "go.Figure":
    """Return a matrix as a Plotly figure, which shows in a notebook.

    `name` is a field of the trace that holds a matrix, `digits` are the decimals in cells and hover texts, `query` is
    the row to outline. Above 256 rows or columns, neighbouring cells are drawn as one, which shows an infinite or NaN
    number if it has one, or else its largest number by size.

    Raises ``ValueError`` for another name or a batched trace.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> heatmap(trace(Scenario()), "attention_weights").data[0].zmin
    0.0
    """
    import plotly.graph_objects as go  # only notebooks and exports need the Figure class

    drawn = picture(trace, name, digits, query, dark)
    formula = formula_in(trace, drawn.stage)
    spec = spec_of(drawn, formula)
    try:
        from attnviz.figures.in_notebook import MatrixFigure
    except ImportError:  # without IPython, there is no notebook to show the picture in
        return go.Figure(spec)
    # Imported by name, because the package documents, which draws the picture, is built on this one.
    still = import_module("attnviz.documents.matrices").still_heatmap(drawn, formula)
    return MatrixFigure(spec).with_still(still)


@typed
def heatmap_spec(
    trace: Trace, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False
) -> dict[str, Any]:
    """Return the same heatmap as the dictionary that Plotly.js reads."""
    drawn = picture(trace, name, digits, query, dark)
    return spec_of(drawn, formula_in(trace, drawn.stage))


def spec_of(picture: Picture, formula: str, *, filled_up: bool = True) -> dict[str, Any]:
    """Return a picture as Plotly.js reads it.

    If `filled_up`, the title of a narrow picture is as high as its neighbours'.
    """
    data = cell_traces(picture)
    if has_colour_bar(picture) and "colorscale" in data[0]:
        data[0] |= {"showscale": True, "colorbar": colour_bar(picture)}
    return {"data": data, "layout": _layout(picture, formula, filled_up)}


def _layout(picture: Picture, formula: str, filled_up: bool) -> dict[str, Any]:
    n_rows, n_columns = picture.z.shape
    width, height = _cell_size(picture)
    left = 14 + max(width_of(label) for label in picture.row_names)
    angle, label_room, right = _column_label_room(picture.column_names, width)
    made = 0 if formula == picture.stage.title else len(formula) + 3
    title_width = 8 + TITLE_SIZE * (0.56 * len(picture.stage.title) + 0.49 * made)
    wanted = max(NARROWEST, title_width * SMALLEST_TITLE / TITLE_SIZE)
    right = max(right, wanted - left - width * n_columns)
    whole = left + width * n_columns + right
    title_size = min(TITLE_SIZE, TITLE_SIZE * whole / title_width)
    lines = lines_below_title(picture, whole)
    if filled_up and whole < NARROW:
        lines += [""] * (LINES_OF_NARROW - len(lines))
    top = label_room + TITLE_HEIGHT + LINE_HEIGHT * len(lines)
    bottom = BAR_HEIGHT if has_colour_bar(picture) else 6
    row = None if picture.query is None else picture.query // picture.steps[0]
    layout: dict[str, Any] = {
        "width": round(whole),
        "height": round(top + height * n_rows + bottom),
        "margin": {"l": round(left), "r": round(right), "t": round(top), "b": bottom, "autoexpand": False},
        **on_page(picture.theme),
        "title": _title(picture, formula, lines) | {"font": {"size": round(title_size, 1)}},
        "xaxis": _axis(picture.column_names, None, picture) | {"side": "top", "tickangle": angle},
        "yaxis": _axis(picture.row_names, row, picture) | {"autorange": False, "range": [n_rows - 0.5, -0.5]},
        "showlegend": False,
    }
    return layout | _marks(picture, row, (width, height), left)


def _marks(picture: Picture, row: int | None, cell: tuple[float, float], left: float) -> dict[str, Any]:
    """Return the marks of the picked row, hatching and the even share."""
    marks: dict[str, list[dict[str, Any]]] = even_mark(picture) if has_colour_bar(picture) else {}
    shapes, annotations = marks.get("shapes", []), marks.get("annotations", [])
    if row is not None:
        shapes = [_frame(picture, row, cell[1]), _band(picture, row, left / cell[0] / picture.z.shape[1]), *shapes]
        if cell[1] < LOW:
            annotations = [_pointer(picture, row), *annotations]
    shapes = shapes + [shape for where, hatch in hatched(picture) for shape in hatching(where, cell, hatch)]
    return {name: drawn for name, drawn in (("shapes", shapes), ("annotations", annotations)) if drawn}


def _frame(picture: Picture, row: int, height: float) -> dict[str, Any]:
    """Return the picked row's frame, which encloses low rows from outside."""
    line, beside = (THIN_FRAME, THIN_FRAME / 2 / height) if height < LOW else (FRAME, 0.0)
    return {
        "type": "rect", "x0": -0.5, "x1": picture.z.shape[1] - 0.5,
        "y0": row - 0.5 - beside, "y1": row + 0.5 + beside,
        "line": {"color": picture.theme.outline, "width": line}, "layer": "above",
    }  # fmt: skip


def _band(picture: Picture, row: int, left: float) -> dict[str, Any]:
    """Return the band behind the picked row and its name."""
    return {
        "type": "rect", "xref": "paper", "x0": -left, "x1": 1, "y0": row - 0.5, "y1": row + 0.5,
        "fillcolor": picture.theme.band, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _pointer(picture: Picture, row: int) -> dict[str, Any]:
    """Return a mark beside a picked row that has no name."""
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
        return max(38.0, CHAR_WIDTH * longest + 5), 25.0
    # Cells without numbers are high enough for the names of rows, as long as each row has a name.
    side = min(18.0, max(FONT_SIZE if max(z.shape) <= LABELLED else 1.0, 420 / max(z.shape)))
    return max(side, 24.0 if z.shape[1] < 10 else side), side


def width_of(text: str, size: float = FONT_SIZE) -> float:
    """Return a text's approximate width in pixels, rather too much.

    >>> round(width_of("one")), round(width_of("WWW")), round(width_of("漢字"))
    (22, 35, 26)
    """
    return sum(_letter_width(letter) for letter in text) * size


def _letter_width(letter: str) -> float:
    """Return a letter's width as a share of the font size."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.9 if letter in "MWmw@%&—" else 0.66 if letter.isupper() else 0.56


def _column_label_room(columns: list[str], cell_width: float) -> tuple[int, float, float]:
    """Return the column labels' angle, and their room above and beside."""
    lengths = [width_of(label) for label in columns]
    if max(lengths) <= cell_width + 6:  # width_of overestimates them
        return 0, 18.0, 10.0
    if cell_width < 16:
        return -90, 10 + max(lengths), 10.0
    ends = (length * 0.72 - (len(columns) - i - 0.5) * cell_width for i, length in enumerate(lengths))
    return -45, 14 + max(lengths) * 0.72, max(10.0, 4 + max(ends))


def formula_in(trace: Trace, stage: Stage) -> str:
    """Return the formula of a stage as this trace computed it."""
    return formula_of(stage.name, trace.stages)


def about_of(picture: Picture) -> str:
    """Return a matrix's shape, colour limits and specially coloured cells."""
    largest = written(picture.limits[1], 2)
    spread = largest if picture.limits[0] == 0 else say("figures.spread", largest=largest)
    about = say("figures.about", rows=picture.shape[0], columns=picture.shape[1], spread=spread)
    if max(picture.steps) > 1:
        about = say("figures.blocks", about=about, rows=picture.steps[0], columns=picture.steps[1])
    coloured = legend(picture)
    return say("figures.legend.several", about=about, legend=coloured) if coloured else about


def lines_below_title(picture: Picture, width: float) -> list[str]:
    """Return the lines below a title: meaning, axes, shape and colours."""
    about = say("figures.axes_and_about", axes=picture.stage.axes, about=about_of(picture))
    letters = int((width - 4) / ABOUT_CHAR_WIDTH)
    wrapped = (textwrap.wrap(text, letters, break_on_hyphens=False) for text in (picture.stage.plain, about))
    return [line for lines in wrapped for line in lines]


def _title(picture: Picture, formula: str, lines: list[str]) -> dict[str, Any]:
    stage = picture.stage
    colour = ROLES[stage.role].on(picture.theme.dark)
    made = "" if formula == stage.title else f" = {formula}"
    below = "".join(
        f'<br><span style="font-size:{SMALL_SIZE}px;color:{picture.theme.muted}">{line}</span>' for line in lines
    )
    return {
        "text": f'<b style="color:{colour}">{stage.title}</b>{made}{below}',
        "x": 0,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 16, "l": 2},
    }


def _axis(labels: list[str], picked: int | None, picture: Picture) -> dict[str, Any]:
    n = len(labels)
    axis: dict[str, Any] = {
        "range": [-0.5, n - 0.5],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "showline": True,  # a 0 has the page's colour, so a line shows where the matrix ends
        "mirror": True,
        "linecolor": picture.theme.grid,
        "automargin": False,
        # Otherwise Plotly.js would measure every label, to hide those that overflow: a third of its time at 32 tokens.
        "ticklabeloverflow": "allow",
        "tickangle": 0,
    }
    if n > LABELLED:
        return axis | {"type": "category", "nticks": 12}
    texts = [html.escape(label) for label in labels]
    if picked is not None:
        texts[picked] = f"<b>{texts[picked]}</b>"
    return axis | {"tickvals": list(range(n)), "ticktext": texts}
