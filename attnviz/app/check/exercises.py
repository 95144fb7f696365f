"""Exercises on a page: blanks to fill in, hints, marks, and the answer sheet for the teacher."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    RUNGS,
    TITLES,
    Exercise,
    left_out,
)
from attnviz.exercises.mistakes import Mistake, choices, rule_of
from attnviz.link.answers_text import MOST_CHARACTERS
from attnviz.link.page_texts import EXERCISE, Checked
from attnviz.link.parameter_table import ANSWERS, CHECK, texts
from attnviz.marking import NOT_RIGHT, Mark, Marking, place_of
from attnviz.tables.reading import read_cell
from attnviz.tables.typed_numbers import NoNumberError, why_no_number
from attnviz.words import say

_FIELDS = ("seed", "n_tokens", "d_in", "d_k", "integers", "scale", "blank")
_OPENED, _RUNG = "check.exercise.opened", "check.ex.rung"
_FIRST = Exercise(blank=(), fair=True)  # where no link names one
_SKIPPED = ""
Cell = tuple[str, int, int]


@dataclass
class Progress:
    """What a session keeps of its last exercise beside the answers."""

    encoded: str = ""
    marked: bool = False
    hints: dict[Cell, int] = field(default_factory=dict)  # how many were shown of a cell
    rules: dict[str, str] = field(default_factory=dict)  # which was chosen of a table


def _progress(exercise: Exercise) -> Progress:
    progress = this_session().part(Progress)
    if progress.encoded != exercise.encoded():
        progress = this_session().parts[Progress] = Progress(exercise.encoded())
    return progress


def _asked() -> Checked:
    """Return which exercise the URL names, the first rung of the first where it names none, and for whom it is."""
    now = checked()
    return now if now.mode == EXERCISE else Checked(EXERCISE, exercise=_FIRST)


def show_exercise() -> None:
    """Draw the exercise that the URL names: what is given, the blanks, the hints and the marks."""
    exercise, for_student = _asked().exercise, _asked().for_student
    _take_answers(exercise)
    _show_controls(exercise, for_student=for_student)
    st.text(say(f"exercises.task_{_task(exercise)}", decimals=DECIMALS))
    _show_given(exercise)
    says = st.container()
    if exercise.blank:
        answers, below = _show_blanks(exercise)
        _show_hints(exercise)
        if _progress(exercise).marked:
            _show_marks(exercise.mark(answers), exercise, says, below, for_student=for_student)
    elif not for_student:
        _show_next(exercise)
    if not for_student:
        _show_for_teacher(exercise)


def _task(exercise: Exercise) -> str:
    if not {"scaled_scores", "attention_weights"} & set(exercise.blank):
        return "plain" if exercise.blank else "all"
    return "scaled" if exercise.scale else "unscaled"


def _show_given(exercise: Exercise) -> None:
    """Draw what is given: in sight what the blanks are made from, or everything where nothing is blank."""
    stages = exercise.trace.stages
    needed = {source for name in exercise.blank for source in stages[name].sources}
    shown = [name for name in exercise.given if name in needed or not exercise.blank]
    others = [name for name in exercise.given if name not in shown]
    st.html(in_pairs([(table_of(exercise, name, ruled=True), "") for name in shown]))
    if others:
        with st.expander(say("exercises.earlier")):
            st.html(in_pairs([(table_of(exercise, name, ruled=True), "") for name in others]))


def _show_controls(exercise: Exercise, *, for_student: bool) -> None:
    for name in _FIELDS:
        value = getattr(exercise, name)
        this_session().put(f"check.ex.{name}", list(value) if name == "blank" else value)
    if not for_student:  # what isn't blank is an answer
        this_session().put(_RUNG, exercise.rung)
        st.segmented_control(
            say("exercises.rung"), RUNGS, format_func=lambda rung: say(f"exercises.rungs.{rung}"), key=_RUNG,
            on_change=_take_rung,
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_exercise"):
        st.number_input(
            say("exercises.number"), 0, MAX_SEED, step=1, key="check.ex.seed", on_change=_take_controls, width=140,
            help=say("exercises.number_help"),
        )  # fmt: skip
        st.button(say("exercises.another"), on_click=_another)
        with st.popover(say("exercises.more")):
            _show_sizes(for_student=for_student)


def _show_sizes(*, for_student: bool) -> None:
    with st.container(horizontal=True):
        for name, low, high in (("n_tokens", 2, MOST_TOKENS), ("d_in", 1, MOST_D), ("d_k", 1, MOST_D)):
            label = say(f"exercises.{name}")
            st.number_input(label, low, high, step=1, key=f"check.ex.{name}", on_change=_take_controls, width=105)
    st.toggle(say("exercises.integers"), key="check.ex.integers", on_change=_take_controls)
    st.toggle(say("exercises.scale"), key="check.ex.scale", on_change=_take_controls)
    if not for_student:
        st.pills(
            say("exercises.blank"), RESULTS, selection_mode="multi", format_func=TITLES.__getitem__,
            key="check.ex.blank", on_change=_take_controls,
        )  # fmt: skip


def _open(exercise: Exercise) -> None:
    url_texts.put(CHECK, Checked(EXERCISE, exercise=exercise, for_student=_asked().for_student))


def _take_controls() -> None:
    values = {name: this_session().get(f"check.ex.{name}") for name in _FIELDS}
    values["blank"] = tuple(each for each in RESULTS if each in values["blank"])
    _open(replace(_asked().exercise, **values))


def _take_rung() -> None:
    rung = this_session().get(_RUNG)
    if rung is not None:
        _open(replace(_asked().exercise, blank=left_out(rung)))


def _another() -> None:
    _open(replace(_asked().exercise, seed=secrets.randbelow(10_000), fair=True))


def _show_next(exercise: Exercise) -> None:
    """Offer the next rung, to whoever is on one."""
    rung = exercise.rung
    if exercise.blank and rung is not None:
        st.text(say("exercises.rungs.done", n=sum(_progress(exercise).hints.values())))
    if rung is None or rung == RUNGS[-1]:
        return
    taken = say(f"exercises.rungs.take.{rung + 1}")
    st.button(
        say("exercises.rungs.next", rung=taken), type="primary", key="check.next", on_click=_open,
        args=(replace(exercise, blank=left_out(rung + 1)),),
    )  # fmt: skip


# Blanks


def _key(exercise: Exercise, name: str, row: int, column: int) -> str:
    return f"check.answer.{exercise.encoded()}.{name}.{row}.{column}"


def _show_blanks(
    exercise: Exercise,
) -> tuple[dict[str, np.ndarray], dict[str, DeltaGenerator]]:
    """Draw a box for each blank cell; return what is filled in, and where each table's marks go."""
    answers, below = {}, {}
    known = [name for name in exercise.blank if _is_known(exercise, name)]
    asked = next((name for name in exercise.blank if name not in known), None)
    with st.container(horizontal=True, gap="medium", key="check_blanks"):
        for name in exercise.blank:
            with st.container(width="content", gap="xsmall", key=f"check_blank_{name}"):
                key, rule = "table" if name in known else "table_alone", rule_of(exercise.trace, name)
                st.markdown(say(f"exercises.{key}", title=TITLES[name], formula=rule))
                if name == asked:
                    _ask(exercise, name, choices(exercise.trace, name, DECIMALS))
                answers[name] = _show_cells(exercise, name)
                below[name] = st.container()
    _keep_answers(exercise)
    st.button(say("exercises.mark"), on_click=_mark, args=(exercise,))
    return answers, below


