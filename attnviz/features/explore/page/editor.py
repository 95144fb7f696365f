"""The editor of one matrix: its cells, actions and list of edits."""

from collections.abc import Callable
from zlib import crc32

import streamlit as st

from attnviz.app.parts.typed_cells import (
    replace_by,
    scenario_now,
    show_edits,
    show_listed_edits,
    start_table,
    with_typed,
)
from attnviz.app.session import state
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_layer
from attnviz.app.text import message_of
from attnviz.core.carry_over import edit_matrix, random_replacement, replace_matrix
from attnviz.core.layers import named, placed
from attnviz.core.scenario import Scenario
from attnviz.explanation.numbers_from import vectors_in_words
from attnviz.explanation.origins import replaced_in_words, symbol_in_words
from attnviz.features.tables.reading import parse_table
from attnviz.words import plural, say

WIDE = 16  # columns that the editor shows as a whole table; of a wider matrix, it shows one row
TABLES = "playground.tables"  # the key in the session that says whether the editor is open


def show_editor(scenario: Scenario) -> Scenario:
    """Draw the editor of a chosen matrix; return the edited scenario."""
    scenario = _show_table(scenario)
    if not scenario.edits and not replaced_in_words(scenario):
        st.caption(say("editor.how"))
    show_edits(scenario)
    st.caption(vectors_in_words(scenario))
    return scenario


def show_folded_editor(scenario: Scenario) -> Scenario:
    """Draw the edits in a line, and the folded editor below.

    The editor is made once it is opened. Returns the scenario with what was typed into it.
    """
    listed = st.container()
    with st.expander(say("editor.tables"), key=TABLES, on_change="rerun") as tables:
        if tables.open:
            scenario = _show_table(scenario)
    with listed:
        show_listed_edits(scenario)
    st.caption(vectors_in_words(scenario))
    return scenario


def _show_table(scenario: Scenario) -> Scenario:
    layer = 0 if scenario.same_layers else picked_layer(scenario)  # the layer whose matrices are edited
    names = [name for name in scenario.editable if placed(name)[0] == layer]
    name = st.pills(
        say("editor.matrix"), names, default=named(layer, "w_q"), required=True,
        format_func=symbol_in_words, key=f"playground.matrix{layer or ''}", persist_state="session",
    )  # fmt: skip
    scenario = _show_cells(scenario, name)
    _show_actions(name)
    _show_paste(scenario, name)
    return scenario


def _show_cells(scenario: Scenario, name: str) -> Scenario:
    n_rows, n_columns = scenario.shape_of(name)
    row = None
    if n_columns > WIDE:
        symbol = symbol_in_words(name)
        row = int(st.number_input(say("editor.row", symbol=symbol), 0, n_rows - 1, 0, key="playground.row"))
        st.caption(say("editor.wide", symbol=symbol, columns=plural(n_columns, "column"), row=row))
    key = _key(scenario, name, row)
    start = start_table(scenario, name, row, key)
    # Cells hold texts, because a number cell silently turns 1e30 into 130, and ignores "abc" without a message.
    column = st.column_config.TextColumn(alignment="right", width="small", max_chars=60)
    st.data_editor(
        start, key=key, num_rows="fixed", column_config=dict.fromkeys(start.columns, column),
        width="stretch" if row is None else "content", height="auto",
        on_change=_take_typed,
        alt=say("editor.alt", title=scenario.stage(name).title, meaning=scenario.stage(name).meaning),
    )  # fmt: skip
    return with_typed(scenario)


def _take_typed() -> None:
    """Keep what was typed before a link ends the run."""
    scenario_now()  # otherwise Streamlit would forget what was typed


def _key(scenario: Scenario, name: str, row: int | None) -> str:
    """Return a key that changes whenever the editor needs other initial numbers.

    Under the same key, an editor would go on showing the previous matrix, and all its numbers would count as typed.
    """
    of = scenario.unedited(name).numpy().tobytes(), scenario.tokens_of(name)
    drawn = crc32(repr(of).encode())  # another server, which may draw the page after a reconnect, gets the same
    return f"editor.{name}.{row}.{scenario.shape_of(name)}.{drawn:x}.{state.digits()}.{this_session().revision}"


def _show_actions(name: str) -> None:
    symbol = symbol_in_words(name)
    actions: tuple[tuple[str, Callable[[], str | None]], ...] = (
        ("reset", lambda: None),
        ("identity", lambda: "identity"),
        ("zeros", lambda: "zeros"),
        ("random", random_replacement),
    )
    with st.container(horizontal=True, gap="xsmall"):
        for action, by in actions:
            st.button(
                say(f"editor.{action}.label"), key=f"playground.{action}", on_click=replace_by, args=(name, by),
                help=say(f"editor.{action}.help", symbol=symbol),
            )  # fmt: skip


def _show_paste(scenario: Scenario, name: str) -> None:
    n_rows, n_columns = scenario.shape_of(name)
    symbol = symbol_in_words(name)
    # Inside a form, the field says that Ctrl+Enter applies the text, and it does.
    with st.popover(say("editor.paste", symbol=symbol)), st.form("playground.pasting", border=False):
        st.text_area(
            say("editor.size", rows=plural(n_rows, "row"), numbers=plural(n_columns, "number")),
            key="playground.paste",
            placeholder="0.5, 1.0\n0.2, -0.3",
            help=say("editor.paste_help"),
        )
        st.form_submit_button(say("editor.use"), on_click=_paste, args=(name,), key="playground.use")


def _paste(name: str) -> None:
    scenario = scenario_now()
    if scenario is None:
        return
    try:
        columns = scenario.unedited(name).shape[1]
        pasted = parse_table(this_session().get("playground.paste"), columns=columns)
        changed = edit_matrix(replace_matrix(scenario, name, None), name, pasted)
    except ValueError as error:
        state.add_message(say("editor.refused", why=message_of(error)))
        return
    state.keep(changed)
    state.redraw_editors()
