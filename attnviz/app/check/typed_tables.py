"""What is typed, pasted, uploaded or loaded into the form of Check my numbers."""

from functools import cache
from typing import Any

import streamlit as st

from attnviz.app.check import form_in_address
from attnviz.app.check.fields import key_of, text_of
from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.app.text import literal
from attnviz.core.stages import EVERY_STAGE
from attnviz.link.typed_form import DEFAULTS
from attnviz.marking.handout import by_fields
from attnviz.marking.settings import symbol_of
from attnviz.published import worked_example
from attnviz.tables.handout import may_hold_several, sorted_tables
from attnviz.tables.printed_table import Printed
from attnviz.tables.reading import read_upload, write_table
from attnviz.words import say

SORTED = "check.sorted"  # in the session: what is said of several tables that came in one text
_FEW_CHARACTERS = 12


def form_now() -> dict[str, Any]:
    """Return what the form holds, by the keys of its controls."""
    return {key: st.session_state.get(key, default) for key, default in DEFAULTS.items()}


def take_upload() -> None:
    """Put an uploaded file into the field that is chosen for it, or its tables into theirs; in a callback."""
    uploaded = st.session_state["check.upload"]
    if uploaded is None:
        return
    name = st.session_state["check.upload_to"]
    try:
        text = read_upload(uploaded.getvalue())
    except ValueError as error:
        state.say(say("check.form.upload_refused", file=literal(uploaded.name), why=told(error)))
        return
    if _sort(text):
        return
    if text_of(name):
        form_in_address.set_aside(form_now())
    st.session_state[key_of(name)] = text


def take_typed(name: str) -> None:
    """Sort several named tables that were pasted into one field; in a callback."""
    text = text_of(name)
    if len(text) < _FEW_CHARACTERS or not may_hold_several(text):
        return
    before = st.session_state[key_of(name)]
    st.session_state[key_of(name)] = ""
    if not _sort(text):
        st.session_state[key_of(name)] = before


def _sort(text: str) -> bool:
    """Put the tables of a text into the fields that they name, if there are several, and say which."""
    found = sorted_tables(text)
    if len(found.tables) < 2:
        return False
    fields = by_fields(found.tables)
    if any(map(text_of, fields)):
        form_in_address.set_aside(form_now())
    st.session_state.update({key_of(name): table for name, table in fields.items()})
    said = say("check.form.sorted", names=", ".join(EVERY_STAGE[name].symbol for name in fields))
    if found.twice:
        twice = ", ".join(map(symbol_of, found.twice))
        said += " " + say("check.form.sorted_twice", names=twice)
    st.session_state[SORTED] = said
    return True


def clear() -> None:
    """Empty the form, and set aside what was in it; in a callback."""
    form_in_address.set_aside(form_now())
    st.session_state.update(DEFAULTS)


def bring_back() -> None:
    """Fill the form with what was set aside last; in a callback."""
    form_in_address.bring_back(form_now())


def load(name: str) -> None:
    """Put a published example into the form; in a callback."""
    clear()
    st.session_state.update(form_of(name))
    form_in_address.was_loaded(form_now())


@cache
def form_of(name: str) -> dict[str, Any]:
    """Return a published example as the form holds it; treat it as read-only."""
    example = worked_example(name)
    tables = {each: Printed.of(rows) for each, rows in example.given.items()}
    if not example.from_scores:
        for each in ("w_q", "w_k", "w_v"):  # those that the source draws from a seed and does not print
            tables.setdefault(each, Printed.of(example.scenario.matrix(each), 8))
    tables |= {each: Printed.of(rows, example.decimals) for each, rows in example.published.items()}
    texts = {key_of(each): write_table(table) for each, table in tables.items()}
    more = {"check.tokens": ", ".join(example.tokens), "check.scale": example.scale, "check.d_k": example.d_k}
    return texts | more
