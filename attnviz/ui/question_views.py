"""The questions on a page: the list, one question with its example, and what can be done to that.

The examples are the questions' own: nothing here touches the set-up of the playground. What has been made of the
example of the open question, and what is chosen there, is a text in the URL.
"""

from functools import partial

import streamlit as st

from attnviz.figures import heatmap_spec, points_spec, table_spec
from attnviz.lesson import STEPS
from attnviz.questions import QUESTIONS, Control, Exponent, Option, Question, Seen, question_number
from attnviz.questions.asking import Change
from attnviz.scenario import Scenario, traced
from attnviz.stages import STAGES
from attnviz.ui import bound, state
from attnviz.ui.board import fits_board, show_board
from attnviz.ui.charts import offer, show_offered
from attnviz.ui.dragged import show_scale_block, show_token_order
from attnviz.ui.exponent import show_exponent
from attnviz.ui.navigation import go_to
from attnviz.ui.text import literal
from attnviz.words import say

# The sentence and the set-up belong to the playground; here they would seem to be the example's.
_OWN_EXAMPLE_CSS = "<style>.st-key-sentence, [data-testid='stSidebarUserContent'] { display: none; }</style>"


def open_question() -> int | None:
    """Return the number of the question that the URL or the buttons lead to; None for the list."""
    raw, arrived = bound.receive(bound.QUESTION)
    number = question_number(raw, len(QUESTIONS))
    if arrived and raw and number is None:
        state.refuse(bound.QUESTION, raw, f"a whole number from 1 to {len(QUESTIONS)}", "the list of all")
    return number


def show_list() -> None:
    """Draw all questions, each leading to its answer."""
    st.html(_OWN_EXAMPLE_CSS)
    st.text(
        f"{len(QUESTIONS)} questions that learners really ask. Each opens with a short answer and a small example of "
        "its own, on which the answer can be seen."
    )
    for number, question in enumerate(QUESTIONS, 1):
        st.button(
            f"{number}. {question.title}", key=f"questions.open.{number}", type="tertiary", on_click=_open,
            args=(number,),
        )  # fmt: skip


def _open(number: int | None) -> None:
    bound.send(bound.QUESTION, "" if number is None else str(number))
    bound.send(bound.EXAMPLE, "")


def show_question(number: int) -> None:
    """Draw a question: its answer, its example, what can be done to that and what is then to be seen."""
    st.html(_OWN_EXAMPLE_CSS)
    question = QUESTIONS[number - 1]
    _show_head(number, question)
    scenario, options = example_of(question)
    left, right = st.columns([38, 62], gap="medium")
    with left:
        for sentence in question.answer:
            st.text(sentence)
        _show_try(number, question, scenario, options)
        seen = question.look(scenario, options, state.digits())
        _show_sentences(seen)
        _show_ways_on(question)
    with right:
        _show_pictures(seen, number)
        _show_board(question, number, scenario)


def _show_head(number: int, question: Question) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("All questions", on_click=_open, args=(None,), key="questions.all")
        st.button("Back", on_click=_open, args=(number - 1,), disabled=number == 1, shortcut="PageUp",
                  key="questions.back")  # fmt: skip
        st.button("Next", on_click=_open, args=(number + 1,), disabled=number == len(QUESTIONS), shortcut="PageDown",
                  key="questions.next")  # fmt: skip
        st.caption(f"question {number} of {len(QUESTIONS)}", width="content")
    st.markdown(f"#### {number}. {question.title}")


def example_of(question: Question) -> tuple[Scenario, dict[str, str]]:
    """Return the example and what is chosen now; as at the start, where the URL has none that can be shown."""
    text, arrived = bound.receive(bound.EXAMPLE)
    scenario, options, ignored = question.from_link(text)
    if not ignored and not fits_board(scenario):
        ignored = ["too large"]
    if not ignored and arrived and not _can_be_shown(question, scenario, options):
        ignored = ["this question cannot be seen on it"]
    if ignored:
        state.say_ignored(say("links.example", parts=literal(" ".join(ignored), 200)))
        bound.send(bound.EXAMPLE, "")
        return question.start, question.defaults
    return scenario, options


def _can_be_shown(question: Question, scenario: Scenario, options: dict[str, str]) -> bool:
    """Whether all of a question can be computed for an example that anybody may have written into a link."""
    try:
        for control in question.controls:
            control.read(scenario)
        question.look(scenario, options, state.digits())
    except (ValueError, RuntimeError, LookupError):
        return False
    return True


def _change(number: int, change: Change) -> None:
    """Change the example of a question; what cannot be done to it gets a message."""
    question = QUESTIONS[number - 1]
    scenario, options = example_of(question)
    try:
        changed = change(scenario)
    except ValueError as error:
        state.say(f"This cannot be done to the example: {literal(str(error), most=200)}.")
        return
    bound.send(bound.EXAMPLE, question.in_link(changed, options))


