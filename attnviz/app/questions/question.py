"""A question on its page: its example, what can be done to that, and its answer.

The examples are the questions' own: nothing here touches the set-up of the playground. What has been made of the
example of the open question, what is chosen there and the token that is followed are a text in the URL.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from attnviz.app.components.board import show_stored_board
from attnviz.app.components.draggable import show_scale_block, show_token_order
from attnviz.app.components.drawing import Looks
from attnviz.app.components.followed import marked_while_older
from attnviz.app.parts.charts import offer, show_offered
from attnviz.app.parts.exponent import show_exponent
from attnviz.app.parts.what_if_panel import show_way_to_panel
from attnviz.app.questions.listing import listed
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to
from attnviz.app.session.link_values import take
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.figures import heatmap_spec, points_spec, table_spec
from attnviz.link.parameter_table import NUMBERS, QUESTION, STEP, SWEEP
from attnviz.link.question_text import Example, example_from_text, example_text, whole_text
from attnviz.teach.lesson import STEPS
from attnviz.teach.questions import QUESTIONS, Control, Exponent, Option, Preset, Question, Seen, Table
from attnviz.teach.questions.asking import Change
from attnviz.words import plural, say
from attnviz.words.numbers import written


def open_question() -> int | None:
    """Return the number of the question that the URL or the buttons lead to; None for the list."""
    slug = take(QUESTION)
    return 1 + [question.slug for question in QUESTIONS].index(slug) if slug else None


def open_it(number: int | None) -> None:
    """Go to a question, by its number from 1, or with None to the list."""
    url_texts.put(QUESTION, "" if number is None else QUESTIONS[number - 1].slug)
    url_texts.send(NUMBERS, "")


def show_question(number: int) -> None:
    """Draw a question: its answer, its example, what can be done to that and what one sees then."""
    question = QUESTIONS[number - 1]
    _show_head(number, question)
    example = example_of(question)
    scenario, options, query = example.scenario, example.options, example.query
    seen = question.look(scenario, options, state.digits(), query)
    has_board = bool(shown_of(question, traced(scenario), options))
    left, right = st.columns([65, 35], gap="medium")
    with left:  # what answers it is seen first, on a telephone too: its own picture, or the board
        if seen.points is not None:
            _show_pictures(seen, number, scenario, has_board)
        if has_board:
            _show_board(question, number, scenario, options, query)
        if seen.points is None:
            _show_pictures(seen, number, scenario, has_board)
    with right, st.container(gap="xsmall"):
        answer, *more = question.answer
        st.text(answer)
        _show_sentences(seen, scenario, has_board)
        _show_try(number, question, example)
        for paragraph in more:
            st.text(paragraph)
        _show_ways_on(question, example)


def _show_head(number: int, question: Question) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(say("question_page.all"), on_click=open_it, args=(None,), key="questions.all")
        st.button(say("question_page.back"), on_click=open_it, args=(number - 1,), disabled=number == 1,
                  shortcut="PageUp", key="questions.back")  # fmt: skip
        st.button(say("question_page.next"), on_click=open_it, args=(number + 1,), disabled=number == len(QUESTIONS),
                  shortcut="PageDown", key="questions.next")  # fmt: skip
        st.caption(say("question_page.place", number=number, n=len(QUESTIONS)), width="content")
    st.markdown(f"#### {listed(number, question)}")


def example_of(question: Question) -> Example:
    """Return the example and what is chosen now; as at the start, where the URL has none that can be shown."""
    text = take(NUMBERS, question=question.slug)
    return example_from_text(question, text)[0]


def _change(number: int, change: Change) -> None:
    """Change the example of a question; what cannot be done to it gets a message."""
    question = QUESTIONS[number - 1]
    example = example_of(question)
    try:
        changed = change(example.scenario)
    except ValueError:  # a step of training that leads beyond what float32 holds, or more edits than there may be
        state.say(say("question_page.refused"))
        return
    _send(question, replace(example, scenario=changed))


def _press(number: int, preset: Preset) -> None:
    _change(number, lambda scenario: QUESTIONS[number - 1].pressed(preset, scenario))


def _choose(number: int, name: str, chosen: str) -> None:
    question = QUESTIONS[number - 1]
    example = example_of(question)
    _send(question, replace(example, options=example.options | {name: chosen}))


def _send(question: Question, example: Example) -> None:
    last = len(example.scenario.tokens) - 1
    url_texts.send(NUMBERS, example_text(question, replace(example, query=min(example.query, last))))


def _show_try(number: int, question: Question, example: Example) -> None:
    st.markdown(f"**{say('question_page.try')}**")
    st.text(question.try_this)
    if question.reorder:
        reorder = question.reorder
        show_token_order(example.scenario.tokens, f"questions.{number}.order",
                         lambda tokens: _change(number, lambda now: reorder(now, tokens)))  # fmt: skip
    if question.presets:
        with st.container(horizontal=True, gap="xsmall"):
            for place, preset in enumerate(question.presets):
                st.button(preset.label, key=f"questions.{number}.press.{place}", on_click=_press, args=(number, preset))
            _show_start_again(number, question, example)
        if any(preset.of == "start" for preset in question.presets):
            st.caption(say("question_page.from_start"))
    for control in question.controls:
        _show_control(number, control, example.scenario)
    for option in question.options:
        _show_choice(number, option, example.options[option.name])
    if not question.presets:
        _show_start_again(number, question, example)


def _show_start_again(number: int, question: Question, example: Example) -> None:
    st.button(say("question_page.again"), key=f"questions.{number}.again", type="tertiary", on_click=url_texts.send,
              args=(NUMBERS, ""), disabled=not example_text(question, example))  # fmt: skip


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
        names = tuple(option.choices)
        question = QUESTIONS[number - 1]
        example = example_of(question)
        chosen_texts = [
            example_text(question, replace(example, options=example.options | {option.name: name})) for name in names
        ]
        show_scale_block(option.label, tuple(option.choices.values()), names.index(chosen), key, NUMBERS, chosen_texts)
    else:
        st.session_state[key] = chosen
        st.segmented_control(
            option.label, tuple(option.choices), format_func=option.choices.__getitem__, required=True, key=key,
            on_change=lambda: _choose(number, option.name, st.session_state[key]),
        )  # fmt: skip


def _beside(scenario: Scenario, key: str, has_board: bool) -> AbstractContextManager[None]:
    """Mark what is drawn within as older while the board beside it, where there is one, shows other numbers."""
    return marked_while_older(scenario, key) if has_board else nullcontext()


def _show_sentences(seen: Seen, scenario: Scenario, has_board: bool) -> None:
    st.markdown(f"**{say('question_page.seen')}**")
    with _beside(scenario, "seen", has_board), st.container(border=True, gap="xsmall", key="questions_seen"):
        for sentence in seen.sentences:
            st.text(sentence)


def _lead(page: str, parameter: str, value: Any) -> None:
    url_texts.put(parameter, value)
    go_to(page)


def _show_ways_on(question: Question, example: Example) -> None:
    with st.container(horizontal=True):
        label = say("question_page.lesson", number=question.step, title=STEPS[question.step - 1].title)
        st.button(label, key="questions.lesson", type="tertiary", on_click=_lead,
                  args=("pages/lesson.py", STEP, STEPS[question.step - 1].name))  # fmt: skip
        if question.sweep:
            st.button(say("question_page.scaling"), key="questions.scaling", on_click=_lead,
                      args=("pages/scaling.py", SWEEP, question.sweep))  # fmt: skip
        if question.what_if:
            show_way_to_panel("questions.what_if", example.scenario, example.query)


def _show_pictures(seen: Seen, number: int, scenario: Scenario, has_board: bool) -> None:
    tables = [(i, table) for i, table in enumerate(seen.tables) if table.matrix.any()]  # of zeros is told in words
    if not tables and seen.points is None:
        return
    with (
        _beside(scenario, "pictures", has_board),
        st.container(horizontal=True, gap="small", key="questions_pictures"),
    ):
        for i, table in tables:
            key = f"questions.{number}.table.{i}"
            show_offered(partial(table_spec, table, state.digits()), key, table.title, _in_words(table))
        if seen.points is not None:
            title, alt = say("question_page.points"), say("question_page.points_alt")
            show_offered(partial(points_spec, seen.points), f"questions.{number}.points", title, alt)


def _in_words(table: Table) -> str:
    rows, columns = table.matrix.shape
    finite = table.matrix[table.matrix.isfinite()]
    ends = (finite if finite.numel() else table.matrix).aminmax()
    least, most = (written(float(value), state.digits()) for value in ends)
    told = say("question_page.table_alt", title=table.title, rows=plural(rows, "row"),
               columns=plural(columns, "column"), least=least, most=most)  # fmt: skip
    n_others = table.matrix.numel() - finite.numel()
    return f"{told} {say('summary.described.not_finite', n=n_others)}" if n_others else told


def shown_of(question: Question, trace: AttentionTrace, options: dict[str, str]) -> tuple[str, ...]:
    """Return the matrices that the board of a question shows; none where it has no board."""
    return tuple(name for name in question.shown(options) if name in trace.stages)


def looks_of(question: Question, scenario: Scenario, trace: AttentionTrace, options: dict[str, str]) -> Looks:
    """Return how the board of a question looks."""
    shown = shown_of(question, trace, options)
    read = "attention_weights" in shown
    return Looks(
        names=shown, lit=question.lit, framed=question.framed, sentence=True, says=read, ribbons=read or None,
        notes={name: size for name, size in question.notes.items() if name in shown},
        about=question.random_in_words(scenario),
    )  # fmt: skip


def _show_board(
    question: Question, number: int, scenario: Scenario, options: dict[str, str], query: int
) -> None:  # fmt: skip
    trace = traced(scenario)
    shown = shown_of(question, trace, options)
    looks = looks_of(question, scenario, trace, options)
    if looks.about and not looks.says:
        st.caption(looks.about)
    for name in shown:
        title = say("question_page.board", matrix=trace.stages[name].title)
        alt = say("question_page.board_alt", matrix=trace.stages[name].title, meaning=trace.stages[name].meaning)
        offer(f"questions.{number}.{name}", title, alt, partial(heatmap_spec, trace, name, digits=state.digits()))
    stored = NUMBERS, whole_text(question, Example(scenario, options, query))
    show_stored_board(scenario, trace, query, looks, key=f"questions.board.{number}", stored=stored)
