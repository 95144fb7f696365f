"""The lesson's page: its steps, its board and its challenges."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.components.board import marked_while_older, show_board
from attnviz.app.parts.picked_cell import pick
from attnviz.app.parts.predicting import ask, asked_style, lead_on, prediction, press, take_focus
from attnviz.app.parts.ways import follow
from attnviz.app.session import state, url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import is_presenting, take
from attnviz.board.data import fits_board
from attnviz.board.drawn import BoardOptions
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import in_view
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.features.lesson.asking import ASKING, nothing_to_predict, prediction_of
from attnviz.features.lesson.challenges import CHALLENGES, Challenge, undefined
from attnviz.features.lesson.parameters import STEP
from attnviz.features.lesson.steps import STEPS, Step, about_the_numbers, reached_matrices, shown_matrices
from attnviz.link.page_texts import SKIPPED, TRIED
from attnviz.link.parameter_table import OFF, PREDICTED, PREDICTIONS, PRESENT, PRESENTED
from attnviz.link.ways import Way, way_to, ways_beside
from attnviz.predicting.choice_question import ChoiceQuestion, fails_at
from attnviz.words import say

_VECTORS = next(step for step in STEPS if step.name == "embeddings")
_STEPPED = "lesson.stepped"  # session key: the step that Next led to last, and how often it did
_STYLE = (Path(__file__).parent / "lesson.css").read_text()


def current_step() -> int:
    """Return the number of the step from the URL or the buttons."""
    name = take(STEP)
    return 1 + [step.name for step in STEPS].index(name)


def to_predict(number: int, scenario: Scenario, trace: AttentionTrace, query: int) -> ChoiceQuestion | None:
    """Return a step's question, until it's answered; else None."""
    step = STEPS[number - 1]
    if prediction(_about(step)) or not fits_board(scenario):
        return None
    return prediction_of(step.name, trace, query, state.digits())


def show_head(number: int, question: ChoiceQuestion | None) -> None:
    """Draw a step's title, and the buttons Back and Next.

    While a step asks something, Next shows its answer first, so that somebody who only presses that key sees all steps.
    """
    step = STEPS[number - 1]
    st.html(f"<style>{asked_style('lesson_asked')}{_STYLE}</style>")
    on = partial(press, SKIPPED, question) if question else partial(_go, number + 1, True)
    # The buttons come first, so that titles of any length don't move them from under the reader's mouse.
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_head"):
        st.button(
            say("lesson.back"), on_click=_go, args=(number - 1, False), disabled=number == 1, shortcut="PageUp",
            key="lesson.back",
        )  # fmt: skip
        st.button(
            say("lesson.next"), on_click=on, disabled=number == len(STEPS) and not question, shortcut="PageDown",
            key="lesson.next",
        )  # fmt: skip
        st.html(_dots(number), width="content")
        st.markdown(f"## {say('lesson.heading', number=number, title=step.title)}", width="content")
        # A button, not a switch: while a switch has the focus, PageDown doesn't lead to the next step.
        st.button(
            say("lesson.present"), key="lesson.presentation", on_click=url_texts.put, args=(PRESENT, PRESENTED),
            help=say("lesson.present_help"),
        )  # fmt: skip


def _dots(number: int) -> str:
    """Return a dot for each step, with a label for screen readers."""
    place = say("lesson.place", number=number, count=len(STEPS))
    dots = "".join("<i class='now'></i>" if n == number else "<i></i>" for n in range(1, len(STEPS) + 1))
    return f"<span class='lesson-dots' role='img' aria-label='{place}' title='{place}'>{dots}</span>"


def _go(number: int, on: bool) -> None:
    url_texts.put(STEP, STEPS[number - 1].name)
    pick(None)  # unpinned, so that the step's own cell is lit
    lead_on()
    if on:
        this_session().put(_STEPPED, (number, 1 + this_session().get(_STEPPED, (0, 0))[1]))


def _part_to_play(number: int) -> dict[str, Any] | None:
    """Return the part of Play this row that Next starts, if any."""
    stepped_to, times = this_session().get(_STEPPED, (0, 0))
    part = STEPS[number - 1].plays
    return {"part": part, "number": times} if part and stepped_to == number else None


def show_lit_board(
    number: int, scenario: Scenario, trace: AttentionTrace, query: int, question: ChoiceQuestion | None
) -> None:
    """Draw the matrices reached so far on a board, with the sentences.

    While presenting, only the step's own matrices are shown, as large as the screen allows.
    """
    step = STEPS[number - 1]
    if not fits_board(scenario):
        sentences = (about_the_numbers(step, scenario), *step.says(trace, query, state.digits()), step.analogy,
                say("lesson.too_large"))  # fmt: skip
        for sentence in filter(None, sentences):
            st.text(sentence)
        return
    presenting = is_presenting()
    predicted = prediction(_about(step))
    looks = looks_of_step(step, scenario, trace, query, state.digits(), predicted, presenting=presenting)
    with st.container(key="lesson_body"):
        if question:
            with st.container(key="lesson_asked", gap="xsmall"):
                ask(question)
        else:
            looks = replace(looks, play=_part_to_play(number))
            take_focus()
        show_board(scenario, looks, "lesson")


def _about(step: Step) -> str:
    """Return the name of a step's prediction in links."""
    return f"step-{step.name}"


def predicted_of(step: Step, state_of_link: Mapping[str, Any]) -> str:
    """Return the prediction for a step that a link holds."""
    return TRIED if state_of_link[PREDICTIONS] == OFF else state_of_link[PREDICTED].get(_about(step), "")


