"""Tables and their marks as HTML: a sign and a colour for each mark, so that neither is needed alone.

Whatever a person typed is escaped; numbers are written anew from their values.
"""

import html
from collections.abc import Sequence

import numpy as np

from attnviz.core.stages import VECTORS, Stage
from attnviz.core.tokens import axis_labels
from attnviz.marking import ENTERS, NOT_RIGHT, Mark, MarkedTable
from attnviz.tables.printed_table import as_printed
from attnviz.words import say

SIGNS = {
    Mark.RIGHT: "✓",
    Mark.CARRIED: "≈",
    Mark.HIDDEN: "≈",
    Mark.CUT: "≈",
    Mark.FOLLOWS: "↪",
    Mark.UNLIKELY: "?",
    Mark.DOUBTFUL: "?",
    Mark.WRONG: "✗",
    Mark.BLANK: "",
}
_EXACT = "="  # before the exact value, below a number that is right within rounding
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
.marked .carried, .marked .hidden, .marked .cut { background: rgba(86, 180, 233, 0.28); }
.marked .follows { background: rgba(240, 228, 66, 0.38); }
.marked .wrong { background: rgba(213, 94, 0, 0.3); font-weight: 600;
  outline: 2px solid #D55E00; outline-offset: -2px; }
.marked .unlikely, .marked .doubtful { background: rgba(213, 94, 0, 0.15);
  outline: 2px dashed #D55E00; outline-offset: -2px; }
.marked .sign { display: inline-block; width: 1.1em; text-align: left; }
.pairs, .pair { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0.5rem 2.5rem; }
.pair { gap: 0.5rem 1rem; }
.pair, .marked { max-width: 100%; }
.marks { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; font-size: 0.86rem; }
.marks span { padding: 0 0.3rem; border-radius: 3px; }
</style>"""


def legend() -> str:
    """Return what each sign means, as HTML."""
    meanings = {
        Mark.RIGHT: say("marking.legend.right"),
        Mark.CARRIED: say("marking.legend.rounded"),
        Mark.FOLLOWS: say("marking.legend.follows"),
        Mark.WRONG: say("marking.legend.wrong"),
        Mark.DOUBTFUL: say("marking.legend.doubtful"),
    }
    items = "".join(f'<span class="{mark}">{SIGNS[mark]} {meaning}</span>' for mark, meaning in meanings.items())
    small = say("marking.legend.small", right=SIGNS[Mark.RIGHT], follows=SIGNS[Mark.FOLLOWS], exact=_EXACT)
    return f'<div class="marked"><div class="marks">{items}<span>{small}</span></div></div>'


def marked_table(table: MarkedTable, tokens: Sequence[str] = ()) -> str:
    """Return a marked table as HTML: in each cell its sign and number, and what is right where it is not."""
    rows = [
        [_marked_cell(table, row, column) for column in range(table.given.shape[1])]
        for row in range(table.given.shape[0])
    ]
    return _table(say("marking.html.caption", title=table.stage.title), table.stage, rows, tokens)


def plain_table(
    title: str,
    stage: Stage,
    values: np.ndarray,
    decimals: int,
    tokens: Sequence[str] = (),
    *,
    carried: np.ndarray | None = None,
) -> str:
    """Return a table of numbers ``(rows, columns)`` as HTML; a NaN is left blank. Below a number stands what `carried`
    has there, where it is printed otherwise.
    """
    others = values if carried is None else carried
    rows = [
        [_plain_cell(*pair, decimals) for pair in zip(*both, strict=True)]
        for both in zip(values.tolist(), others.tolist(), strict=True)
    ]
    return _table(title, stage, rows, tokens)


def _plain_cell(value: float, other: float, decimals: int) -> str:
    if np.isnan(value):
        return "<td></td>"
    number, below = as_printed(value, decimals), as_printed(other, decimals)
    return f"<td>{number}</td>" if number == below else f"<td>{number}<small>{SIGNS[Mark.CARRIED]} {below}</small></td>"


def in_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """Return pairs of tables, given as HTML, side by side; they wrap where the page is narrow."""
    inside = "".join(f'<div class="pair">{printed}{computed}</div>' for printed, computed in pairs)
    return f'<div class="pairs">{inside}</div>'


def _marked_cell(table: MarkedTable, row: int, column: int) -> str:
    mark, decimals = table.marks[row][column], table.decimals_at(row, column)
    if mark == Mark.BLANK:
        return f'<td aria-label="{say("marking.mark.blank")}"></td>'
    given, exact, followed = (
        as_printed(float(each[row, column]), decimals) for each in (table.given, table.exact, table.followed)
    )
    below, said = "", say("marking.html.cell", given=given, mark=say(f"marking.mark.{mark}"))
    if mark != Mark.RIGHT and (exact != given or mark in ENTERS):
        sign = SIGNS[Mark.RIGHT] if mark in NOT_RIGHT else _EXACT
        below, said = f"<small>{sign} {exact}</small>", say("marking.html.exact", cell=said, exact=exact)
    if mark in ENTERS and followed != exact:
        below += f"<small>{SIGNS[Mark.FOLLOWS]} {followed}</small>"
        said = say("marking.html.followed", cell=said, followed=followed)
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[mark]}</span>'
    return f'<td class="{mark}" title="{html.escape(said)}">{sign}{given}{below}</td>'


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
    """Return the tokens where rows or columns stand for them, else numbers, counted from 0 as everywhere."""
    return [label.replace("␣", " ") for label in axis_labels(tuple(tokens), kind, n, LABEL_CHARS)]
