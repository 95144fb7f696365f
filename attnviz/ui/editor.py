"""The editor of one matrix: its cells, its whole-matrix actions, and the list of its edits."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attnviz.changes import edit_matrix, random_replacement, replace_matrix
from attnviz.given import EXAMPLE_FILL, Edit
from attnviz.numbers import written
from attnviz.scenario import Scenario
from attnviz.stages import EDITABLE, STAGES
from attnviz.summary import vectors_in_words
from attnviz.tables import parse_table
from attnviz.ui import state
from attnviz.ui.typed import scenario_now, start_table, with_typed

WIDE = 16  # above, a table of all columns can't be used: one row is edited at a time
LISTED = 12  # edits listed one by one
OFFERED = 200  # edits beyond these, to choose from


def show_editor(scenario: Scenario) -> Scenario:
    """Draw the editor of a chosen matrix and return the scenario with what was typed into it."""
    scenario = _show_table(scenario)
    if not scenario.edits and not _replaced(scenario):
        st.caption("Click a cell, type a number, press Enter. Every edit is listed here.")
    _show_edits(scenario)
    st.caption(vectors_in_words(scenario))
    return scenario


def show_folded_editor(scenario: Scenario) -> Scenario:
    """Draw the edits in a line, and the editor folded away, for it to stand under a board.

    The editor is made once it is opened. Returns the scenario with what was typed into it.
    """
    listed = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with st.expander("Edit as tables", key="playground.tables", on_change="rerun") as tables:
        if tables.open:
            scenario = _show_table(scenario)
    with listed:
        _show_edits(scenario)
    st.caption(vectors_in_words(scenario))
    return scenario


def _show_table(scenario: Scenario) -> Scenario:
    names = scenario.editable
    name = st.pills(
        "Edit the numbers of", names, default="w_q", required=True, format_func=lambda n: STAGES[n].symbol,
        key="playground.matrix", persist_state="session",
    )  # fmt: skip
    scenario = _show_cells(scenario, name)
    _show_actions(scenario, name)
    _show_paste(scenario, name)
    return scenario


def _show_cells(scenario: Scenario, name: str) -> Scenario:
    n_rows, n_columns = scenario.shape_of(name)
    row = None
    if n_columns > WIDE:
        row = int(st.number_input(f"Row of {STAGES[name].symbol}", 0, n_rows - 1, 0, key="playground.row"))
        st.caption(f"{STAGES[name].symbol} has {n_columns} columns: its row {row} stands here as a column.")
    key = _key(scenario, name, row)
    start = start_table(scenario, name, row, key)
    # Texts, not numbers: a number cell silently makes 130 of 1e30 and keeps quiet about "abc".
    column = st.column_config.TextColumn(alignment="right", width="small", max_chars=60)
    st.data_editor(
        start, key=key, num_rows="fixed", column_config=dict.fromkeys(start.columns, column),
        width="stretch" if row is None else "content", height="auto",
        alt=f"{STAGES[name].title}: {STAGES[name].meaning}",
    )  # fmt: skip
    return with_typed(scenario)


def _key(scenario: Scenario, name: str, row: int | None) -> str:
    """Return a key that is another one whenever the editor is to start from other numbers.

    Under the same key, an editor would go on showing the matrix of before, and all of it would count as typed.
    """
    drawn = hash((scenario.unedited(name).numpy().tobytes(), scenario.tokens if name == "x" else ()))
    return f"editor.{name}.{row}.{scenario.shape_of(name)}.{drawn:x}.{state.digits()}.{state.revision()}"


def _show_actions(scenario: Scenario, name: str) -> None:
    symbol = STAGES[name].symbol
    actions: list[tuple[str, Callable[[], str | None], str]] = [
        ("Reset", lambda: None, f"{symbol} as the set-up draws it"),
        ("Identity", lambda: "identity", "Ones on the main diagonal, zeros elsewhere"),
        ("Zeros", lambda: "zeros", "Zeros everywhere"),
        ("Random", random_replacement, f"Draws {symbol} alone anew"),
    ]
    with st.container(horizontal=True, gap="xsmall"):
        for label, by, help_text in actions:
            st.button(
                label, key=f"playground.{label}", help=help_text, on_click=_replace, args=(name, by),
            )  # fmt: skip


def _replace(name: str, by: Callable[[], str | None]) -> None:
    scenario = scenario_now()
    if scenario is not None and name in scenario.editable:
        state.keep(replace_matrix(scenario, name, by()))
    state.redraw_editors()


def _show_paste(scenario: Scenario, name: str) -> None:
    n_rows, n_columns = scenario.shape_of(name)
    symbol = STAGES[name].symbol
    with st.popover(f"Paste a table into {symbol}"):
        text = st.text_area(
            f"{n_rows} rows of {n_columns} numbers", key="playground.paste", placeholder="0.5, 1.0\n0.2, -0.3",
            help="From a spreadsheet or a CSV file. A copied block can also be pasted straight into the cells.",
        )  # fmt: skip
        st.button(
            "Use these numbers",
            on_click=_paste,
            args=(name,),
            disabled=not text,
            key="playground.use",
        )


def _paste(name: str) -> None:
    scenario = scenario_now()
    if scenario is None:
        return
    try:
        columns = scenario.unedited(name).shape[1]
        pasted = parse_table(st.session_state["playground.paste"], columns=columns)
        changed = edit_matrix(replace_matrix(scenario, name, None), name, pasted)
    except ValueError as error:
        state.say(f"The pasted table was not taken: {str(error).removesuffix('.')}.")
        return
    state.keep(changed)
    state.redraw_editors()


def _replaced(scenario: Scenario) -> dict[str, str]:
    replaced = {name: getattr(scenario, name) for name in EDITABLE if getattr(scenario, name) is not None}
    return {name: by if isinstance(by, str) else "given number by number" for name, by in replaced.items()}


def _show_edits(scenario: Scenario) -> None:
    for name, by in _replaced(scenario).items():
        _undo_line(
            f"{STAGES[name].symbol}: {by.replace(EXAMPLE_FILL, 'as in the example ')}",
            f"playground.undo.{name}",
            _replace,
            (name, lambda: None),
        )
    in_words = _edits_in_words(scenario)
    for edit, words in list(in_words.items())[:LISTED]:
        key = f"playground.undo.{edit.matrix}.{edit.row}.{edit.column}"
        _undo_line(words, key, _undo, (edit[:3],))
    if len(in_words) > LISTED:
        _show_rest(scenario, dict(list(in_words.items())[LISTED:]))
    _show_offer()


def _edits_in_words(scenario: Scenario) -> dict[Edit, str]:
    drawn = {name: scenario.unedited(name) for name in {edit.matrix for edit in scenario.edits}}
    digits = state.digits()
    return {
        edit: f"{STAGES[edit.matrix].symbol}[{edit.row}, {edit.column}]: "
        f"{written(drawn[edit.matrix][edit.row, edit.column].item(), digits)} → {written(edit.value, digits)}"
        for edit in scenario.edits
    }


def _show_rest(scenario: Scenario, in_words: dict[Edit, str]) -> None:
    """Draw the edits beyond those listed: one can be chosen from the first few hundred, and undone."""
    offered = list(in_words)[:OFFERED]
    more = f" (the first {OFFERED} of them)" if len(in_words) > OFFERED else ""
    chosen = st.selectbox(f"{len(in_words)} more edits{more}", offered, format_func=in_words.__getitem__)
    st.button("Undo this one", key="playground.undo_rest", on_click=_undo, args=(chosen[:3],))


def _undo_line(text: str, key: str, undo: Callable[..., None], args: tuple[object, ...]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.text(text, width="content")
        st.button("Undo", key=key, on_click=undo, args=args, type="tertiary")


def _undo(cell: tuple[str, int, int]) -> None:
    scenario = scenario_now()
    if scenario is not None:
        state.keep(replace(scenario, edits=tuple(edit for edit in scenario.edits if edit[:3] != cell)))
    state.redraw_editors()


def _show_offer() -> None:
    dropped = state.offered_here()
    if not dropped:
        return
    count = len(dropped.edits) + len(dropped.replaced)
    what = (
        "1 change was dropped, because its matrix was"
        if count == 1
        else f"{count} changes were dropped, because their matrices were"
    )
    with st.container(border=True):
        st.text(f"{what} drawn anew.")
        with st.container(horizontal=True):
            st.button("Bring back", on_click=state.take_back, key="playground.bring_back")
            st.button("Let go", on_click=state.forget_offer, key="playground.let_go", type="tertiary")