def looks_of_step(
    step: Step, scenario: Scenario, trace: AttentionTrace, query: int, digits: int, predicted: str, *, presenting: bool
) -> BoardOptions:
    """Return a step's board; before its prediction, the previous step's."""
    asked = prediction_of(step.name, trace, query, digits)
    if asked is None or predicted:
        outcome = [] if predicted == TRIED else asked.outcome(predicted) if asked else _why_nothing(step, trace, query)
        see = _where_it_fails(step, trace, query, digits, predicted) if asked else None
        return _looks_after(step, scenario, trace, query, digits, outcome, see, presenting=presenting)
    before = STEPS[STEPS.index(step) - 1]
    looks = _looks_after(before, scenario, trace, query, digits, [], None, presenting=presenting)
    looks = replace(looks, lit=None, new=(), tells={**(looks.tells or {}), "sentences": [], "analogy": "", "about": ""})
    if presenting and not looks.names:  # text alone would leave most of the screen empty
        return replace(looks, ghosts=shown_matrices(step, trace), ribbons=None)
    return looks


def _why_nothing(step: Step, trace: AttentionTrace, query: int) -> list[str]:
    if step.name not in ASKING:
        return []
    return [say(f"predicting.nothing.{nothing_to_predict(step.name, trace, query) or 'even'}")]


def _where_it_fails(step: Step, trace: AttentionTrace, query: int, digits: int, choice: str) -> dict[str, Any] | None:
    """Return another place where a wrong choice fails, with a button's title."""
    asks = partial(prediction_of, step.name, trace, digits=digits)
    question = asks(query)
    if question is None or choice not in question.wrong or step.lit is None:
        return None
    token = fails_at(asks, choice, query, len(trace.tokens))
    if token is None:
        matrix, row, column = step.lit(trace, query)
        return {"place": {"matrix": matrix, "row": row, "column": column}, "title": say("predicting.made")}
    return {"token": token, "title": say("predicting.see", token=token_labels(trace.tokens, 40)[token])}


def _looks_after(
    step: Step, scenario: Scenario, trace: AttentionTrace, query: int, digits: int, outcome: list[str],
    see: dict[str, Any] | None, *, presenting: bool,
) -> BoardOptions:  # fmt: skip
    """Return a step's board, with a prediction's outcome and button (`see`)."""
    number = 1 + STEPS.index(step)
    names = shown_matrices(step, trace) if presenting else reached_matrices(number, trace)
    lit = step.lit(trace, query) if step.lit else None
    told, analogy = step.tells(trace, query, digits), step.analogy
    if presenting and outcome:  # the speaker says the rest, which leaves the board more room
        outcome, told, analogy = [outcome[0], *filter(None, [" ".join(outcome[1:-1])])], told[:1], ""
    about = about_the_numbers(step, scenario)
    caution = about if step.finding and trace.chance else ""  # readers learn that numbers are random before any finding
    cautions = [{"sentence": "{said}", "places": {"said": caution}}] if caution else []
    return BoardOptions(
        names=names, lit=lit, only=lit if step.one_cell else None, new=step.new,
        ghosts=() if presenting else _kept_places(number, trace, names),
        holds=number < len(STEPS), sentence=True, says=False, ribbons=_ribbons(names, presenting),
        scaled="scaled_scores" in names,
        tells={"outcome": outcome, "see": see, "sentences": [*cautions, *(each.sent() for each in told)],
               "analogy": analogy, "about": "" if presenting or caution else about,
               "presents": presenting, "part": () if presenting else shown_matrices(step, trace)},
    )  # fmt: skip


def _kept_places(number: int, trace: AttentionTrace, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return later steps' matrices for which the board keeps room.

    Until words have become vectors, these vectors have the whole screen; after that, no matrix moves between steps.
    """
    later = shown_matrices(_VECTORS, trace) if number <= STEPS.index(_VECTORS) + 1 else in_view(trace.stages)
    return tuple(name for name in later if name not in names)


def _ribbons(names: tuple[str, ...], presenting: bool) -> bool | None:
    """Whether words have ribbons; None when presenting matrices, for space."""
    if presenting and names:
        return None
    return "attention_weights" in names


def show_questions(number: int) -> None:
    """Draw links to the questions that learners ask at this step."""
    asked = list(ways_beside("lesson", step=number))
    what_if = way_to("explore", place="what_if") if STEPS[number - 1].what_if else None
    if not asked and what_if is None:
        return
    with st.container(key="lesson_questions", gap=None):
        if asked:
            st.caption(say("lesson.asked_here"))
        for i, way in enumerate(asked, 1):
            st.button(way.title, key=f"lesson.question.{i}", type="tertiary", on_click=_open, args=(way,))
        if what_if:
            st.button(what_if.title, key="lesson.what_if", type="tertiary", on_click=follow, args=(what_if,))


def _open(way: Way) -> None:
    lead_on()
    follow(way)


def show_challenges(scenario: Scenario, trace: AttentionTrace) -> None:
    """Draw the challenges, whether each is solved, and all matrices."""
    st.markdown(f"## {say('challenges.heading')}")
    # In three columns, they leave room for the board below on a laptop's screen.
    with marked_while_older(scenario, "challenges"):
        for column, challenge in zip(st.columns(len(CHALLENGES)), CHALLENGES, strict=True):
            with column:
                _show_challenge(challenge, trace)


def _show_challenge(challenge: Challenge, trace: AttentionTrace) -> None:
    with st.container(border=True, height="stretch"):
        done, says = (
            (False, say("challenges.undefined")) if undefined(trace) else challenge.check(trace, state.digits())
        )
        task = challenge.task(trace)
        st.text(say("challenges.done", task=task) if done else task)
        st.caption(says)
        with st.popover(say("challenges.hint")):
            st.text(challenge.hint(trace))
