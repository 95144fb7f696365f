"""Tables and their marks as HTML: a sign and a colour for each mark, so that neither is needed alone.

Whatever a person typed is escaped; numbers are written anew from their values.
"""

import html
from collections.abc import Sequence

import numpy as np

from attnviz.marking import Mark, MarkedTable
from attnviz.printed import as_printed
from attnviz.stages import VECTORS, Stage
from attnviz.tokens import token_labels

SIGNS = {
    Mark.RIGHT: "✓",
    Mark.CARRIED: "≈",
    Mark.HIDDEN: "≈",
    Mark.SHORTER: "≈",
    Mark.FOLLOWS: "↪",
    Mark.WRONG: "✗",
    Mark.BLANK: "",
}
MEANINGS = {
    Mark.RIGHT: "right: what exact arithmetic rounds to",
    Mark.CARRIED: "right by carried rounding: what the rounded numbers before it give",
    Mark.HIDDEN: "right by carried rounding: the digits that rounded numbers before it hide can move it so far",
    Mark.SHORTER: "right, with one digit fewer",
    Mark.FOLLOWS: "right given the wrong numbers before it",
    Mark.WRONG: "wrong",
    Mark.BLANK: "blank",
}
_EXACT = "="  # before what exact arithmetic gives, below a number that is right by carried rounding
LABEL_CHARS = 12

# Blue, yellow and vermilion of Okabe and Ito, thin enough for the text of a light or a dark page.
STYLE = """<style>
.marked { overflow-x: auto; margin: 0 0 0.5rem; }
.marked table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
.marked caption { text-align: left; font-weight: 600; padding: 0 0 0.15rem; white-space: nowrap; }
.marked th { font-weight: 400; opacity: 0.75; padding: 0 0.35rem; text-align: right; white-space: nowrap; }
.marked td { padding: 0.1rem 0.4rem; text-align: right; border: 1px solid rgba(128, 128, 128, 0.35);
  vertical-align: top; white-space: nowrap; }
.marked td small { display: block; opacity: 0.9; font-size: 0.78rem; }
.marked .right { background: rgba(0, 114, 178, 0.13); }
.marked .carried, .marked .hidden, .marked .shorter { background: rgba(86, 180, 233, 0.28); }
.marked .follows { background: rgba(240, 228, 66, 0.38); }
.marked .wrong { background: rgba(213, 94, 0, 0.3); font-weight: 600;
  outline: 2px solid #D55E00; outline-offset: -2px; }
.marked .sign { display: inline-block; width: 1.1em; text-align: left; }
.pairs, .pair { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0.5rem 2.5rem; }
.pair { gap: 0.5rem 1rem; }
.pair, .marked { max-width: 100%; }
.marks { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; font-size: 0.86rem; }
.marks span { padding: 0 0.3rem; border-radius: 3px; }
</style>"""


def legend() -> str:
    """Return what each sign means, as HTML."""
    meanings = {mark: MEANINGS[mark] for mark in (Mark.RIGHT, Mark.CARRIED, Mark.FOLLOWS, Mark.WRONG)}
    meanings[Mark.CARRIED] = "right by carried rounding"
    items = "".join(f'<span class="{mark}">{SIGNS[mark]} {meaning}</span>' for mark, meaning in meanings.items())
    small = (
        f"small: {SIGNS[Mark.RIGHT]} what is right, {SIGNS[Mark.FOLLOWS]} what the printed tables before it give, "
        f"{_EXACT} exact arithmetic"
    )
    return f'<div class="marked"><div class="marks">{items}<span>{small}</span></div></div>'


def marked_table(table: MarkedTable, tokens: Sequence[str] = ()) -> str:
    """Return a marked table as HTML: in each cell its sign and number, and what is right where it is not."""
    rows = [
        [_marked_cell(table, row, column) for column in range(table.given.shape[1])]
        for row in range(table.given.shape[0])
    ]
    return _table(f"{table.stage.title}, marked", table.stage, rows, tokens)


def plain_table(title: str, stage: Stage, values: np.ndarray, decimals: int, tokens: Sequence[str] = ()) -> str:
    """Return a table of numbers ``(rows, columns)`` as HTML; a NaN is left blank."""
    rows = [
        [f"<td>{'' if np.isnan(value) else as_printed(value, decimals)}</td>" for value in row]
        for row in values.tolist()
    ]
    return _table(title, stage, rows, tokens)


def in_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """Return pairs of tables, given as HTML, side by side; they wrap where the page is narrow."""
    inside = "".join(f'<div class="pair">{printed}{computed}</div>' for printed, computed in pairs)
    return f'<div class="pairs">{inside}</div>'


def _marked_cell(table: MarkedTable, row: int, column: int) -> str:
    mark, decimals = table.marks[row][column], table.decimals
    if mark == Mark.BLANK:
        return '<td aria-label="blank"></td>'
    given, exact, followed = (
        as_printed(float(each[row, column]), decimals) for each in (table.given, table.exact, table.followed)
    )
    below, said = "", f"{given}, {MEANINGS[mark]}"
    if mark != Mark.RIGHT and (exact != given or mark == Mark.WRONG):
        sign = SIGNS[Mark.RIGHT] if mark in (Mark.WRONG, Mark.FOLLOWS) else _EXACT
        below, said = f"<small>{sign} {exact}</small>", f"{said}; exact arithmetic gives {exact}"
    if mark == Mark.WRONG and followed != exact:
        below += f"<small>{SIGNS[Mark.FOLLOWS]} {followed}</small>"
        said += f", the printed tables before it give {followed}"
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[mark]}</span>'
    return f'<td class="{mark}" title="{said}">{sign}{given}{below}</td>'


def _table(title: str, stage: Stage, rows: Sequence[Sequence[str]], tokens: Sequence[str]) -> str:
    columns = _labels(stage.columns, len(rows[0]), tokens)
    names = _labels(stage.rows, len(rows), tokens)
    head = "".join(f'<th scope="col">{html.escape(label)}</th>' for label in ("", *columns))
    if stage.name in VECTORS:
        names = [""]
    body = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{"".join(cells)}</tr>'
        for name, cells in zip(names, rows, strict=True)
    )
    return (
        f'<div class="marked" tabindex="0"><table><caption>{html.escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _labels(kind: str, n: int, tokens: Sequence[str]) -> list[str]:
    """Return the tokens where rows or columns stand for them, else numbers, counted from 1 as people do."""
    if kind == "feature" or len(tokens) != n:
        return [str(i + 1) for i in range(n)]
    return [label.replace("␣", " ") for label in token_labels(tuple(tokens), LABEL_CHARS)]
