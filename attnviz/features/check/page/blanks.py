"""The blanks of an exercise: each table's rule, then its cells."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from attnviz.app.parts.predicting import lead_on, take_focus
from attnviz.app.session import url_texts
from attnviz.app.session.fields import stand_at_once
from attnviz.app.session.page_record import came_back
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import current, receive
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message, literal
from attnviz.core.stages import STAGES
from attnviz.features.check.exercises.exercise import DECIMALS, RESULTS, Exercise
from attnviz.features.check.exercises.mistakes import Mistake, choices, rule_of
from attnviz.features.check.marking import place_of
from attnviz.features.check.parameters import ANSWERS, MOST_CHARACTERS, MOST_OF_ANSWERS
from attnviz.features.tables.reading import read_cell
from attnviz.typed_numbers import NoNumberError, why_no_number
from attnviz.words import say

_OPENED = "check.exercise.opened"
_SKIPPED = ""
Cell = tuple[str, int, int]


@dataclass
class Progress:
    """A session's progress in its last exercise, without the answers themselves."""

    encoded: str = ""
    wrote: str | None = None  # the answers as this session last wrote them into the URL
    tries: int = 0  # how many times it was marked; the same answers count once
    marked: dict[str, str] = field(default_factory=dict)  # the answers that were marked last
    told: bool = False  # whether the student has asked for the right numbers
    hints: dict[Cell, int] = field(default_factory=dict)  # cell -> how many of its hints were shown
    rules: dict[str, str] = field(default_factory=dict)  # table -> the rule that the student chose for it


def progress_of(exercise: Exercise) -> Progress:
    """Return the progress kept for this exercise; another exercise's is dropped."""
    progress = this_session().part(Progress)
    if progress.encoded != exercise.encoded():
        progress = this_session().parts[Progress] = Progress(exercise.encoded())
    return progress


def _key(exercise: Exercise, name: str, row: int, column: int) -> str:
    return f"check.answer.{exercise.encoded()}.{name}.{row}.{column}"


def show_blanks(exercise: Exercise) -> tuple[dict[str, np.ndarray], dict[str, DeltaGenerator]]:
    """Draw boxes for blanks; return what's typed, and where marks go."""
    answers, below = {}, {}
    known = [name for name in exercise.blank if exercise.to_hand_in or _is_known(exercise, name)]
    asked = next((name for name in exercise.blank if name not in known), None)
    with st.container(horizontal=True, gap="medium", key="check_blanks"):
        for name in exercise.blank:
            with st.container(width="content", gap="xsmall", key=f"check_blank_{name}"):
                key, rule = "table" if name in known else "table_alone", rule_of(exercise.trace, name)
                st.markdown(say(f"exercises.{key}", title=STAGES[name].title, formula=rule))
                # Drawn even without a question: were it to vanish, the fields below would lose the focus.
                with st.container(gap="xsmall"):
                    if name == asked:
                        _ask(exercise, name, choices(exercise.trace, name, DECIMALS))
                answers[name] = _show_cells(exercise, name)
                below[name] = st.container()
    _keep(exercise)
    blanks = {_key(exercise, *cell): ".".join(map(str, cell)) for cell in cells_of(exercise)}
    stand_at_once(ANSWERS, blanks, most=MOST_OF_ANSWERS, held=typed_into(exercise))
    take_focus(asks=True)
    if not exercise.to_hand_in:
        st.button(say("exercises.mark"), on_click=_mark, args=(exercise,), type="primary")
    return answers, below


def _is_known(exercise: Exercise, name: str) -> bool:
    """Whether a table's rule was found or skipped, or isn't asked for."""
    chosen = progress_of(exercise).rules.get(name)
    if chosen in (_SKIPPED, rule_of(exercise.trace, name)):
        return True
    filled = any(this_session().get(_key(exercise, *cell)) for cell in cells_of(exercise) if cell[0] == name)
    return filled or not choices(exercise.trace, name, DECIMALS)


