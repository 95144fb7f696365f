"""Exercises on a page: the ladder, hints, marks, and the answer sheet."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from attnviz.app.parts.charts import download
from attnviz.app.parts.predicting import lead_on
from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.core.limits import MAX_SEED
from attnviz.core.stages import STAGES
from attnviz.features.check.exercises.answer_sheet import answer_sheet
from attnviz.features.check.exercises.exercise import (
    DECIMALS,
    MOST_D,
    MOST_HINTS,
    MOST_TOKENS,
    RESULTS,
    RUNGS,
    Exercise,
    left_out,
)
from attnviz.features.check.exercises.gradebook import keys_json, sheet_to_hand_in
from attnviz.features.check.marking import NOT_RIGHT, Mark, Marking
from attnviz.features.check.marking_page import in_pairs, marked_table
from attnviz.features.check.page.blanks import (
    Cell,
    cells_of,
    place_in,
    progress_of,
    show_blanks,
    take_answers,
    typed_into,
)
from attnviz.features.check.page.inks import STYLE, inked_table
from attnviz.features.check.page.verdict_panel import checked, show_first_try, show_verdict
from attnviz.features.check.parameters import ANSWERS, CHECK, EXERCISE, Checked
from attnviz.link.parameter_table import texts
from attnviz.words import say

_FIELDS = ("seed", "n_tokens", "d_in", "d_k", "integers", "scale", "blank")
_HAND_IN = "check.hand_in.made"  # key of (exercise, its sheet to hand in, the sheet's secret)
_FAIR_FROM = 2  # the smallest d_in and d_k (with decimals, of either one): smaller exercises are hardly ever fair
_TOLD_FROM = 2  # from this try on, marking also tells the right numbers, not only which are wrong
_FIRST = Exercise(blank=(), fair=True, distinct=True)  # the exercise that opens without a link


def _asked() -> Checked:
    """Return the exercise that the URL names; by default the first."""
    now = checked()
    return now if now.mode == EXERCISE else Checked(EXERCISE, exercise=_FIRST)


def show_exercise() -> None:
    """Draw the URL's exercise: given tables, blanks, hints and marks."""
    exercise, for_student = _asked().exercise, _asked().for_student
    st.html(STYLE)
    take_answers(exercise)
    if exercise.to_hand_in:
        _show_to_hand_in(exercise)
        return
    st.caption(say("exercises.practice"))
    _show_controls(exercise, for_student=for_student)
    st.text(say(f"exercises.task_{_task(exercise)}", decimals=DECIMALS))
    _show_given(exercise)
    says = st.container()
    if exercise.blank:
        answers, below = show_blanks(exercise)
        _show_hints(exercise)
        if progress_of(exercise).tries:
            _show_marks(exercise.mark(answers), exercise, says, below, for_student=for_student)
    elif not for_student:
        _show_next(exercise)
    if not for_student:
        _show_for_teacher(exercise)


def _show_to_hand_in(exercise: Exercise) -> None:
    """Draw a sheet to hand in, without hints, marks or answers."""
    st.text(say("exercises.hand_in.sheet", number=exercise.seed, word=exercise.check_word))
    st.text(say(f"exercises.task_{_task(exercise)}", decimals=DECIMALS))
    _show_given(exercise)
    show_blanks(exercise)
    typed, cells = typed_into(exercise), len(list(cells_of(exercise)))
    held = {CHECK: Checked(EXERCISE, exercise=exercise), ANSWERS: typed}
    link = _link_to({name: texts()[name].write(value) for name, value in held.items()})
    st.text(say("exercises.hand_in.how", filled=len(typed), cells=cells))
    st.code(link, language=None, wrap_lines=True)
    name = f"sheet-{exercise.seed}-{exercise.check_word}.txt"
    download(say("exercises.hand_in.keep"), link, name, "check.hand_in")


def _link_to(query: Mapping[str, str]) -> str:
    return f"{(st.context.url or '').partition('?')[0]}?{urlencode(query)}"


def _task(exercise: Exercise) -> str:
    if not {"scaled_scores", "attention_weights"} & set(exercise.blank):
        return "plain" if exercise.blank else "all"
    return "scaled" if exercise.scale else "unscaled"


def _show_given(exercise: Exercise) -> None:
    """Draw the given tables; those that no blank needs are collapsed."""
    stages = exercise.trace.stages
    needed = {source for name in exercise.blank for source in stages[name].sources}
    shown = [name for name in exercise.printed if name in needed or not exercise.blank]
    others = [name for name in exercise.printed if name not in shown]
    st.html(in_pairs([(inked_table(exercise, name), "") for name in shown]))
    if others:
        with st.expander(say("exercises.earlier")):
            st.html(in_pairs([(inked_table(exercise, name), "") for name in others]))


def _show_controls(exercise: Exercise, *, for_student: bool) -> None:
    for name in _FIELDS:
        value = getattr(exercise, name)
        this_session().put(f"check.ex.{name}", list(value) if name == "blank" else value)
    if not for_student:  # the filled tables would give students the answers
        held = this_session().held("check.ex.rung", exercise.rung, _take_rung)
        st.segmented_control(
            say("exercises.rung"), RUNGS, format_func=lambda rung: say(f"exercises.rungs.{rung}"), **held
        )
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_exercise"):
        st.number_input(
            say("exercises.number"), 0, MAX_SEED, step=1, key="check.ex.seed", on_change=_take_controls, width=140,
            help=say("exercises.number_help"),
        )  # fmt: skip
        st.button(
            say("exercises.another"),
            on_click=lambda: _open(
                replace(_asked().exercise, seed=secrets.randbelow(10_000), fair=True, distinct=True)
            ),
        )
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
            say("exercises.blank"), RESULTS, selection_mode="multi", format_func=lambda name: STAGES[name].title,
            key="check.ex.blank", on_change=_take_controls,
        )  # fmt: skip


