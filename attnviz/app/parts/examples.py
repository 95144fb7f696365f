"""Example sentences and worked examples, and links to a set-up."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import address, state, url_texts
from attnviz.app.session.address import set_controls
from attnviz.app.session.session import this_session
from attnviz.core.changes import changes_of
from attnviz.core.matrix_input import example_of
from attnviz.core.scenario import Scenario
from attnviz.core.seeding.vectors import PUBLISHED_TEXT
from attnviz.core.stages import ITSELF
from attnviz.link.parameter_table import QUERY
from attnviz.link.set_up import CHANGES, EXAMPLE, parameters, query_of, with_example
from attnviz.published import OPENING, starting_points, worked_examples
from attnviz.published.by_class import by_class
from attnviz.words import by_language, say

_SENTENCES = ("big", "man", "cat", "animal", "be")


def example_sentences() -> tuple[str, ...]:
    """Return the sentences that are offered."""
    return (PUBLISHED_TEXT, *(say(f"setup.sentences.{name}") for name in _SENTENCES))


@by_language()
def offered() -> tuple[dict[str, Any], ...]:
    """Return each example's title, what it shows and its query, opening first.

    An example with `whole` replaces the whole set-up. A sentence's name is its number. Worked examples are offered in
    the set-up only.
    """
    published, *sentences = (
        _offer(str(n), text, name, dict(parse_qsl(query_of(of_example(text)))))
        for n, (text, name) in enumerate(zip(example_sentences(), ("published", *_SENTENCES), strict=True))
    )
    opening = starting_points()[OPENING].scenario.text
    return (_offer(OPENING, opening, "opening", with_example({EXAMPLE: OPENING})), *sentences, published)


def _offer(name: str, title: str, shows: str, patch: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "title": title, "shows": say(f"setup.shows.{shows}"), "whole": True, "patch": dict(patch)}


def of_example(sentence: str) -> Scenario:
    """Return the scenario of an offered sentence.

    The published sentence gets its published vectors, all others vectors by kinds of words.
    """
    return Scenario(PUBLISHED_TEXT, embedding="published") if sentence == PUBLISHED_TEXT else by_class(sentence)


def use_sentence(sentence: str) -> None:
    """Begin with a sentence, on all pages; call it in a callback."""
    state.forget_offer()
    drop_changes()
    begin_with(of_example(sentence))


def drop_changes() -> None:
    """Remove the set-up's changes, and offer the reader's own back."""
    scenario = scenario_now()
    if scenario is None:
        return
    url_texts.send(CHANGES, "")
    dropped = changes_of(scenario)
    if dropped.edits or any(not example_of(by) for _, by in dropped.replaced):
        state.offer_back(dropped)


def take_named() -> str:
    """Return the example that the link named, once; '' without one."""
    session = this_session()
    named, session.example = session.example, ""
    return named


def start_over() -> None:
    """Set up the opening example on all pages, with nothing offered back."""
    set_up(OPENING)
    state.forget_offer()


def show_opening() -> None:
    """Draw a button for the example that the app opens with."""
    example = starting_points()[OPENING]
    st.button(example.title, key="setup.opening", on_click=set_up, args=(OPENING,), type="tertiary")


def show_choice() -> None:
    """Draw a button for each worked example."""
    st.caption(say("examples.caption"))
    for name, example in worked_examples().items():
        st.button(example.title, key=f"setup.worked.{name}", on_click=set_up, args=(name,), type="tertiary")


def set_up(name: str) -> None:
    """Set up an example on all pages; call it in a callback."""
    begin_with(starting_points()[name].scenario)


def begin_with(scenario: Scenario, query: int | None = None) -> None:
    """Set up a scenario on all pages; call it in a callback."""
    address.set_controls({name: getattr(scenario, name, row.default) for name, row in parameters().items()})
    url_texts.send(QUERY, "" if query is None else str(query))
    state.start_set_up_anew(scenario)


_BLANK = "blank.text"


def show_blank(key: str) -> None:
    """Say that the sentence is missing, and ask for one."""
    st.info(say(key), icon=":material/edit:")
    st.text_input(
        say("setup.text.label"), key=_BLANK, label_visibility="collapsed", placeholder=say("setup.text.help"),
        on_change=lambda: set_controls({"text": this_session().get(_BLANK)}),
    )  # fmt: skip
    first = starting_points()[OPENING].scenario.text
    st.button(say("setup.text.first", text=first), on_click=set_controls, args=({"text": first},), key="blank.first")


def show_second_sentence(key: str) -> None:
    """Say that the page needs self-attention, and offer to switch to it."""
    st.info(say(key), icon=":material/swap_horiz:")
    st.button(say("setup.reads.itself"), on_click=set_controls, args=({"reads": ITSELF},), key="blank.reads")
