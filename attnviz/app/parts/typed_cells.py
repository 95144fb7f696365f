"""The numbers typed into the editor, and the edits, each with undo.

Typed cells are texts, so that any input stays visible, and a message can say why it isn't a number.

Streamlit keeps what was typed since the editor was drawn under its key. A click elsewhere can end the typing in a cell,
and that click's own action runs first: so every action starts from :func:`scenario_now`, which reads the editor, too.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
import torch

from attnviz.app.session import state
from attnviz.app.session.session import Editor, this_session
from attnviz.app.text import literal, message_of
from attnviz.core.carry_over import edit_matrix, replace_matrix
from attnviz.core.matrix_input import Edit, example_of
from attnviz.core.scenario import Scenario
from attnviz.core.stages import ALL_STAGES, MASK
from attnviz.core.tokens import token_labels
from attnviz.explanation.origins import edits_in_words, replaced_in_words
from attnviz.typed_numbers import NoNumberError, hides, parse_number, why_no_number
from attnviz.words import say
from attnviz.words.numbers import number_format, written

LISTED = 12  # edits that are listed one by one, at most
OFFERED = 200  # further edits that a list offers, at most


def start_table(scenario: Scenario, matrix: str, row: int | None, key: str) -> pd.DataFrame:
    """Return the editor's initial texts, which stay the same for one key."""
    session = this_session()
    current = session.editor
    if current is None or current.key != key or key not in session:
        numbers = _numbers(scenario, matrix)
        numbers = numbers if row is None else numbers[[row]].T
        session.editor = current = Editor(key, matrix, row, numbers, _texts(numbers, state.digits()))
    texts = current.texts
    if row is not None:
        return pd.DataFrame(texts, columns=[say("typed.row", row=row)])
    index = list(token_labels(scenario.tokens_of(matrix))) or None
    return pd.DataFrame(texts, columns=[str(i) for i in range(texts.shape[1])], index=index)


def _numbers(scenario: Scenario, matrix: str) -> np.ndarray:
    """Return a matrix with its edits in float64, exactly as typed."""
    numbers = scenario.unedited(matrix).double().numpy()
    for edit in scenario.edits:
        if edit.matrix == matrix:
            numbers[edit.row, edit.column] = edit.value
    return numbers


def _texts(numbers: np.ndarray, digits: int) -> np.ndarray:
    texts = [[format(value, number_format(abs(value), digits)) for value in row] for row in numbers.tolist()]
    return np.array(texts, dtype=object)


def with_typed(scenario: Scenario) -> Scenario:
    """Return and keep the scenario with the numbers typed into the editor.

    A cell that gets anything but a number keeps its old one, with a message.
    """
    session = this_session()
    current = session.editor
    if current is None or current.key not in session or not current.key.endswith(f".{session.revision}"):
        return scenario
    typed = session.get(current.key)["edited_rows"]
    if not typed or current.matrix not in scenario.editable:
        return scenario
    numbers = _numbers(scenario, current.matrix)
    for at, cells in typed.items():
        for name, text in cells.items():
            row, column = (int(at), int(name)) if current.row is None else (current.row, int(at))
            if row < numbers.shape[0] and column < numbers.shape[1]:
                _type(numbers, row, column, text, current)
    try:
        changed = edit_matrix(scenario, current.matrix, torch.from_numpy(numbers))
    except ValueError as error:
        state.add_message(say("typed.refused", why=message_of(error)))
        return scenario
    if changed != scenario:
        state.keep(changed)
    return changed


def _type(numbers: np.ndarray, row: int, column: int, text: Any, current: Editor) -> None:
    start = (row, column) if current.row is None else (column, 0)
    if text == current.texts[start]:  # unchanged: keep all digits of the number, not just those shown
        numbers[row, column] = current.numbers[start]
        return
    if current.matrix == MASK and hides(str(text)):
        numbers[row, column] = -np.inf
        return
    try:
        numbers[row, column] = parse_number("" if text is None else str(text))
    except NoNumberError as error:
        still = written(float(numbers[row, column]), 4)
        cell = f"{ALL_STAGES[current.matrix].symbol}[{row}, {column}]"
        state.add_message(say("typed.keeps", why=why_no_number(error, literal(error.text)), cell=cell, value=still))


def scenario_now() -> Scenario | None:
    """Return the scenario with what was just typed; None without a sentence."""
    scenario = this_session().scenario
    return None if scenario is None else with_typed(scenario)


# The edits, listed


def show_listed_edits(scenario: Scenario) -> None:
    """Draw the edits of a scenario in a line."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_edits(scenario)


def show_edits(scenario: Scenario) -> None:
    """Draw the edits of a scenario in the current container."""
    for name, words in replaced_in_words(scenario).items():
        if example_of(scenario.replacement(name)):
            continue  # an example's own matrix isn't an edit
        _undo_line(words, f"playground.undo.{name}", replace_by, (name, lambda: None))
    in_words = edits_in_words(scenario, state.digits())
    for edit, words in list(in_words.items())[:LISTED]:
        key = f"playground.undo.{edit.matrix}.{edit.row}.{edit.column}"
        _undo_line(words, key, _undo, (edit[:3],))
    if len(in_words) > LISTED:
        _show_rest(dict(list(in_words.items())[LISTED:]))


def _show_rest(in_words: dict[Edit, str]) -> None:
    """Draw a list of further edits, to choose and undo one."""
    cells = {edit[:3]: words for edit, words in list(in_words.items())[:OFFERED]}
    label = say("editor.more", n=len(in_words))
    if len(in_words) > OFFERED:
        label = say("editor.first_of_more", more=label, offered=OFFERED)
    # With a key, this stays the same control for all edits. Streamlit never forgets a control, and without a key each
    # list of options would be another one.
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
    """Replace a matrix by the fill that `by` returns; None restores it."""
    scenario = scenario_now()
    if scenario is not None and name in scenario.editable:
        state.keep(replace_matrix(scenario, name, by()))
    state.redraw_editors()
