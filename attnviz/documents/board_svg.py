"""Draws the whole board, or one matrix, as an SVG without script."""

import html
import re
from collections.abc import Iterable

import numpy as np

from attnviz.colours.palette import LETTERS, LIGHT, ROLES, SMALL_SIZE, TITLE_SIZE, Hatch
from attnviz.colours.shading import scale_of, takes_black
from attnviz.core.arguments import typed
from attnviz.core.limits import check_number, check_type, check_whole
from attnviz.core.tokens import visible
from attnviz.core.trace import Trace
from attnviz.documents.board_places import BASE, FONT, HEAD, NAME, ROW, Placed, place_all
from attnviz.documents.page import FAMILY
from attnviz.figures.cells import DARK_INK, LIGHT_INK, hatch_of, said_of, sign_of, value_in_words
from attnviz.figures.heatmap import formula_in, lines_below_title, width_of
from attnviz.figures.marks import even_share, has_colour_bar
from attnviz.figures.picture import FINITE, Picture
from attnviz.figures.small_tables import Table, table_in_words, table_picture
from attnviz.words import say
from attnviz.words.numbers import MAX_DIGITS, MIN_DIGITS, written

# The first font comes with LaTeX, the next two with presentation software, the last one with every browser.
_FAMILY = ", ".join(("'Latin Modern Sans'", "Helvetica", "Arial", "sans-serif"))
_BOLD, _MIDDLE = 'font-weight="bold"', 'text-anchor="middle"'
_MARGIN = 12
# Pixels of one matrix: least width, a line of text, the colour bar, and the bar with its texts.
_NARROWEST, _LINE, _THICK, _BAR = 220, 18, 10, 48
_HATCH = 8  # pixels between two lines of hatching
_CELL, _SUM, _IS_1 = 54, 64, 1e-4  # pixels of a table's cell and of a sum; how far a sum of 1 may be off
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def board_svg(trace: Trace, *, digits: int = 2, query: int | None = None) -> str:
    """Return a trace's matrices as one SVG, laid out as the board.

    `digits` are the decimals in the cells, `query` is the row to outline. Of several heads, it shows the one from which
    the trace is seen. Raises ``ValueError`` for a matrix of more than 16 rows or columns, whose numbers would not fit.
    """
    check_type("trace", trace, Trace, "what attnviz.trace or attnviz.attend returns")
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
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


def heatmap_svg(picture: Picture, formula: str, alt: str) -> str:
    """Return a matrix with its numbers, title and scale as one SVG.

    `alt` describes it in words.
    """
    box = Placed(picture.stage.name, picture, named=True, in_full=True)
    box.cell = box.narrowest
    box.x = box.left + _MARGIN
    lines = lines_below_title(picture, max(box.x + box.width, _NARROWEST))
    box.y = _MARGIN + TITLE_SIZE + _LINE * len(lines) + box.names + _LINE
    bar = has_colour_bar(picture)
    title = _heading(picture, formula)
    wide = max(_NARROWEST, box.x + box.width + _MARGIN, width_of(title[1], TITLE_SIZE) + 2 * _MARGIN)
    high = box.y + box.height + _MARGIN + (_BAR if bar else 0)
    said = (
        _text(_MARGIN, _MARGIN + TITLE_SIZE + _LINE * (1 + at), line, f'font-size="{SMALL_SIZE}" {_muted(picture)}')
        for at, line in enumerate(lines)
    )
    return _still(picture, (wide, high), alt, title[0], *said, _grid(box, explained=True), _bar(box) if bar else "")


