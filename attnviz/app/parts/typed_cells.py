"""What has been typed into the editor: texts, so that whatever is typed is seen, and told if it is no number.

The editor keeps what was typed since it was drawn under its key. A click elsewhere can end a cell's typing, and
its own action then runs first: so every action starts from :func:`scenario_now`, which reads the editor too.
"""

from typing import Any

import numpy as np
import pandas as pd
import torch

from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.app.session.session import Editor, this_session
from attnviz.app.text import literal
from attnviz.core.changes import edit_matrix
from attnviz.core.scenario import Scenario
from attnviz.core.stages import ALL_STAGES, MASK
from attnviz.core.tokens import token_labels
from attnviz.tables.typed_numbers import NoNumberError, hides, parse_number, why_no_number
from attnviz.words import say
from attnviz.words.numbers import number_format, written


def start_table(scenario: Scenario, matrix: str, row: int | None, key: str) -> pd.DataFrame:
    """Return the texts that the editor of this key starts from: they must stay the same while its key does."""
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
    """Return a matrix with its edits as they were typed: float32 would make 0.8999999761581421 of 0.9."""
    numbers = scenario.unedited(matrix).double().numpy()
    for edit in scenario.edits:
        if edit.matrix == matrix:
            numbers[edit.row, edit.column] = edit.value
    return numbers


def _texts(numbers: np.ndarray, digits: int) -> np.ndarray:
    texts = [[format(value, number_format(abs(value), digits)) for value in row] for row in numbers.tolist()]
    return np.array(texts, dtype=object)


def with_typed(scenario: Scenario) -> Scenario:
    """Return the scenario with the numbers typed into the editor, and keep it.

    A cell into which something else is typed keeps its number, with a message.
    """
    session = this_session()
    current = session.editor
    if current is None or current.key not in session:
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
        state.say(say("typed.refused", why=told(error)))
        return scenario
    if changed != scenario:
        state.keep(changed)
    return changed


def _type(numbers: np.ndarray, row: int, column: int, text: Any, current: Editor) -> None:
    start = (row, column) if current.row is None else (column, 0)
    if text == current.texts[start]:  # as it was shown: the number itself, with all its digits
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
        state.say(say("typed.keeps", why=why_no_number(error, literal(error.text)), cell=cell, value=still))


def scenario_now() -> Scenario | None:
    """Return the current scenario with what has just been typed; None while the sentence is blank."""
    scenario = this_session().scenario
    return None if scenario is None else with_typed(scenario)
