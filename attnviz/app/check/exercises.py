"""Exercises on a page: blanks to fill in, hints, marks, and the answer sheet for the teacher."""

import secrets
from collections.abc import Iterator, Mapping
from functools import partial
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from attnviz.app.check.showing import checked, show_verdict
from attnviz.app.session import url_texts
from attnviz.app.session.link_values import receive
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message, literal
from attnviz.core.limits import MAX_SEED
from attnviz.core.stages import STAGES
from attnviz.documents.marking_page import in_pairs, marked_table
from attnviz.exercises.answer_sheet import answer_sheet, table_of
from attnviz.exercises.exercise import (
    DECIMALS,
    MOST_D,
    MOST_HINTS,
    MOST_TOKENS,
    RESULTS,
    TITLES,
    Exercise,
    formula,
)
from attnviz.link.answers_text import MOST_CHARACTERS
from attnviz.link.page_texts import EXERCISE, Checked
from attnviz.link.parameter_table import ANSWERS, CHECK, texts
from attnviz.marking import Mark, Marking, place_of
from attnviz.tables.reading import read_cell
from attnviz.tables.typed_numbers import NoNumberError, why_no_number
from attnviz.words import say

_FIELDS = ("seed", "n_tokens", "d_in", "d_k", "integers", "scale", "blank")
_MARKED, _HINT, _OPENED = "check.exercise.marked", "check.exercise.hint", "check.exercise.opened"


def show_exercise() -> None:
    """Draw the exercise that the URL names: what is given, the blanks, the hints and the marks."""
    exercise, for_student = checked().exercise, checked().for_student
    _take_answers(exercise)
    _show_controls(exercise, for_student=for_student)
    st.text(say(f"exercises.task_{'scaled' if exercise.scale else 'unscaled'}", decimals=DECIMALS))
    st.html(in_pairs([(table_of(exercise, name), "") for name in exercise.given]))
    says = st.container()
    answers, below = _show_blanks(exercise)
    _show_hints(exercise)
    if this_session().get(_MARKED) == exercise.encoded():
        _show_marks(exercise.mark(answers), exercise, says, below)
    if not for_student:
        _show_for_teacher(exercise)


def _show_controls(exercise: Exercise, *, for_student: bool) -> None:
    for field in _FIELDS:
        value = getattr(exercise, field)
        this_session().put(f"check.ex.{field}", list(value) if field == "blank" else value)
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_exercise"):
        st.number_input(
            say("exercises.number"), 0, MAX_SEED, step=1, key="check.ex.seed", on_change=_take_controls, width=140,
            help=say("exercises.number_help"),
        )  # fmt: skip
        st.button(say("exercises.another"), on_click=_another)
        for field, low, high in (("n_tokens", 2, MOST_TOKENS), ("d_in", 1, MOST_D), ("d_k", 1, MOST_D)):
            label = say(f"exercises.{field}")
            st.number_input(label, low, high, step=1, key=f"check.ex.{field}", on_change=_take_controls, width=105)
        st.toggle(say("exercises.integers"), key="check.ex.integers", on_change=_take_controls)
        st.toggle(say("exercises.scale"), key="check.ex.scale", on_change=_take_controls)
    if for_student:
        return  # what isn't blank is an answer
    st.pills(
        say("exercises.blank"), RESULTS, selection_mode="multi", format_func=TITLES.__getitem__, key="check.ex.blank",
        on_change=_take_controls,
    )  # fmt: skip


def _take_controls() -> None:
    values = {field: this_session().get(f"check.ex.{field}") for field in _FIELDS}
    values["blank"] = tuple(each for each in RESULTS if each in values["blank"])
    url_texts.put(CHECK, Checked(EXERCISE, exercise=Exercise(**values), for_student=checked().for_student))


def _another() -> None:
    this_session().put("check.ex.seed", secrets.randbelow(10_000))
    _take_controls()


# Blanks


def _key(exercise: Exercise, name: str, row: int, column: int) -> str:
    return f"check.answer.{exercise.encoded()}.{name}.{row}.{column}"


def _show_blanks(
    exercise: Exercise,
) -> tuple[dict[str, np.ndarray], dict[str, DeltaGenerator]]:
    """Draw a box for each blank cell; return what is filled in, and where each table's marks go."""
    answers, below = {}, {}
    with st.container(horizontal=True, gap="medium", key="check_blanks"):
        for name in exercise.blank:
            with st.container(width="content", gap="xsmall", key=f"check_blank_{name}"):
                st.markdown(say("exercises.table", title=TITLES[name], formula=formula(exercise, name)))
                answers[name] = _show_cells(exercise, name)
                below[name] = st.container()
    _keep_answers(exercise)
    if exercise.blank:
        st.button(say("exercises.mark"), on_click=_mark, args=(exercise.encoded(),))
    return answers, below