@typed
def table_svg(table: Table, digits: int, *, dark: bool = False, larger: float = 1.0, cell: float = _CELL) -> str:
    """Return a table, its sums in the margins, `larger` times as large.

    A row whose sum is 1 is green and has a tick. The columns' sums are neither right nor wrong.
    """
    larger, cell = check_number("larger", larger, 0.1, 100), check_number("cell", cell, 1, 1000)
    drawn = table_picture(table, check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS), dark)
    box = Placed(table.title, drawn, named=True)
    names = max(width_of(name, FONT) for name in box.column_names) + BASE
    box.cell = max(cell, box.narrowest, names if names < 1.4 * cell else 0)  # names that don't fit are upright
    box.x, box.y = box.left + BASE, _MARGIN + TITLE_SIZE + BASE + max(box.names, NAME)
    right, bottom = box.x + box.width, box.y + box.height
    wide = max(right + (_SUM if table.sums else 0), width_of(table.title, TITLE_SIZE)) + 2 * BASE
    letters = f'{_BOLD} fill="{ROLES[table.role].on(dark)}" font-size="{TITLE_SIZE}"'
    parts = [_grid(box), _text(BASE, _MARGIN + TITLE_SIZE - BASE, table.title, letters)]
    for row, total in enumerate(table.matrix.double().sum(1).tolist() if table.sums else ()):
        tick, ink = (" ✓", drawn.theme.right) if abs(total - 1) < _IS_1 else ("", drawn.theme.text)
        parts.append(_text(right + BASE, box.middle(row), written(total, digits) + tick, f'fill="{ink}"'))
    for column, total in enumerate(table.matrix.double().sum(0).tolist() if table.sums else ()):
        parts.append(_text(box.x + (column + 0.5) * box.cell, bottom + _LINE, written(total, digits), _MIDDLE))
    alt = table_in_words(table, digits)
    return _still(drawn, (wide, bottom + (_LINE if table.sums else 0) + 2 * BASE), alt, *parts, larger=larger)


def _still(drawn: Picture, size: tuple[float, float], alt: str, *parts: str, larger: float = 1.0) -> str:
    """Return an SVG of this size, without a background."""
    wide, high = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{larger * wide:.0f}" height="{larger * high:.0f}" '
        f'viewBox="0 0 {wide:.0f} {high:.0f}" font-family="{FAMILY}, {LETTERS}, {_FAMILY}" font-size="{FONT}" '
        f'fill="{drawn.theme.text}" aria-label="{_escaped(alt)}" role="img" style="max-width:100%;height:auto">'
        f"{''.join(parts)}</svg>"
    )


def _heading(picture: Picture, formula: str) -> tuple[str, str]:
    """Return the first line of a matrix's title as SVG and text."""
    stage = picture.stage
    equation = "" if formula == stage.title else f" = {formula}"
    bold = f'<tspan {_BOLD} fill="{ROLES[stage.role].on(picture.theme.dark)}">{_escaped(stage.title)}</tspan>'
    at = f'x="{_MARGIN}" y="{_MARGIN + TITLE_SIZE - BASE}" font-size="{TITLE_SIZE}"'
    return f"<text {at}>{bold}{_escaped(equation)}</text>", stage.title + equation


def _muted(picture: Picture) -> str:
    return f'fill="{picture.theme.muted}"'


def _bar(box: Placed) -> str:
    """Return the colour scale below a matrix, with the even share marked."""
    picture = box.picture
    high = picture.limits[1]
    stops = "".join(
        f'<stop offset="{at}" stop-color="{colour}"/>'
        for at, colour in scale_of(picture.limits, picture.stage.role, picture.theme.dark)
    )
    top = box.y + box.height + 2 * _LINE - BASE
    small = f'font-size="{SMALL_SIZE}" {_muted(picture)}'
    parts = [
        f'<linearGradient id="scale">{stops}</linearGradient>',
        _rect(box.x, top, box.width, _THICK, f'stroke="{picture.theme.grid}" fill="url(#scale)"'),
        _text(box.x, top + _THICK + _LINE - BASE, "0", f"{small} {_MIDDLE}"),
        _text(box.x + box.width, top + _THICK + _LINE - BASE, written(high, 2), f"{small} {_MIDDLE}"),
    ]
    if even := even_share(picture):
        x = box.x + even["at"] * box.width
        side = ("start", "middle", "end")[min(2, int(even["at"] * 3))]
        parts += [
            _rect(x - 0.75, top - 3, 1.5, _THICK + 6, f'fill="{picture.theme.text}"'),
            _text(x, top - 6, even["text"], f'{small} text-anchor="{side}"'),
        ]
    return "".join(parts)


def _matrix(trace: Trace, box: Placed) -> str:
    stage = box.picture.stage
    said = f"{stage.title}: {formula_in(trace, stage)}"
    parts = f"<title>{_escaped(said)}</title>{_title(box)}{_grid(box)}"
    return f'<g data-matrix="{_escaped(box.name)}">{parts}</g>\n'


