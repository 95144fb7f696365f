"""What is typed into the fields of the form, read as tables."""

from collections.abc import Mapping

import streamlit as st

from attnviz.app.check.fields import text_of
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message
from attnviz.link.typed_form import TABLE_NAMES
from attnviz.marking import handout
from attnviz.marking.settings import base_of, symbol_of
from attnviz.tables.printed_table import Printed
from attnviz.words import say

MOST_MARKED = 64  # rows and columns that a page shows with their marks


def read_fields(below: Mapping[str, DeltaGenerator]) -> tuple[dict[str, Printed], tuple[str, ...]]:
    """Read the typed tables, and say below each that can't be read why, and how one was read where that isn't plain.
    Return the tables, and the names of those that can't be read.
    """
    texts = {name: text_of(name) for name in TABLE_NAMES}
    tables, unread = {}, []
    for name, table in tables_in({name: text for name, text in texts.items() if text.strip()}).items():
        with below[base_of(name)]:
            if isinstance(table, str):
                said = say("check.form.table_refused", symbol=symbol_of(name), why=table)
                st.error(as_message(said))
                unread.append(name)
                continue
            for sentence in table.told:
                st.caption(as_message(sentence))
        tables[name] = table
    return tables, tuple(unread)


def tables_in(texts: Mapping[str, str]) -> dict[str, Printed | str]:
    """Return the table in each text, or why there is none that can be marked."""
    return handout.tables_in(texts, _table_or_why_not)


@st.cache_data(max_entries=200, show_spinner=False)  # to read millions of characters again would slow every click
def _table_or_why_not(text: str, masked: bool, columns: int | None, rows: int | None) -> Printed | str:
    table = handout.table_or_why_not(text, masked, columns, rows)
    if isinstance(table, Printed) and max(table.shape) > MOST_MARKED:
        n_rows, n_columns = table.shape
        return say("check.form.too_large", rows=n_rows, columns=n_columns, most=MOST_MARKED)
    return table
