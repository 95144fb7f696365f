"""The edits of the current scenario in a line, each with a button that takes it back."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import state
from attnviz.core.changes import replace_matrix
from attnviz.core.matrix_input import Edit, example_of
from attnviz.core.scenario import Scenario
from attnviz.explanation.changes_in_words import edits_in_words, replaced_in_words
from attnviz.words import say

LISTED = 12  # edits listed one by one
OFFERED = 200  # edits beyond these, to choose from


def show_listed_edits(scenario: Scenario) -> None:
    """Draw the edits of a scenario in a line."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_edits(scenario)


def show_edits(scenario: Scenario) -> None:
    """Draw the edits of a scenario where they are to stand."""
    for name, words in replaced_in_words(scenario).items():
        if example_of(scenario.replacement(name)):
            continue  # what an example began with is no edit
        _undo_line(words, f"playground.undo.{name}", replace_by, (name, lambda: None))
    in_words = edits_in_words(scenario, state.digits())
    for edit, words in list(in_words.items())[:LISTED]:
        key = f"playground.undo.{edit.matrix}.{edit.row}.{edit.column}"
        _undo_line(words, key, _undo, (edit[:3],))
    if len(in_words) > LISTED:
        _show_rest(scenario, dict(list(in_words.items())[LISTED:]))


def _show_rest(scenario: Scenario, in_words: dict[Edit, str]) -> None:
    """Draw the edits beyond those listed: one can be chosen from the first few hundred, and undone."""
    cells = {edit[:3]: words for edit, words in list(in_words.items())[:OFFERED]}
    label = say("editor.more", n=len(in_words))
    if len(in_words) > OFFERED:
        label = say("editor.first_of_more", more=label, offered=OFFERED)
    # With a key it is the same control whatever the edits are: of each, Streamlit keeps what it knows for ever.
    chosen = st.selectbox(label, list(cells), format_func=cells.__getitem__, key="playground.more_edits")
    st.button(say("editor.undo_one"), key="playground.undo_rest", on_click=_undo, args=(chosen,))


def _undo_line(text: str, key: str, undo: Callable[..., None], args: tuple[object, ...]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.text(text, width="content")
        st.button(say("editor.undo"), key=key, on_click=undo, args=args, type="tertiary")


def _undo(cell: tuple[str, int, int]) -> None:
    scenario = scenario_now()
    if scenario is not None:
        state.keep(replace(scenario, edits=tuple(edit for edit in scenario.edits if edit[:3] != cell)))
    state.redraw_editors()


def replace_by(name: str, by: Callable[[], str | None]) -> None:
    """Put in the place of a matrix of the current scenario what `by` returns: its name as a fill; None, as drawn."""
    scenario = scenario_now()
    if scenario is not None and name in scenario.editable:
        state.keep(replace_matrix(scenario, name, by()))
    state.redraw_editors()