def _choose(number: int, name: str, chosen: str) -> None:
    question = QUESTIONS[number - 1]
    scenario, options = example_of(question)
    bound.send(bound.EXAMPLE, question.in_link(scenario, options | {name: chosen}))


def _show_try(number: int, question: Question, scenario: Scenario, options: dict[str, str]) -> None:
    st.markdown("**Try this**")
    st.text(question.try_this)
    if question.reorder:
        reorder = question.reorder
        show_token_order(scenario.tokens, f"questions.{number}.order",
                         lambda tokens: _change(number, lambda now: reorder(now, tokens)))  # fmt: skip
    if question.presets:
        with st.container(horizontal=True, gap="xsmall"):
            for preset in question.presets:
                st.button(preset.label, key=f"questions.{number}.{preset.label}", on_click=_change,
                          args=(number, preset.change))  # fmt: skip
            _show_start_again(number, question, scenario, options)
    for control in question.controls:
        _show_control(number, control, scenario)
    for option in question.options:
        _show_choice(number, option, options[option.name])
    if not question.presets:
        _show_start_again(number, question, scenario, options)


def _show_start_again(number: int, question: Question, scenario: Scenario, options: dict[str, str]) -> None:
    st.button("Start again", key=f"questions.{number}.again", type="tertiary", on_click=bound.send,
              args=(bound.EXAMPLE, ""), disabled=not question.in_link(scenario, options))  # fmt: skip


def _show_control(number: int, control: Control, scenario: Scenario) -> None:
    key = f"questions.{number}.{control.name}"
    whole = control.step == 1
    kind = int if whole else float
    at = min(max(control.read(scenario), control.low), control.high)
    st.session_state[key] = kind(at)
    st.slider(
        control.label, kind(control.low), kind(control.high), step=kind(control.step), key=key,
        on_change=lambda: _change(number, lambda now: control.change(now, st.session_state[key])),
    )  # fmt: skip


def _show_choice(number: int, option: Option | Exponent, chosen: str) -> None:
    key = f"questions.{number}.{option.name}"
    if isinstance(option, Exponent):
        st.session_state[key] = float(chosen)
        show_exponent(option.label, key, on_change=lambda: _choose(number, option.name, f"{st.session_state[key]:.4g}"))
    elif option.block:
        show_scale_block(option.label, option.choices, option.choices.index(chosen), key,
                         lambda to: _choose(number, option.name, option.choices[to]))  # fmt: skip
    else:
        st.session_state[key] = chosen
        st.segmented_control(
            option.label, option.choices, required=True, key=key,
            on_change=lambda: _choose(number, option.name, st.session_state[key]),
        )  # fmt: skip


def _show_sentences(seen: Seen) -> None:
    st.markdown("**What is to be seen now**")
    with st.container(border=True, gap="xsmall", key="questions_seen"):
        for sentence in seen.sentences:
            st.text(sentence)


def _show_ways_on(question: Question) -> None:
    with st.container(horizontal=True):
        step = STEPS[question.step - 1]
        if st.button(f"Lesson, step {question.step}: {step.title}", key="questions.lesson", type="tertiary",
                     on_click=bound.send, args=(bound.STEP, str(question.step))):  # fmt: skip
            go_to("pages/lesson.py")
        if question.sweep and st.button("Open the scaling page", key="questions.scaling",
                                        on_click=bound.send, args=(bound.SWEEP, question.sweep)):  # fmt: skip
            go_to("pages/scaling.py")


def _show_pictures(seen: Seen, number: int) -> None:
    if not seen.tables and seen.points is None:
        return
    with st.container(horizontal=True, gap="small", key="questions_pictures"):
        for i, table in enumerate(seen.tables):
            key, alt = f"questions.{number}.table.{i}", f"{table.title}, {len(table.matrix)} rows."
            show_offered(partial(table_spec, table, state.digits()), key, table.title, alt)
        if seen.points is not None:
            title = "Values and contexts as points"
            alt = f"{title}: contexts are mixes of the values."
            show_offered(partial(points_spec, seen.points), f"questions.{number}.points", title, alt)


def _show_board(question: Question, number: int, scenario: Scenario) -> None:
    if not question.shows:
        return
    trace = traced(scenario)
    for name in question.shows:
        title = f"{STAGES[name].title}, of the example"
        offer(f"questions.{number}.{name}", title, f"{title}: {STAGES[name].meaning}.",
              partial(heatmap_spec, trace, name, digits=state.digits()))  # fmt: skip
    show_board(
        scenario, trace, min(1, len(scenario.tokens) - 1), names=question.shows, lit=question.lit,
        framed=question.framed, notes=question.notes(trace),
        key=f"questions.board.{number}", make=lambda change: _change(number, change),
    )  # fmt: skip