def _is_known(exercise: Exercise, name: str) -> bool:
    """Whether the rule of a table was found or shown, or isn't asked for any more: the reader is filling it in."""
    chosen = _progress(exercise).rules.get(name)
    if chosen in (_SKIPPED, rule_of(exercise.trace, name)):
        return True
    filled = any(this_session().get(_key(exercise, *cell)) for cell in _cells(exercise) if cell[0] == name)
    return filled or not choices(exercise.trace, name, DECIMALS)


def _ask(exercise: Exercise, name: str, others: Sequence[Mistake]) -> None:
    """Ask which rule makes a table, and say of a mistaken one what it would give."""
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
    chosen = _progress(exercise).rules.get(name)
    for each in others:
        if each.symbols == chosen:
            st.text(each.gives(name, exercise.table(name), DECIMALS))


def _choose(exercise: Exercise, name: str, rule: str) -> None:
    _progress(exercise).rules[name] = rule


def _cells(exercise: Exercise) -> Iterator[Cell]:
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


def _mark(exercise: Exercise) -> None:
    _progress(exercise).marked = True


def _show_marks(
    marking: Marking,
    exercise: Exercise,
    says: DeltaGenerator,
    below: dict[str, DeltaGenerator],
    *,
    for_student: bool,
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
        elif not marking.count(*NOT_RIGHT, Mark.DOUBTFUL) and not for_student:
            _show_next(exercise)
    for table in marking.tables:
        if table.n_cells:
            with below[table.stage.name]:
                st.html(marked_table(table, exercise.tokens))


# Hints and answers


def _show_hints(exercise: Exercise) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_hint"):
        cell = st.selectbox(
            say("exercises.hint_for"), list(_cells(exercise)), format_func=lambda cell: _place(exercise, *cell),
            key=f"check.hint.{exercise.encoded()}", width=360,
        )  # fmt: skip
        level = _progress(exercise).hints.get(cell, 0)
        st.button(
            say("exercises.next_hint") if level else say("exercises.hint"), on_click=_hint,
            args=(exercise, cell), disabled=level >= MOST_HINTS, help=say("exercises.hint_help"),
        )  # fmt: skip
    if level:
        st.code("\n".join([_place(exercise, *cell), *exercise.hints(*cell)[:level]]), language=None, wrap_lines=True)
    if shown := sum(_progress(exercise).hints.values()):
        st.caption(say("exercises.hints", n=shown))


def _hint(exercise: Exercise, cell: Cell) -> None:
    hints = _progress(exercise).hints
    hints[cell] = hints.get(cell, 0) + 1


def _show_for_teacher(exercise: Exercise) -> None:
    """Offer the answer sheet, and a link whose page doesn't."""
    text = texts()[CHECK].write(Checked(EXERCISE, exercise=exercise, for_student=True))
    link = f"{(st.context.url or '').partition('?')[0]}?{urlencode({CHECK: text})}"
    with st.expander(say("exercises.for_teacher")), st.container(horizontal=True, key="check_teacher"):
        st.download_button(
            say("exercises.sheet"), partial(answer_sheet, exercise, link),
            f"attention-exercise-{exercise.encoded()}.html", "text/html", on_click="ignore", key="check.sheet",
            help=say("exercises.sheet_help"),
        )  # fmt: skip
        st.link_button(say("exercises.student_link"), link, help=say("exercises.student_link_help"))