def _ask(exercise: Exercise, name: str, others: Sequence[Mistake]) -> None:
    """Ask which rule makes a table; show what a wrong choice gives."""
    right = rule_of(exercise.trace, name)
    rules = [each.symbols for each in others]
    rules.insert((exercise.seed + RESULTS.index(name)) % (len(rules) + 1), right)
    st.text(say("exercises.rule.ask"))
    with st.container(horizontal=True, gap="xsmall", key="check_rules"):
        for place, rule in enumerate(rules):
            st.button(rule, key=f"check.rule.{place}", on_click=_choose, args=(exercise, name, rule))
        st.button(
            say("exercises.rule.skip"), key="check.rule.skip", type="tertiary", on_click=_choose,
            args=(exercise, name, _SKIPPED),
        )  # fmt: skip
    chosen = progress_of(exercise).rules.get(name)
    for each in others:
        if each.symbols == chosen:
            st.text(each.gives(name, exercise.table(name), DECIMALS))


def _choose(exercise: Exercise, name: str, rule: str) -> None:
    progress_of(exercise).rules[name] = rule
    if rule in (_SKIPPED, rule_of(exercise.trace, name)):
        lead_on(f".st-key-check_blank_{name} input")


def cells_of(exercise: Exercise) -> Iterator[Cell]:
    """List the cells of the blank tables."""
    for name in exercise.blank:
        rows, columns = exercise.table(name).shape
        yield from ((name, row, column) for row in range(rows) for column in range(columns))


def fill(answers: Mapping[str, str]) -> None:
    """Take the answers of an opened link, to fill in later."""
    this_session().put(_OPENED, dict(answers))


def take_answers(exercise: Exercise) -> None:
    """Fill the blanks from a changed URL, before they are drawn."""
    answers, arrived = receive(ANSWERS)
    opened: Mapping[str, str] | None = this_session().pop(_OPENED)
    wrote = progress_of(exercise).wrote
    changed = arrived if wrote is None else current(ANSWERS) != wrote
    # A page that reconnects after its server was gone keeps what was typed into it.
    if opened or (changed and not came_back()):
        for name, row, column in cells_of(exercise):
            this_session().put(_key(exercise, name, row, column), (opened or answers).get(f"{name}.{row}.{column}", ""))


def typed_into(exercise: Exercise) -> dict[str, str]:
    """Return the text in each filled blank, by the blank's place."""
    return {
        f"{name}.{row}.{column}": text
        for name, row, column in cells_of(exercise)
        if (text := (this_session().get(_key(exercise, name, row, column)) or "").strip()[:MOST_CHARACTERS])
    }


def _keep(exercise: Exercise) -> None:
    """Write the answers into the URL: a link may end the run."""
    url_texts.put(ANSWERS, typed_into(exercise))
    progress_of(exercise).wrote = current(ANSWERS)


def _show_cells(exercise: Exercise, name: str) -> np.ndarray:
    rows, columns = exercise.table(name).shape
    stage, tokens = STAGES[name], exercise.tokens
    of_rows, of_columns = stage.labels("rows", tokens, rows), stage.labels("columns", tokens, columns)
    filled = np.full((rows, columns), np.nan)
    for row in range(rows):
        with st.container(horizontal=True, gap="xxsmall"):
            for column in range(columns):
                text = st.text_input(
                    place_in(exercise, name, row, column), placeholder=f"{of_rows[row]}, {of_columns[column]}",
                    key=_key(exercise, name, row, column), on_change=_keep, args=(exercise,),
                    label_visibility="collapsed", persist_state="session", width=72, max_chars=MOST_CHARACTERS,
                )  # fmt: skip
                filled[row, column] = _read(text)
    return filled


def place_in(exercise: Exercise, name: str, row: int, column: int) -> str:
    """Name a blank cell."""
    cell = place_of(STAGES[name], row, column, exercise.tokens)
    return say("exercises.cell", title=STAGES[name].title, cell=cell)


def _read(text: str | None) -> float:
    if not (text or "").strip():
        return np.nan
    try:
        return read_cell(str(text))
    except NoNumberError as error:
        st.caption(as_message(why_no_number(error, literal(str(text), most=20))), width="content")
        return np.nan


def _mark(exercise: Exercise) -> None:
    progress, typed = progress_of(exercise), typed_into(exercise)
    if not progress.tries or typed != progress.marked:
        progress.tries, progress.marked = progress.tries + 1, typed