def _grid(box: Placed, *, explained: bool = False) -> str:
    """Return the cells and their names; if `explained`, cells have tooltips."""
    rows, columns = box.size
    theme = box.picture.theme
    cell = _explained if explained else _cell
    parts = [
        *(cell(box, row, column) for row in range(rows) for column in range(columns)),
        _rect(box.x, box.y, box.width, box.height, f'fill="none" stroke="{theme.grid}"'),  # a 0 has the page's colour
        *_names(box),
    ]
    if box.query is not None:
        parts.append(_rect(box.x, box.y + box.query * ROW, box.width, ROW,
                           f'fill="none" stroke="{theme.outline}" stroke-width="2"'))  # fmt: skip
    return "".join(parts)


def _explained(box: Placed, row: int, column: int) -> str:
    drawn = box.picture
    names = drawn.row_names[row], drawn.column_names[column]
    said = said_of(drawn.stage, *names, value_in_words(drawn, row, column))
    return f"<g><title>{_escaped(said)}</title>{_cell(box, row, column)}</g>"


def _title(box: Placed) -> str:
    """Return a matrix's symbol, with a raised T if it is transposed."""
    symbol, _, index = box.picture.stage.symbol.partition("_")
    small = f'<tspan dy="3" font-size="10">{_escaped(index)}</tspan>' if index else ""
    raised = f'<tspan dy="{-7 if index else -4}" font-size="10">T</tspan>' if box.turned else ""
    y = box.y - box.names - HEAD + FONT
    colour = ROLES[box.picture.stage.role].light
    letters = f'font-size="14" {_BOLD} fill="{colour}"'
    return f'<text x="{box.x:.1f}" y="{y:.1f}" {letters}>{_escaped(symbol)}{small}{raised}</text>'


def _cell(box: Placed, row: int, column: int) -> str:
    """Return the cell at a drawn place; a turned matrix is transposed."""
    at = (column, row) if box.turned else (row, column)
    x, y, drawn = box.x + column * box.cell, box.y + row * ROW, box.picture
    kind = int(drawn.kinds[at])
    if kind == FINITE:
        rgb = drawn.shades[at].astype(np.uint8)
        ink = DARK_INK if takes_black(rgb) else LIGHT_INK
        ground = _rect(x, y, box.cell, ROW, f'fill="#{bytes(rgb).hex()}"')
        text = box.text_of(float(drawn.z[at]))
    else:
        hatch = hatch_of(drawn, kind)
        ground, ink, text = _hatched(x, y, box.cell, hatch), hatch.ink, sign_of(drawn, kind).sign
    return ground + _text(x + box.cell / 2, y + ROW / 2 + BASE, text, f'{_MIDDLE} fill="{ink}"')


def _hatched(x: float, y: float, width: float, hatch: Hatch) -> str:
    """Return a hatched cell, drawn in lines: few programs know SVG patterns."""
    lines = []
    for total in range(_HATCH // 2, int(width + ROW), _HATCH):  # x + y is constant along a line
        low, high = max(0, total - ROW), min(width, total)
        lines.append(f"M{x + low:.1f},{y + total - low:.1f}L{x + high:.1f},{y + total - high:.1f}")
        if hatch.crossed:
            lines.append(f"M{x + width - low:.1f},{y + total - low:.1f}L{x + width - high:.1f},{y + total - high:.1f}")
    ground = _rect(x, y, width, ROW, f'fill="{hatch.ground}"')
    return f'{ground}<path d="{"".join(lines)}" fill="none" stroke="{hatch.line}"/>'


def _names(box: Placed) -> Iterable[str]:
    """Yield the names of rows and columns, upright where they're too long."""
    for row, name in enumerate(box.row_names):
        bold = _BOLD if row == box.query else ""
        yield _text(box.x - 6, box.middle(row), name, f'text-anchor="end" {bold}')
    upright = box.names > NAME
    for column, name in enumerate(box.column_names):
        x, y = box.x + (column + 0.5) * box.cell, box.y - 5
        if upright:
            turned = f'transform="rotate(-90 {x + BASE:.1f} {y:.1f})"'
            yield _text(x + BASE, y, name, turned)
        else:
            yield _text(x, y, name, _MIDDLE)


def _rect(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {style}/>'


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    """Return a text as XML may hold it."""
    return html.escape(_NO_XML.sub("\ufffd", text))