def _open(exercise: Exercise) -> None:
    url_texts.put(CHECK, Checked(EXERCISE, exercise=exercise, for_student=_asked().for_student))


def _take_controls() -> None:
    values = {name: this_session().get(f"check.ex.{name}") for name in _FIELDS}
    values["blank"] = tuple(each for each in RESULTS if each in values["blank"])
    _open(replace(_asked().exercise, **values))


def _take_rung(rung: int | None) -> None:
    if rung is not None:
        _open(replace(_asked().exercise, blank=left_out(rung)))


def _show_next(exercise: Exercise) -> None:
    """Offer the next rung, if the exercise is on one."""
    rung = exercise.rung
    if exercise.blank and rung is not None:
        st.text(say("exercises.rungs.done", n=sum(progress_of(exercise).hints.values())))
    if rung is None or rung == RUNGS[-1]:
        return
    taken = say(f"exercises.rungs.take.{rung + 1}")
    st.button(
        say("exercises.rungs.next", rung=taken), type="primary", key="check.next", on_click=_climb,
        args=(replace(exercise, blank=left_out(rung + 1)),),
    )  # fmt: skip


def _climb(exercise: Exercise) -> None:
    _open(exercise)
    lead_on(".st-key-check_blanks button")


def _show_marks(
    marking: Marking, exercise: Exercise, says: DeltaGenerator, below: dict[str, DeltaGenerator], *, for_student: bool
) -> None:
    filled = sum(table.n_cells for table in marking.tables)
    blank = sum(table.count(Mark.BLANK) for table in marking.tables)
    with says:
        if not filled:
            st.info(say("exercises.nothing"), icon=":material/edit:")
            return
        wrong, progress = marking.count(*NOT_RIGHT, Mark.DOUBTFUL), progress_of(exercise)
        told = not wrong or progress.told or progress.tries >= _TOLD_FROM
        if told:
            show_verdict(marking, exercise.tokens)
        else:
            show_first_try(marking, exercise.tokens)
            st.button(say("exercises.tell"), key="check.tell", on_click=_tell, args=(exercise,))
        if blank:
            st.text(say("exercises.still_blank", n=blank))
        elif not wrong and not for_student:
            _show_next(exercise)
    for table in marking.tables:
        if table.n_cells:
            with below[table.stage.name]:
                st.html(marked_table(table, exercise.tokens, scrolls=False, told=told))


def _tell(exercise: Exercise) -> None:
    progress_of(exercise).told = True


# Hints and answers


def _show_hints(exercise: Exercise) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_hint"):
        cell = st.selectbox(
            say("exercises.hint_for"), list(cells_of(exercise)), format_func=lambda cell: place_in(exercise, *cell),
            key=f"check.hint.{exercise.encoded()}", width=360,
        )  # fmt: skip
        level = progress_of(exercise).hints.get(cell, 0)
        st.button(
            say("exercises.next_hint") if level else say("exercises.hint"), on_click=_hint,
            args=(exercise, cell), disabled=level >= MOST_HINTS, help=say("exercises.hint_help"),
        )  # fmt: skip
    if level:
        st.code("\n".join([place_in(exercise, *cell), *exercise.hints(*cell)[:level]]), language=None, wrap_lines=True)
    if shown := sum(progress_of(exercise).hints.values()):
        st.caption(say("exercises.hints", n=shown))


def _hint(exercise: Exercise, cell: Cell) -> None:
    hints = progress_of(exercise).hints
    hints[cell] = hints.get(cell, 0) + 1


def _show_for_teacher(exercise: Exercise) -> None:
    """Offer the answer sheet, and a link to a page without it."""
    text = texts()[CHECK].write(Checked(EXERCISE, exercise=exercise, for_student=True))
    link = _link_to({CHECK: text})
    with st.expander(say("exercises.for_teacher")), st.container(horizontal=True, key="check_teacher"):
        name = f"attention-exercise-{exercise.encoded()}.html"
        make = partial(answer_sheet, exercise, link)
        download(say("exercises.sheet"), make, name, "check.sheet", help=say("exercises.sheet_help"))
        st.link_button(say("exercises.student_link"), link, help=say("exercises.student_link_help"))
        _show_hand_in(exercise)
        st.text(say("exercises.hand_in.made"))


def _show_hand_in(exercise: Exercise) -> None:
    """Offer a sheet to hand in, and the key with its secret."""
    few = min if exercise.integers else max
    if not exercise.blank or few(exercise.d_in, exercise.d_k) < _FAIR_FROM:
        st.text(say("exercises.hand_in.none", n=_FAIR_FROM))
        return
    like, sheet, secret = this_session().get(_HAND_IN, (None, None, ""))
    if like != exercise:
        st.button(say("exercises.hand_in.make"), key="check.hand_in.make", on_click=_make_hand_in, args=(exercise,),
                  help=say("exercises.hand_in.make_help"))  # fmt: skip
        return
    text = texts()[CHECK].write(Checked(EXERCISE, exercise=sheet, for_student=True))
    st.link_button(say("exercises.hand_in.link"), _link_to({CHECK: text}), help=say("exercises.hand_in.link_help"))
    st.download_button(
        say("exercises.hand_in.key"), keys_json([sheet], secret), "keys.json", "application/json", on_click="ignore",
        key="check.hand_in.key", help=say("exercises.hand_in.key_help"),
    )  # fmt: skip


def _make_hand_in(exercise: Exercise) -> None:
    secret = secrets.token_urlsafe(16)
    this_session().put(_HAND_IN, (exercise, sheet_to_hand_in(exercise, secret.encode()), secret))
