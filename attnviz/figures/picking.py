"""What makes the cells of a heatmap pickable, and what shows the picked one and the cells it is made from."""

import html
from typing import Any

from attnviz.explanation import Cells, Explanation
from attnviz.figures.cells import hover_of, value_in_words
from attnviz.figures.picture import Picture

# Streamlit sets the modes of a layout that has none after it has drawn it, and so would draw it once more.
CLICKABLE = {"hoverdistance": -1, "hovermode": "closest", "clickmode": "event+select", "dragmode": "pan"}


def targets(picture: Picture) -> dict[str, Any]:
    """Return an invisible point for each cell, row by row: Plotly tells of clicked points, not of heatmap cells.

    The nearest point always hides the heatmap from the pointer, so it has the hover text of its cell.
    """
    stage = picture.stage
    n_rows, n_columns = picture.z.shape
    places = [(row, column) for row in range(n_rows) for column in range(n_columns)]
    rows, columns = ([html.escape(label) for label in labels] for labels in (picture.rows, picture.columns))
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [column for _, column in places],
        "y": [row for row, _ in places],
        "hovertext": [
            hover_of(stage, rows[row], columns[column], value_in_words(picture, row, column)) for row, column in places
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverlabel": {"bgcolor": picture.theme.text, "font": {"color": picture.theme.paper}},
        "marker": {"size": 6, "opacity": 0},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "showlegend": False,
    }


def is_pickable(spec: dict[str, Any]) -> bool:
    """Whether a heatmap has points that can be clicked."""
    return any(trace["type"] == "scatter" for trace in spec["data"])


def outlines_of(picture: Picture, picked: Explanation) -> list[dict[str, Any]]:
    """Return a frame around the picked cell, dotted ones around the cells of this picture that it is made from."""
    name = picture.stage.name
    sources = [_outline(picture, cells, "2px,2px") for cells in picked.sources if cells.matrix == name]
    if picked.matrix != name:
        return sources
    cell = Cells(picture.stage, range(picked.row, picked.row + 1), range(picked.column, picked.column + 1))
    return [*sources, _outline(picture, cell, "solid")]


def _outline(picture: Picture, cells: Cells, dash: str) -> dict[str, Any]:
    down, right = picture.steps
    return {
        "type": "rect",
        "x0": cells.columns.start // right - 0.5,
        "x1": (cells.columns.stop - 1) // right + 0.5,
        "y0": cells.rows.start // down - 0.5,
        "y1": (cells.rows.stop - 1) // down + 0.5,
        "line": {"color": picture.theme.picked, "width": 3, "dash": dash},
        "layer": "above",
    }
