"""The texts that a link brings beside the controls, read on the first run, whichever page it opens.

Each page reads its own again whenever it is drawn. That they are read here, too, is for the reader's sake: what
cannot be used is told at once, and not when a page that uses it is opened.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from attnviz.questions import QUESTIONS
from attnviz.scenario import Scenario, traced
from attnviz.ui import bound, check_form, lesson_views, question_views, scaling_controls, state, views
from attnviz.ui.address import open_without
from attnviz.ui.check_modes import EXAMPLES, EXERCISE, mode_of_now
from attnviz.ui.compare_views import kept
from attnviz.ui.example_views import example_of_now
from attnviz.ui.exercise_views import exercise_of_now
from attnviz.ui.picked_cell import picked_place

# The others are told by what they may be.
_OF_MANY_CHARACTERS = (bound.CHANGES, bound.PINNED, bound.SWEEP, bound.EXAMPLE, bound.TABLES)


def leave_out_too_long() -> None:
    """Say which texts are longer than the browser keeps them, and open the page without them."""
    lengths = {name: len(st.query_params.get(name, "")) for name in _OF_MANY_CHARACTERS}
    too_long = [name for name in _OF_MANY_CHARACTERS if lengths[name] > bound.MOST_CHARACTERS[name]]
    for name in too_long:
        most = bound.MOST_CHARACTERS[name]
        state.say(f"{name} has {lengths[name]:,} characters in the link, where {most:,} can be read; it was left out.")
    open_without(too_long)


def read(scenario: Scenario | None) -> None:
    """Read each text that came with the link as its page does; what cannot be used gets a message.

    Without a scenario, while the sentence is blank, what concerns its tokens and cells waits until there is one.
    (The controls and, on every page, the changes and what is hidden are read already.)
    """
    for name, read_now in _READERS.items():
        if st.query_params.get(name):
            read_now()
    if scenario is not None:
        if st.query_params.get(bound.QUERY):
            state.picked_query(len(scenario.tokens))
        if st.query_params.get(bound.CELL):
            picked_place(traced(scenario))


def _read_question() -> None:
    number = question_views.open_question()
    if number is not None:
        question_views.example_of(QUESTIONS[number - 1])
    elif bound.receive(bound.EXAMPLE)[0]:
        state.refuse(bound.EXAMPLE, bound.current(bound.EXAMPLE), "used without a question", "none")


def _read_check() -> None:
    mode = mode_of_now()
    if mode == EXAMPLES:
        example_of_now()
    elif mode == EXERCISE:
        exercise_of_now()


_READERS: Mapping[str, Callable[[], object]] = MappingProxyType(
    {
        bound.VIEW: views.view_of_now,
        bound.PINNED: kept,
        bound.SWEEP: scaling_controls.take_from_url,
        bound.STEP: lesson_views.current_step,
        bound.QUESTION: _read_question,
        bound.EXAMPLE: _read_question,
        bound.CHECK: _read_check,
        bound.TABLES: check_form.take_from_url,
    }
)
