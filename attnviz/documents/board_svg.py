"""The whole board as one SVG, to print, for slides and for LaTeX: without script, without a font of its own."""

import html
import re
from collections.abc import Iterable

import numpy as np

from attnviz.colours.palette import LIGHT, ROLES, Hatch
from attnviz.colours.shading import takes_black
from attnviz.core.tokens import visible
from attnviz.core.trace import Trace
from attnviz.documents.board_places import FONT, HEAD, NAME, ROW, Placed, place_all
from attnviz.figures.cells import DARK_INK, LIGHT_INK, hatch_of, sign_of
from attnviz.figures.heatmap import formula_in
from attnviz.figures.picture import FINITE
from attnviz.words import say
from attnviz.words.numbers import in_cell

# What LaTeX has, what slides have, what every browser has.
_FAMILY = ", ".join(("'Latin Modern Sans'", "Helvetica", "Arial", "sans-serif"))
_BOLD, _MIDDLE = 'font-weight="bold"', 'text-anchor="middle"'
_BASE = 4  # pixels that letters stand below the middle of their line
_MARGIN = 12
_HATCH = 8  # pixels between two lines
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def board_svg(trace: Trace, *, digits: int = 2, query: int | None = None) -> str:
    """Return the matrices of a trace as one SVG, laid out as on the board: rows of tokens side by side from left to
    right, and above each product its right factor. It is light, on white.

    `digits` are the decimals in the cells, `query` the row to outline. Of several heads it shows the one that the trace
    is seen from. Raises ``ValueError`` for a matrix of more than 16 rows or columns, whose numbers have no room.
    """
    placed = place_all(trace, digits, query)
    left, top = (min(each) for each in zip(*(box.outer[:2] for box in placed), strict=True))
    right, bottom = (max(each) for each in zip(*(box.outer[2:] for box in placed), strict=True))
    width, height = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    title = say("report.title", sentence=" ".join(map(visible, trace.tokens)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left - _MARGIN:.1f} {top - _MARGIN:.1f} {width:.1f} {height:.1f}" '
        f'font-family="{_FAMILY}" font-size="{FONT}" fill="{LIGHT.text}" role="img"><title>{_escaped(title)}</title>'
        f'<rect x="{left - _MARGIN:.1f}" y="{top - _MARGIN:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{LIGHT.paper}"/>{"".join(_matrix(trace, box) for box in placed)}</svg>\n'
    )


def _matrix(trace: Trace, box: Placed) -> str:
    stage, (rows, columns) = box.picture.stage, box.size
    said = f"{stage.title}: {formula_in(trace, stage)}"
    frame = f'fill="none" stroke="{LIGHT.grid}"'  # a 0 looks like the page
    parts = [
        f"<title>{_escaped(said)}</title>",
        _title(box),
        *(_cell(box, row, column) for row in range(rows) for column in range(columns)),
        _rect(box.x, box.y, box.width, box.height, frame),
        *_names(box),
    ]
    if box.query is not None:
        parts.append(_rect(box.x, box.y + box.query * ROW, box.width, ROW,
                           f'fill="none" stroke="{LIGHT.outline}" stroke-width="2"'))  # fmt: skip
    return f'<g data-matrix="{_escaped(box.name)}">{"".join(parts)}</g>\n'


def _title(box: Placed) -> str:
    """Return the symbol of a matrix, its index lowered, and a raised T where it stands on its side."""
    symbol, _, index = box.picture.stage.symbol.partition("_")
    small = f'<tspan dy="3" font-size="10">{_escaped(index)}</tspan>' if index else ""
    raised = f'<tspan dy="{-7 if index else -4}" font-size="10">T</tspan>' if box.turned else ""
    y = box.y - box.names - HEAD + FONT
    colour = ROLES[box.picture.stage.role].light
    letters = f'font-size="14" {_BOLD} fill="{colour}"'
    return f'<text x="{box.x:.1f}" y="{y:.1f}" {letters}>{_escaped(symbol)}{small}{raised}</text>'


def _cell(box: Placed, row: int, column: int) -> str:
    """Return a cell by where it stands: of a matrix on its side, that of the other row and column."""
    at = (column, row) if box.turned else (row, column)
    x, y, drawn = box.x + column * box.cell, box.y + row * ROW, box.picture
    kind = int(drawn.kinds[at])
    if kind == FINITE:
        rgb = drawn.shades[at].astype(np.uint8)
        ink = DARK_INK if takes_black(rgb) else LIGHT_INK
        ground = _rect(x, y, box.cell, ROW, f'fill="#{bytes(rgb).hex()}"')
        text = in_cell(float(drawn.z[at]), drawn.digits)
    else:
        hatch = hatch_of(drawn, kind)
        ground, ink, text = _hatched(x, y, box.cell, hatch), hatch.ink, sign_of(drawn, kind).sign
    return ground + _text(x + box.cell / 2, y + ROW / 2 + _BASE, text, f'{_MIDDLE} fill="{ink}"')


def _hatched(x: float, y: float, width: float, hatch: Hatch) -> str:
    """Return a hatched cell; its lines are drawn one by one, since few programs draw an SVG's patterns."""
    lines = []
    for total in range(_HATCH // 2, int(width + ROW), _HATCH):  # where x + y is the same, within the cell
        low, high = max(0, total - ROW), min(width, total)
        lines.append(f"M{x + low:.1f},{y + total - low:.1f}L{x + high:.1f},{y + total - high:.1f}")
        if hatch.crossed:
            lines.append(f"M{x + width - low:.1f},{y + total - low:.1f}L{x + width - high:.1f},{y + total - high:.1f}")
    ground = _rect(x, y, width, ROW, f'fill="{hatch.ground}"')
    return f'{ground}<path d="{"".join(lines)}" fill="none" stroke="{hatch.line}"/>'


def _names(box: Placed) -> Iterable[str]:
    """Return the names of rows at the left, and of columns above, upright where they are too long for a cell."""
    for row, name in enumerate(box.row_names):
        bold = _BOLD if row == box.query else ""
        yield _text(box.x - 6, box.y + row * ROW + ROW / 2 + _BASE, name, f'text-anchor="end" {bold}')
    upright = box.names > NAME
    for column, name in enumerate(box.column_names):
        x, y = box.x + (column + 0.5) * box.cell, box.y - 5
        if upright:
            turned = f'transform="rotate(-90 {x + _BASE:.1f} {y:.1f})"'
            yield _text(x + _BASE, y, name, turned)
        else:
            yield _text(x, y, name, _MIDDLE)


def _rect(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {style}/>'


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    """Return a text as XML may hold it."""
    return html.escape(_NO_XML.sub("\ufffd", text))
