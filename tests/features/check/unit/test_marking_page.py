"""A marking on paper, in a notebook and as CSV: the verdict, the reading and every mark."""

import csv
import io

import attnviz
from attnviz.documents import marking_csv, marking_page
from attnviz.features.check.marking import Mark, Marking, verdict
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_table
from attnviz.published import worked_example
from attnviz.words import say

EXAMPLE = worked_example("three-words")
TOKENS = ("the", "=1+1", "<b>")


def marked() -> Marking:
    tables = {name: Printed.of(rows) for name, rows in EXAMPLE.inputs.items()}
    tables |= {name: Printed.of(rows, EXAMPLE.decimals, shown=True) for name, rows in EXAMPLE.published.items()}
    return attnviz.mark_pipeline(tables, scale=EXAMPLE.scale, d_k=EXAMPLE.d_k)


def test_the_page_holds_verdict_reading_and_every_mark_and_runs_nothing() -> None:
    marking = marked()
    page, words = marking_page(marking, TOKENS), verdict(marking, TOKENS)
    for sentence in (words.summary, *words.tables, *words.reading):
        assert sentence.replace("'", "&#x27;") in page
    for mark in (Mark.WRONG, Mark.FOLLOWS, Mark.RIGHT):
        assert page.count(f'<td class="{mark}"') == marking.count(mark)
    assert "<b>" not in page.partition("<body>")[2]
    assert "<script" not in page
    assert "break-inside: avoid" in page


def test_the_page_is_read_back_by_the_form() -> None:
    marking = marked()
    found = sorted_tables(marking_page(marking, TOKENS)).tables
    assert set(found) == {table.stage.name for table in marking.tables} | set(marking.taken)
    for table in marking.tables:
        assert read_table(found[table.stage.name]).rows == tuple(map(tuple, table.given.tolist()))


def test_the_csv_has_a_line_for_each_mark_and_no_formula() -> None:
    marking = marked()
    lines = list(csv.DictReader(io.StringIO(marking_csv(marking, TOKENS))))
    assert len(lines) == sum(table.given.size for table in marking.tables)
    wrong = say("marking.mark.wrong")
    assert sum(line["mark"] == wrong for line in lines) == marking.count(Mark.WRONG)
    assert not any(value.startswith("=") for line in lines for value in line.values())
    first = marking.first_wrong
    assert first is not None
    line = next(line for line in lines if line["mark"] == wrong)
    assert (line["table"], int(line["row"]), int(line["column"])) == (first[0].stage.title, first[1], first[2])


def test_a_notebook_shows_the_marks_and_print_says_the_verdict() -> None:
    marking = marked()
    shown = marking._repr_html_()
    assert shown.count('<td class="wrong"') == marking.count(Mark.WRONG)
    assert str(marking).startswith(verdict(marking).summary)
    assert verdict(marking).first_error in str(marking)