def _cells(exercise: Exercise) -> Iterator[tuple[str, int, int]]:
    """List the cells of the blank tables."""
    for name in exercise.blank:
        rows, columns = exercise.table(name).shape
        yield from ((name, row, column) for row in range(rows) for column in range(columns))


def fill(answers: Mapping[str, str]) -> None:
    """Take the answers of a link that was just opened; they are filled in once their exercise is drawn."""
    this_session().put(_OPENED, dict(answers))


def _take_answers(exercise: Exercise) -> None:
    """Fill the blanks with what the URL holds, where it has just been opened or gone back to; before they are drawn."""
    answers, arrived = receive(ANSWERS)
    opened: Mapping[str, str] | None = this_session().pop(_OPENED)
    if arrived or opened:
        answers = opened or answers
        for name, row, column in _cells(exercise):
            if text := answers.get(f"{name}.{row}.{column}"):
                this_session().put(_key(exercise, name, row, column), text)


def _keep_answers(exercise: Exercise) -> None:
    """Write what is filled in into the URL, so that a reload and a link bring it back."""
    typed = {
        f"{name}.{row}.{column}": text
        for name, row, column in _cells(exercise)
        if (text := (this_session().get(_key(exercise, name, row, column)) or "").strip()[:MOST_CHARACTERS])
    }
    url_texts.put(ANSWERS, typed)


def _show_cells(exercise: Exercise, name: str) -> np.ndarray:
    rows, columns = exercise.table(name).shape
    filled = np.full((rows, columns), np.nan)
    for row in range(rows):
        with st.container(horizontal=True, gap="xxsmall"):
            for column in range(columns):
                text = st.text_input(
                    _place(exercise, name, row, column), key=_key(exercise, name, row, column),
                    label_visibility="collapsed", persist_state="session", width=72, max_chars=MOST_CHARACTERS,
                )  # fmt: skip
                filled[row, column] = _read(text)
    return filled


def _place(exercise: Exercise, name: str, row: int, column: int) -> str:
    cell = place_of(STAGES[name], row, column, exercise.tokens)
    return say("exercises.cell", title=TITLES[name], cell=cell)


def _read(text: str | None) -> float:
    if not (text or "").strip():
        return np.nan
    try:
        return read_cell(str(text))
    except NoNumberError as error:
        st.caption(as_message(why_no_number(error, literal(str(text), most=20))), width="content")
        return np.nan


def _mark(encoded: str) -> None:
    this_session().put(_MARKED, encoded)


def _show_marks(
    marking: Marking,
    exercise: Exercise,
    says: DeltaGenerator,
    below: dict[str, DeltaGenerator],
) -> None:
    filled = sum(table.n_cells for table in marking.tables)
    blank = sum(table.count(Mark.BLANK) for table in marking.tables)
    with says:
        if not filled:
            st.info(say("exercises.nothing"), icon=":material/edit:")
            return
        show_verdict(marking, exercise.tokens)
        if blank:
            st.text(say("exercises.still_blank", n=blank))
    for table in marking.tables:
        if table.n_cells:
            with below[table.stage.name]:
                st.html(marked_table(table, exercise.tokens))


# Hints and answers


def _show_hints(exercise: Exercise) -> None:
    if not exercise.blank:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_hint"):
        cell = st.selectbox(
            say("exercises.hint_for"), list(_cells(exercise)), format_func=lambda cell: _place(exercise, *cell),
            key=f"check.hint.{exercise.encoded()}", width=360,
        )  # fmt: skip
        before = this_session().get(_HINT, {})
        level = before["level"] if before.get("cell") == (exercise, cell) else 0
        st.button(
            say("exercises.next_hint") if level else say("exercises.hint"), on_click=_hint,
            args=((exercise, cell), level + 1), disabled=level >= MOST_HINTS, help=say("exercises.hint_help"),
        )  # fmt: skip
    if level:
        st.code("\n".join([_place(exercise, *cell), *exercise.hints(*cell)[:level]]), language=None, wrap_lines=True)


def _hint(cell: tuple[object, object], level: int) -> None:
    this_session().put(_HINT, {"cell": cell, "level": level})


def _show_for_teacher(exercise: Exercise) -> None:
    """Offer the answer sheet, and a link whose page doesn't."""
    text = texts()[CHECK].write(Checked(EXERCISE, exercise=exercise, for_student=True))
    link = f"{(st.context.url or '').partition('?')[0]}?{urlencode({CHECK: text})}"
    with st.container(horizontal=True, key="check_teacher"):
        st.download_button(
            say("exercises.sheet"), partial(answer_sheet, exercise, link),
            f"attention-exercise-{exercise.encoded()}.html", "text/html", on_click="ignore", key="check.sheet",
            help=say("exercises.sheet_help"),
        )  # fmt: skip
        st.link_button(say("exercises.student_link"), link, help=say("exercises.student_link_help"))
