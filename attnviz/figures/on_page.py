"""Matrices with their texts, as data for the page's script."""

from base64 import b64encode
from typing import Any

from attnviz.board.data import bits_of, cell_digits
from attnviz.colours.palette import DARK, LIGHT, NEGATIVE, PAPER, ROLES, Hatch, Theme
from attnviz.core.arguments import typed
from attnviz.core.trace import Trace
from attnviz.explanation import Explanation
from attnviz.figures.cells import legend
from attnviz.figures.heatmap import about_of, formula_in
from attnviz.figures.marks import even_share, has_colour_bar
from attnviz.figures.picture import FINITE, LABELLED, Picture, picture
from attnviz.words import say
from attnviz.words.numbers import written


def picture_on_page(trace: Trace, name: str, *, digits: int, query: int | None, alt: str) -> dict[str, Any]:
    """Return a matrix as the page draws it; `alt` describes it."""
    drawn = picture(trace, name, digits, query, dark=False)  # the page uses its own theme's colours instead
    return drawn_on_page(drawn, formula_in(trace, drawn.stage), alt=alt, in_cells=cell_digits(digits))


def drawn_on_page(drawn: Picture, formula: str, *, alt: str, in_cells: int) -> dict[str, Any]:
    """Return a picture as the page draws it; `in_cells` are decimals."""
    stage = drawn.stage
    return {
        "title": stage.title,
        "formula": "" if formula == stage.title else formula,
        "role": stage.role,
        "plain": stage.plain,
        "about": " ".join(filter(None, (stage.plain, legend(drawn)))) if drawn.signed else about_of(drawn),
        "alt": alt,
        "symbol": stage.symbol,
        "axes": [say(f"figures.axes.{kind}") for kind in (stage.rows, stage.columns)],
        "rows": drawn.row_names,
        "columns": drawn.column_names,
        "steps": drawn.steps,
        "limit": drawn.limits[1],
        "numbers": bits_of(drawn.z),
        "kinds": "" if (drawn.kinds == FINITE).all() else b64encode(drawn.kinds.astype("u1").tobytes()).decode(),
        "signed": drawn.signed,
        "shares": stage.makes_shares,
        "digits": drawn.digits,
        "cellDigits": in_cells,
        "query": None if drawn.query is None else drawn.query // drawn.steps[0],
        "inCell": drawn.in_cell,
        "scale": {"high": written(drawn.limits[1], 2), "even": even_share(drawn)} if has_colour_bar(drawn) else None,
    }


@typed
def frames(picked: Explanation) -> list[dict[str, Any]]:
    """Return the cells to frame: the sources, then the picked one."""
    made_from = (
        (cells.matrix, cells.rows, cells.columns, False) for cells in picked.sources if cells.rows and cells.columns
    )
    row, column = range(picked.row, picked.row + 1), range(picked.column, picked.column + 1)
    return [
        {"matrix": matrix, "rows": [rows[0], rows[-1]], "columns": [columns[0], columns[-1]], "chosen": chosen}
        for matrix, rows, columns, chosen in (*made_from, (picked.matrix, row, column, True))
    ]


def _of_page(theme: Theme) -> dict[str, Any]:
    return {
        name: each._asdict() if isinstance(each, Hatch) else each
        for name, each in theme._asdict().items()
        if name != "dark"
    }


# The script's constants for all pictures: the colours on light and dark pages, and the size up to which each row is
# named.
FIGURES: dict[str, Any] = {
    "ROLES": {name: tone._asdict() for name, tone in {**ROLES, "negative": NEGATIVE, "paper": PAPER}.items()},
    "THEMES": {"light": _of_page(LIGHT), "dark": _of_page(DARK)},
    "LABELLED": LABELLED,
}
