"""Marked tables as HTML, for print and notebooks, and as CSV."""

import html
from collections.abc import Iterable, Sequence

import numpy as np

from attnviz.core.arguments import typed
from attnviz.core.stages import VECTORS, Stage
from attnviz.core.tokens import axis_labels
from attnviz.documents.page import paragraphs, printed_page
from attnviz.export.data import csv_of, for_spreadsheet
from attnviz.features.check.marking import ENTERS, NOT_RIGHT, Mark, MarkedTable, Marking, Verdict, verdict
from attnviz.features.tables.printed_table import MAX_DECIMALS, as_printed
from attnviz.typed_numbers import decimals_of
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
CellStyles = Sequence[Sequence[str]]

# Blue, yellow and vermilion of Okabe and Ito, pale enough for text on a light or a dark page.
STYLE = """<style>
.marked { overflow-x: auto; margin: 0 0 0.5rem; }
.marked table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
.marked caption { text-align: left; font-weight: 600; padding: 0 0 0.15rem; white-space: nowrap; }
.marked th { font-weight: 400; opacity: 0.75; padding: 0 0.35rem; text-align: right; white-space: nowrap; }
.marked td { padding: 0.1rem 0.4rem; text-align: right; border: 1px solid rgba(128, 128, 128, 0.35);
  vertical-align: top; white-space: nowrap; }
.marked .corner { border: 0; }
.marked td small { display: block; opacity: 0.9; font-size: max(0.78rem, 12px); }
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


def marked_table(table: MarkedTable, tokens: Sequence[str] = (), *, scrolls: bool = True, told: bool = True) -> str:
    """Return a marked table as HTML; one that `scrolls` takes Tab's focus.

    With `told`, it also shows the right numbers, else only which numbers are wrong.
    """
    rows = [
        [_marked_cell(table, row, column, told=told) for column in range(table.given.shape[1])]
        for row in range(table.given.shape[0])
    ]
    title = say("marking.html.caption", title=table.stage.title)
    return _table_of(title, table.stage, rows, tokens, scrolls=scrolls)


def plain_table(
    title: str,
    stage: Stage,
    values: np.ndarray,
    decimals: int,
    tokens: Sequence[str] = (),
    *,
    carried: np.ndarray | None = None,
    styles: CellStyles | None = None,
) -> str:
    """Return numbers ``(rows, columns)`` as HTML, with differing `carried` ones below.

    `styles` has a cell's CSS for each number.
    """
    others = values if carried is None else carried
    of_cells = styles or [[""] * values.shape[1]] * len(values)
    rows = [
        [_plain_cell(*of_cell, decimals=decimals) for of_cell in zip(*row, strict=True)]
        for row in zip(values.tolist(), others.tolist(), of_cells, strict=True)
    ]
    return _table_of(title, stage, rows, tokens)


def _plain_cell(value: float, other: float, style: str, *, decimals: int) -> str:
    styled = f' style="{style}"' if style else ""
    if np.isnan(value):
        return f"<td{styled}></td>"
    number, below = as_printed(value, decimals), as_printed(other, decimals)
    carried = "" if number == below else f"<small>{SIGNS[Mark.CARRIED]} {below}</small>"
    return f"<td{styled}>{number}{carried}</td>"


def in_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """Return pairs of HTML tables side by side, wrapped on narrow pages."""
    inside = "".join(f'<div class="pair">{printed}{computed}</div>' for printed, computed in pairs)
    return f'<div class="pairs">{inside}</div>'


def _marked_cell(table: MarkedTable, row: int, column: int, *, told: bool = True) -> str:
    mark, decimals = table.marks[row][column], table.decimals_at(row, column)
    if mark == Mark.BLANK:
        return f'<td aria-label="{say("marking.mark.blank")}"></td>'
    given, exact, followed = (
        as_printed(float(each[row, column]), decimals) for each in (table.given, table.exact, table.followed)
    )
    below, said = "", say("marking.html.cell", given=given, mark=say(f"marking.mark.{mark}"))
    if told and mark != Mark.RIGHT and (exact != given or mark in ENTERS):
        sign = SIGNS[Mark.RIGHT] if mark in NOT_RIGHT else _EXACT
        below, said = f"<small>{sign} {exact}</small>", say("marking.html.exact", cell=said, exact=exact)
    if told and mark in ENTERS and followed != exact:
        below += f"<small>{SIGNS[Mark.FOLLOWS]} {followed}</small>"
        said = say("marking.html.followed", cell=said, followed=followed)
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[mark]}</span>'
    return f'<td class="{mark}" title="{html.escape(said)}">{sign}{given}{below}</td>'


def _heading(label: str, of: str) -> str:
    return f'<th scope="{of}">{html.escape(label)}</th>' if label else '<td class="corner"></td>'


def _table_of(
    title: str, stage: Stage, rows: Sequence[Sequence[str]], tokens: Sequence[str], *, scrolls: bool = True
) -> str:
    columns = _labels(stage.columns, len(rows[0]), tokens)
    names = _labels(stage.rows, len(rows), tokens)
    head = "".join(_heading(label, "col") for label in ("", *columns))
    if stage.name in VECTORS:
        names = [""]
    body = "".join(f"<tr>{_heading(name, 'row')}{''.join(cells)}</tr>" for name, cells in zip(names, rows, strict=True))
    reached = ' tabindex="0"' if scrolls else ""
    return (
        f'<div class="marked"{reached}><table><caption>{html.escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _labels(kind: str, n: int, tokens: Sequence[str]) -> list[str]:
    """Return the tokens of an axis, else numbers counted from 0."""
    return [label.replace("␣", " ") for label in axis_labels(tuple(tokens), kind, n, LABEL_CHARS)]


_PAGE_STYLE = """
h2 { font-size: 15px; margin: 14px 0 4px; break-after: avoid; }
.tables { display: flex; flex-wrap: wrap; gap: 10px 28px; }
.marked, .first, pre { break-inside: avoid; }
@page { margin: 12mm; }
@media print { body { font-size: 11px; } .marked { overflow: visible; } }
"""


@typed
def marking_page(marking: Marking, tokens: Sequence[str] = (), title: str = "", *, above: str = "") -> str:
    """Return a marking as a printable HTML page, below the HTML `above`.

    >>> from attnviz.features.check.marking import mark_pipeline
    >>> marking = mark_pipeline({"q": [[1, 0]], "k": [[1, 2]], "scores": [[2]]}, decimals=0)
    >>> "1 should be" in marking_page(marking), "should be 1" in marking_page(marking)
    (False, True)
    """
    taken = [_given(marking, name, tokens) for name in marking.taken]
    body = f"""{STYLE}
{above}
{_said(marking, tokens)}
<h2>{html.escape(say("marking.page.marks"))}</h2>
{legend()}
<div class="tables">{"".join(marked_table(table, tokens) for table in marking.tables)}</div>
<h2>{html.escape(say("marking.page.given"))}</h2>
<div class="tables">{"".join(taken)}</div>
<p>{html.escape(say("marking.page.counting"))}</p>"""
    return printed_page(title or say("marking.page.title"), _PAGE_STYLE, body)


@typed
def marking_markup(marking: Marking, tokens: Sequence[str] = ()) -> str:
    """Return a marking as a notebook shows it: verdict and tables.

    >>> from attnviz.features.check.marking import mark_pipeline
    >>> "✗" in marking_markup(mark_pipeline({"q": [[1, 0]], "k": [[1, 2]], "scores": [[2]]}, decimals=0))
    True
    """
    tables = "".join(marked_table(table, tokens) for table in marking.tables)
    return f'<div>{STYLE}{_said(marking, tokens)}{legend()}<div class="pairs">{tables}</div></div>'


def _said(marking: Marking, tokens: Sequence[str]) -> str:
    words: Verdict = verdict(marking, tokens)
    summary = f"{words.summary} {words.nothing_yet}".rstrip()
    lines = [summary, *words.doubt, *words.slips, *words.reading, *words.rounding]
    arithmetic = html.escape("\n".join(words.arithmetic))
    first = f'<div class="first"><p>{html.escape(words.first_error)}</p><pre>{arithmetic}</pre></div>'
    return paragraphs(lines) + (first if words.first_error else "") + paragraphs(words.tables)


def _given(marking: Marking, name: str, tokens: Sequence[str]) -> str:
    stage = marking.stages[name]
    values = np.atleast_2d(marking.before[name])
    # A tensor, which has no printed decimals, is shown with the seven digits that float32 holds.
    told = max((decimals_of(float(f"{value:.7g}")) for value in values.flatten().tolist()), default=0)
    decimals = min(marking.decimals.get(name, told), told) if told < MAX_DECIMALS else MAX_DECIMALS
    return plain_table(stage.title, stage, values, decimals, tokens)


@typed
def marking_csv(marking: Marking, tokens: Sequence[str] = ()) -> str:
    """Return each mark as a CSV line with its place and numbers.

    >>> from attnviz.features.check.marking import mark_pipeline
    >>> marking = mark_pipeline({"q": [[1, 0]], "k": [[1, 2]], "scores": [[2]]}, decimals=0)
    >>> marking_csv(marking).splitlines()[1]
    'Scores,0,0,0,0,2,wrong,1,1'
    """
    lines = (line for table in marking.tables for line in _lines(table, tokens))
    return csv_of([[say(f"marking.csv.{key}") for key in _COLUMNS], *lines])


_COLUMNS = ("table", "row", "column", "of_row", "of_column", "printed", "mark", "exact", "followed")


def _lines(table: MarkedTable, tokens: Sequence[str]) -> Iterable[list[object]]:
    stage, (n_rows, n_columns) = table.stage, table.given.shape
    rows = [for_spreadsheet(label) for label in axis_labels(tuple(tokens), stage.rows, n_rows)]
    columns = [for_spreadsheet(label) for label in axis_labels(tuple(tokens), stage.columns, n_columns)]
    for row in range(n_rows):
        for column in range(n_columns):
            decimals = table.decimals_at(row, column)
            numbers = (
                as_printed(float(each[row, column]), decimals).replace("−", "-")
                for each in (table.given, table.exact, table.followed)
            )
            given, exact, followed = numbers
            mark = say(f"marking.mark.{table.marks[row][column]}")
            yield [stage.title, row, column, rows[row], columns[column], given, mark, exact, followed]
