"""The texts that a link brings beside the controls, read on the first run, whichever page it opens.

Each page reads its own again whenever it is drawn. That they are read here, too, is for the reader's sake: what
cannot be used is told at once, and not when a page that uses it is opened.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

import streamlit as st

from attnviz.app.check import form
from attnviz.app.check.examples import example_of_now
from attnviz.app.check.exercises import exercise_of_now
from attnviz.app.check.modes import EXAMPLES, EXERCISE, mode_of_now
from attnviz.app.compare.sides import kept
from attnviz.app.lesson import steps
from attnviz.app.parts.picked_cell import picked_place
from attnviz.app.playground import views
from attnviz.app.questions import question
from attnviz.app.scaling import controls
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import forget, open_without
from attnviz.app.shell import long_link
from attnviz.app.text import listed, literal
from attnviz.core.scenario import Scenario, traced
from attnviz.link.parameter_table import parameters
from attnviz.published import EXAMPLE
from attnviz.teach.questions import QUESTIONS
from attnviz.words import plural, say

# The others are told by what they may be.
_OF_MANY_CHARACTERS = (url_texts.CHANGES, url_texts.PINNED, url_texts.SWEEP, url_texts.EXAMPLE, url_texts.TABLES)

# What mailers, search engines and Streamlit itself write into any link.
_OF_OTHERS = ("utm_", "mc_", "_ga", "_gl", "fbclid", "gclid", "msclkid", "twclid", "igsh", "embed")


def leave_out_too_long() -> None:
    """Say which texts are longer than the browser keeps them, and open the page without them."""
    lengths = {name: len(st.query_params.get(name, "")) for name in _OF_MANY_CHARACTERS}
    too_long = [name for name in _OF_MANY_CHARACTERS if lengths[name] > url_texts.MOST_CHARACTERS[name]]
    for name in too_long:
        characters = plural(lengths[name], "character")
        state.say_ignored(
            say("links.too_long", parameter=name, characters=characters, most=f"{url_texts.MOST_CHARACTERS[name]:,}")
        )
    open_without(too_long)


def leave_out_unknown() -> None:
    """Say which parameters of the link there are none of, and take them out of the address."""
    known = (
        *parameters(),
        *url_texts.MOST_CHARACTERS,
        EXAMPLE,
        *((long_link.LEFT_OUT,) if long_link.is_told() else ()),
    )
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
        if st.query_params.get(url_texts.QUERY):
            state.picked_query(len(scenario.tokens))
        if st.query_params.get(url_texts.CELL):
            picked_place(traced(scenario))


def _read_question() -> None:
    number = question.open_question()
    if number is not None:
        question.example_of(QUESTIONS[number - 1])
    elif url_texts.receive(url_texts.EXAMPLE)[0]:
        state.refuse(url_texts.EXAMPLE, url_texts.current(url_texts.EXAMPLE), "used without a question", "none")


def _read_check() -> None:
    mode = mode_of_now()
    if mode == EXAMPLES:
        example_of_now()
    elif mode == EXERCISE:
        exercise_of_now()


_READERS: Mapping[str, Callable[[], object]] = MappingProxyType(
    {
        url_texts.VIEW: views.view_of_now,
        url_texts.PINNED: kept,
        url_texts.SWEEP: controls.take_from_url,
        url_texts.STEP: steps.current_step,
        url_texts.QUESTION: _read_question,
        url_texts.EXAMPLE: _read_question,
        url_texts.CHECK: _read_check,
        url_texts.TABLES: form.take_from_url,
    }
)
