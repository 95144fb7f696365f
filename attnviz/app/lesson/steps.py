"""The lesson on a page: its steps, its board, its challenges."""

import streamlit as st

from attnviz.app.components.board import show_board_of_now
from attnviz.app.components.followed import marked_while_older
from attnviz.app.parts.picked_cell import pick
from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import take
from attnviz.app.session.navigation import go_to
from attnviz.board.data import fits_board
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import NUMBERS, QUESTION, STEP
from attnviz.teach.challenges import CHALLENGES, Challenge, undefined
from attnviz.teach.lesson import STEPS, about_the_numbers, shown_matrices
from attnviz.teach.questions import QUESTIONS
from attnviz.words import say

_PRESENTING = "lesson.presenting"
_PRESENTATION_CSS = """<style>
.stAppHeader, .st-key-top_bar, .st-key-setup { display: none; }
.st-key-lesson_questions { display: none; }
.stMainBlockContainer {
  /* As much as the screen is larger than the one on which a step fits: the arc tangent makes lengths a number. */
  zoom: max(1, min(tan(atan2(100vw, %spx)), tan(atan2(100vh, %spx))));
  padding: 0.5rem 1rem 0;
  --board-largest: 0.75rem;
  --board-about: none; /* the speaker says what a matrix is */
}
</style>"""
_FITS_ON, _FEW_FIT_ON, _FEW = (1097, 617), (936, 527), 3  # the smallest screens, in pixels; few matrices


def current_step() -> int:
    """Return the number of the step that the URL or the buttons lead to."""
    name = take(STEP)
    return 1 + [step.name for step in STEPS].index(name)


def show_step(number: int, scenario: Scenario, trace: AttentionTrace, query: int) -> None:
    """Draw the title, the way on and back, and the sentences of a step."""
    step = STEPS[number - 1]
    presenting = st.session_state.get(_PRESENTING, False)
    # The buttons come first, so that a title, long or short, does not move them from under the reader's mouse.
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_head"):
        st.button(
            say("lesson.back"), on_click=_go, args=(number - 1,), disabled=number == 1, shortcut="PageUp",
            key="lesson.back",
        )  # fmt: skip
        st.button(
            say("lesson.next"), on_click=_go, args=(number + 1,), disabled=number == len(STEPS), shortcut="PageDown",
            key="lesson.next",
        )  # fmt: skip
        st.markdown(f"#### {say('lesson.heading', number=number, title=step.title)}", width="content")
        st.caption(say("lesson.place", number=number, count=len(STEPS)), width="content")
        # A button and no switch: while a switch has the focus, PageDown would not lead on.
        st.button(
            say("lesson.end_presentation") if presenting else say("lesson.present"), key="lesson.presentation",
            on_click=_present, args=(not presenting,), help=say("lesson.present_help"),
        )  # fmt: skip
    if presenting:
        few = len(shown_matrices(step, trace)) <= _FEW and "context" not in step.shows
        st.html(_PRESENTATION_CSS % (_FEW_FIT_ON if few else _FITS_ON))
    with marked_while_older(scenario, "lesson"):
        for sentence in step.says(trace, query, state.digits()):
            st.text(sentence)
        if about := about_the_numbers(step, scenario):  # a number changed by hand makes this older too
            st.caption(about)
    if step.analogy:
        st.caption(step.analogy)


def _present(on: bool) -> None:
    st.session_state[_PRESENTING] = on


def _go(number: int) -> None:
    url_texts.put(STEP, STEPS[number - 1].name)
    pick(None)  # the step's own cell is lit


def show_lit_board(number: int, scenario: Scenario, trace: AttentionTrace, query: int) -> None:
    """Draw the matrices of a step as a board, with the step's cell lit."""
    step = STEPS[number - 1]
    names = shown_matrices(step, trace)
    if not names:
        return
    if not fits_board(scenario):
        st.text(say("lesson.too_large"))
        return
    lit = step.lit(trace, query) if step.lit else None
    only = lit if step.one_cell else None
    show_board_of_now(names=names, lit=lit, only=only, new=step.new, key="lesson.board")


def show_questions(number: int) -> None:
    """Draw what learners ask at this step, each leading to its answer."""
    asked = [(i, question) for i, question in enumerate(QUESTIONS, 1) if question.step == number]
    if not asked:
        return
    with st.container(key="lesson_questions", gap=None):
        st.caption(say("lesson.asked_here"))
        for i, question in asked:
            if st.button(
                question.title, key=f"lesson.question.{i}", type="tertiary", on_click=_ask, args=(question.slug,)
            ):
                go_to("pages/questions.py")


def _ask(question: str) -> None:
    url_texts.put(QUESTION, question)
    url_texts.send(NUMBERS, "")


def show_challenges(scenario: Scenario, trace: AttentionTrace) -> None:
    """Draw the challenges with how they stand, and all matrices to work on."""
    st.markdown(f"#### {say('challenges.heading')}")
    # Beside each other, so that on a laptop they stand above the board in one view.
    with marked_while_older(scenario, "challenges"):
        for i, (column, challenge) in enumerate(zip(st.columns(len(CHALLENGES)), CHALLENGES, strict=True)):
            with column:
                _show_challenge(i, challenge, trace)
    if fits_board(scenario):
        show_board_of_now(key="lesson.challenge_board")


def _show_challenge(i: int, challenge: Challenge, trace: AttentionTrace) -> None:
    with st.container(border=True, height="stretch"):
        done, says = (
            (False, say("challenges.undefined")) if undefined(trace) else challenge.check(trace, state.digits())
        )
        st.text(say("challenges.done", task=challenge.task) if done else challenge.task)
        st.caption(says)
        with st.container(horizontal=True):
            if challenge.text and tuple(challenge.text.split()) != trace.tokens:
                st.button(say("challenges.use_sentence"), key=f"lesson.use.{i}", on_click=_use, args=(challenge.text,))
            with st.popover(say("challenges.hint")):
                st.text(challenge.hint)


def _use(text: str) -> None:
    st.session_state["text"] = text
