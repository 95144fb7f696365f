"""What is typed into the fields of the form, read as tables; each decides how another is read, where that is open."""

from collections.abc import Mapping

import streamlit as st

from attnviz.app.check.fields import text_of
from attnviz.app.refusals import told
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message
from attnviz.core.stages import EVERY_STAGE
from attnviz.link.typed_form import TABLE_NAMES
from attnviz.marking import columns_shown, rows_shown
from attnviz.tables.printed_table import Printed
from attnviz.tables.reading import read_table
from attnviz.words import say

MAY_BE_MASKED = ("scores", "scaled_scores", "attention_weights")
MOST_MARKED = 64  # rows and columns that a page shows with their marks


def read_fields(below: Mapping[str, DeltaGenerator]) -> tuple[dict[str, Printed], tuple[str, ...]]:
    """Read the typed tables, and say below each that can't be read why, and how one was read where that isn't plain.
    Return the tables, and the names of those that can't be read.
    """
    texts = {name: text_of(name) for name in TABLE_NAMES}
    tables = {}
    for name, table in tables_in({name: text for name, text in texts.items() if text.strip()}).items():
        with below[name]:
            if isinstance(table, str):
                said = say("check.form.table_refused", symbol=EVERY_STAGE[name].symbol, why=table)
                st.error(as_message(said))
                continue
            for sentence in table.told:
                st.caption(as_message(sentence))
        tables[name] = table
    return tables, tuple(name for name, text in texts.items() if text.strip() and name not in tables)


def tables_in(texts: Mapping[str, str]) -> dict[str, Printed | str]:
    """Return the table in each text, or why there is none that can be marked.

    Where a comma may begin decimals or part two numbers, or a first row be a head, the other tables decide, if they
    show how many rows and columns there have to be.
    """
    tables = {name: _table_or_why_not(text, infinite=name in MAY_BE_MASKED) for name, text in texts.items()}
    for name, text in texts.items():
        shapes = {each: _shape(table, texts[each]) for each, table in tables.items()}
        read = {each: table.shape for each, table in tables.items() if isinstance(table, Printed)}
        columns, rows = columns_shown(name, shapes), rows_shown(name, read)
        if (columns is not None and shapes[name][1] != columns) or (rows is not None and shapes[name][0] != rows):
            again = _table_or_why_not(text, infinite=name in MAY_BE_MASKED, columns=columns, rows=rows)
            fits = isinstance(again, Printed) and again.shape[1] == (columns or again.shape[1])
            tables[name] = again if fits else tables[name]
    return tables


def _shape(table: Printed | str, text: str) -> tuple[int, int | None]:
    if isinstance(table, Printed):
        return table.shape
    return sum(bool(line.strip()) for line in text.splitlines()), None


@st.cache_data(max_entries=200, show_spinner=False)  # to read millions of characters again would slow every click
def _table_or_why_not(
    text: str, *, infinite: bool, columns: int | None = None, rows: int | None = None
) -> Printed | str:
    """Return the table in a text, or why there is none that can be marked."""
    try:
        table = read_table(text, infinite=infinite, columns=columns, expected_rows=rows, blanks=True)
    except ValueError as error:
        return told(error)
    if max(table.shape) > MOST_MARKED:
        n_rows, n_columns = table.shape
        return say("check.form.too_large", rows=n_rows, columns=n_columns, most=MOST_MARKED)
    return table
