"""The form for tables of one's own, and their marking.

The typed texts are kept while the session lasts, whatever is wrong with them.
"""

from functools import partial
from typing import Any

import streamlit as st

from attnviz.app.check import form_in_address
from attnviz.app.check.fields import key_of, show_fields, stages_of, text_of
from attnviz.app.check.form_settings import show_settings
from attnviz.app.check.reading import read_fields
from attnviz.app.check.shown_verdict import show_verdict
from attnviz.app.check.typed_tables import SORTED, form_now, form_of, take_typed
from attnviz.app.refusals import told
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message
from attnviz.core.stages import Table
from attnviz.documents import marking_csv, marking_page
from attnviz.documents.marking_page import marked_table
from attnviz.link.typed_form import TABLE_NAMES
from attnviz.marking import Mark, Marking, UnknownDkError, mark_pipeline
from attnviz.marking.settings import base_of, path_of
from attnviz.published import worked_examples
from attnviz.tables.printed_table import Printed
from attnviz.words import say


def show_check() -> None:
    """Draw the form, the verdict above it, and the marks below each table."""
    form_in_address.take()
    says = st.container()
    settings = show_settings()
    with st.container(key="check_form"):
        below, settings["activation"] = show_fields(take_typed)
    if not form_in_address.keep(form_now()):
        says.warning(say("check.form.too_long"), icon=":material/warning:")
    if sorted_ones := st.session_state.pop(SORTED, ""):
        says.info(sorted_ones, icon=":material/sort:")
    tables, unread = read_fields(below)
    marking = _marked(tables, settings, says)
    if marking is None:
        return
    tokens = settings["tokens"]
    with says:
        _show_loaded(marking)
        show_verdict(marking, tokens, unread)
        _show_downloads(marking, tokens)
    for table in marking.tables:
        with below[base_of(table.stage.name)]:
            st.html(marked_table(table, tokens))


def _show_downloads(marking: Marking, tokens: tuple[str, ...]) -> None:
    """Offer the verdict and every mark as files; each is made when it is asked for."""
    if not any(table.n_cells for table in marking.tables):
        return
    with st.container(horizontal=True, key="check_downloads"):
        for kind, make in (("html", marking_page), ("csv", marking_csv)):
            st.download_button(
                say(f"check.form.download.{kind}"), partial(make, marking, tokens), f"attention-marked.{kind}",
                f"text/{kind}", on_click="ignore", key=f"check.download.{kind}",
            )  # fmt: skip


def _marked(tables: dict[str, Printed], settings: dict[str, Any], says: DeltaGenerator) -> Marking | None:
    with says:
        if not tables:
            if any(map(text_of, TABLE_NAMES)):
                return None  # what is typed is told to be no table already
            st.info(say("check.form.start"), icon=":material/edit:")
            return None
        decimals, stages = settings["decimals"], stages_of(tuple(tables), settings["activation"])
        given = {
            name: table.with_decimals(decimals) if isinstance(decimals, int) and _is_made(name, stages) else table
            for name, table in tables.items()
        }
        chosen = ("scale", "causal", "temperature", "d_k", "rounded_inputs", "carried", "activation", "n_heads")
        choices = {name: settings[name] for name in chosen}
        try:
            return mark_pipeline(given, **choices)
        except UnknownDkError:
            st.error(as_message(say("check.form.no_d_k")))
            return None
        except ValueError as error:
            st.error(as_message(say("check.form.no_fit", why=told(error))))
            return None


def _is_made(name: str, stages: Table) -> bool:
    return bool(path_of(name) or stages[name].sources)


def _show_loaded(marking: Marking) -> None:
    """Say whose numbers these are, while they are those of a published example."""
    typed = {key: text for key, text in form_now().items() if key.startswith(key_of("")) and text}
    for name, example in worked_examples().items():
        if typed == {key: text for key, text in form_of(name).items() if key.startswith(key_of(""))}:
            wrong = any(table.count(Mark.WRONG, Mark.FOLLOWS) for table in marking.tables)
            st.text(say(f"check.form.loaded_{'wrong' if wrong else 'right'}", title=example.title))
