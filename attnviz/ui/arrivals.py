"""The texts that a link brings beside the controls, read on the first run, whichever page it opens.

Each page reads its own again whenever it is drawn. That they are read here, too, is for the reader's sake: what
cannot be used is told at once, and not when a page that uses it is opened.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

import streamlit as st

from attnviz.link import parameters
from attnviz.questions import QUESTIONS
from attnviz.scenario import Scenario, traced
from attnviz.ui import bound, check_form, lesson_views, long_link, question_views, scaling_controls, state, views
from attnviz.ui.address import forget, open_without
from attnviz.ui.check_modes import EXAMPLES, EXERCISE, mode_of_now
from attnviz.ui.compare_views import kept
from attnviz.ui.example_views import example_of_now
from attnviz.ui.exercise_views import exercise_of_now
from attnviz.ui.picked_cell import picked_place
from attnviz.ui.text import listed, literal
from attnviz.words import plural, say
from attnviz.worked_examples import EXAMPLE

# The others are told by what they may be.
_OF_MANY_CHARACTERS = (bound.CHANGES, bound.PINNED, bound.SWEEP, bound.EXAMPLE, bound.TABLES)

# What mailers, search engines and Streamlit itself write into any link.
_OF_OTHERS = ("utm_", "mc_", "_ga", "_gl", "fbclid", "gclid", "msclkid", "twclid", "igsh", "embed")


def leave_out_too_long() -> None:
    """Say which texts are longer than the browser keeps them, and open the page without them."""
    lengths = {name: len(st.query_params.get(name, "")) for name in _OF_MANY_CHARACTERS}
    too_long = [name for name in _OF_MANY_CHARACTERS if lengths[name] > bound.MOST_CHARACTERS[name]]
    for name in too_long:
        characters = plural(lengths[name], "character")
        state.say_ignored(
            say("links.too_long", parameter=name, characters=characters, most=f"{bound.MOST_CHARACTERS[name]:,}")
        )
    open_without(too_long)


def leave_out_unknown() -> None:
    """Say which parameters of the link there are none of, and take them out of the address."""
    known = (*parameters(), *bound.MOST_CHARACTERS, EXAMPLE, *((long_link.LEFT_OUT,) if long_link.is_told() else ()))
    unknown = [name for name in st.query_params if name not in known and not name.startswith(_OF_OTHERS)]
    if not unknown:
        return
    meant = get_close_matches(unknown[0], known, 1, 0.75) if len(unknown) == 1 else []
    state.say_ignored(
        say("links.unknown_meant", name=literal(unknown[0]), meant=literal(meant[0])) if meant
        else say("links.unknown", names=listed(unknown))
    )  # fmt: skip
    forget(unknown)


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
