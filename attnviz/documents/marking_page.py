"""A marked handout on one page to print, as a notebook shows it, and as CSV."""

import csv
import html
import io
from collections.abc import Iterable, Sequence

import numpy as np

from attnviz.colours.palette import FONT_FAMILY, LIGHT
from attnviz.core.tokens import axis_labels
from attnviz.documents.marked_tables import STYLE, legend, marked_table, plain_table
from attnviz.export.data import for_spreadsheet
from attnviz.marking import MarkedTable, Marking, Verdict, verdict
from attnviz.tables.printed_table import MAX_DECIMALS, as_printed, decimals_of
from attnviz.words import say

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # no script, nothing from anywhere
_LETTERS = f"body {{ font: 14px/1.45 {FONT_FAMILY}; color: {LIGHT.text}; background: {LIGHT.paper}; }}"
_PAGE_STYLE = """
body { margin: 24px auto; max-width: 1080px; padding: 0 16px;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 15px; margin: 14px 0 4px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
pre { font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f8fa; padding: 8px; }
.tables { display: flex; flex-wrap: wrap; gap: 10px 28px; }
.marked, .first, pre { break-inside: avoid; }
h2 { break-after: avoid; }
@page { margin: 12mm; }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 11px; } .marked { overflow: visible; } }
"""


def marking_page(marking: Marking, tokens: Sequence[str] = (), title: str = "") -> str:
    """Return the verdict, the reading that was chosen and every mark as an HTML page that prints well.

    >>> from attnviz.marking import mark_pipeline
    >>> marking = mark_pipeline({"q": [[1, 0]], "k": [[1, 2]], "scores": [[2]]}, decimals=0)
    >>> "1 should be" in marking_page(marking), "should be 1" in marking_page(marking)
    (False, True)
    """
    heading = html.escape(title or say("marking.page.title"))
    taken = [_given(marking, name, tokens) for name in marking.taken]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{heading}</title>
<style>{_LETTERS}{_PAGE_STYLE}</style>
{STYLE}
</head>
<body>
<h1>{heading}</h1>
{_said(marking, tokens)}
<h2>{html.escape(say("marking.page.marks"))}</h2>
{legend()}
<div class="tables">{"".join(marked_table(table, tokens) for table in marking.tables)}</div>
<h2>{html.escape(say("marking.page.given"))}</h2>
<div class="tables">{"".join(taken)}</div>
<p>{html.escape(say("marking.page.counting"))}</p>
</body>
</html>
"""


def marking_markup(marking: Marking, tokens: Sequence[str] = ()) -> str:
    """Return a marking as a notebook shows it: its verdict, and the marked tables.

    >>> from attnviz.marking import mark_pipeline
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
    return _paragraphs(lines) + (first if words.first_error else "") + _paragraphs(words.tables)


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(text)}</p>" for text in texts)


def _given(marking: Marking, name: str, tokens: Sequence[str]) -> str:
    stage = marking.stages[name]
    values = np.atleast_2d(marking.before[name])
    # Of a tensor that is given as it is, the digits that float32 holds.
    told = max((decimals_of(float(f"{value:.7g}")) for value in values.flatten().tolist()), default=0)
    decimals = min(marking.decimals.get(name, told), told) if told < MAX_DECIMALS else MAX_DECIMALS
    return plain_table(stage.title, stage, values, decimals, tokens)


def marking_csv(marking: Marking, tokens: Sequence[str] = ()) -> str:
    """Return every mark as a line of CSV: where it stands, what is printed there, its mark, and what is right.

    >>> from attnviz.marking import mark_pipeline
    >>> marking = mark_pipeline({"q": [[1, 0]], "k": [[1, 2]], "scores": [[2]]}, decimals=0)
    >>> marking_csv(marking).splitlines()[1]
    'Scores,0,0,0,0,2,wrong,1,1'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(say(f"marking.csv.{key}") for key in _COLUMNS)
    for table in marking.tables:
        writer.writerows(_lines(table, tokens))
    return out.getvalue()


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
