"""A and B on a page: what is pinned, what differs, and the matrices side by side."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from attnviz.comparing import COMPARED, Comparison, changed_in_words, moved_most, other_words
from attnviz.figures import comparison_specs
from attnviz.link import MAX_CHANGES_CHARACTERS, query_of, scenario_from_query
from attnviz.packing import pack, unpack
from attnviz.scenario import Scenario
from attnviz.stages import STAGES
from attnviz.ui import bound, state
from attnviz.ui.charts import offer, show_figure
from attnviz.ui.text import is_dark, literal
from attnviz.ui.typed import scenario_now


def pinned() -> Scenario | None:
    """Return the scenario that is pinned as A; None while none is."""
    packed, arrived = bound.receive(bound.PINNED)
    if not packed:
        return None
    try:
        scenario, ignored = scenario_from_query(unpack(packed, MAX_CHANGES_CHARACTERS))
    except ValueError as error:
        state.say(f"What the link pins as A can't be read: {error}. Pin a set-up anew.")
        bound.send(bound.PINNED, "")
        return None
    if arrived and ignored:
        state.say(f"What the link pins as A was not taken as it is: {literal('; '.join(ignored), 200)}")
    return scenario


def show_pin(scenario: Scenario, a: Scenario | None) -> None:
    """Draw the buttons that pin, bring back and let go of A, and say what B has other than A."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Pin this as A" if a is None else "Pin B as the new A",
            on_click=pin, type="primary" if a is None else "secondary",
        )  # fmt: skip
        if a is not None:
            st.button("Go back to A", on_click=state.adopt, args=(a,), help="Makes the set-up what it is in A.")
            st.button("Let go of A", on_click=bound.send, args=(bound.PINNED, ""), type="tertiary")
    if a is None:
        st.info(
            "Pin the set-up as it is now as A. Then change anything, here or on another page, and compare.", icon="📌"
        )
        return
    words = changed_in_words(a, scenario)
    st.text("B is as A." if not words else "B differs from A in: " + "; ".join(words) + ".")


def pin() -> None:
    """Pin the scenario of now as A."""
    scenario = scenario_now()
    if scenario is None:
        return
    packed = pack(query_of(scenario))
    if not bound.fits(bound.PINNED, packed):
        state.say("This set-up is too large to be pinned: a link cannot carry its given numbers twice.")
        return
    bound.send(bound.PINNED, packed)


def show_comparison(comparison: Comparison, query: int) -> None:
    """Draw each compared matrix of A, of B and their difference, with the rows that moved most in words."""
    dark, digits = is_dark(), state.digits()
    aside = other_words(comparison)
    if aside:
        st.caption(aside)
    for name in COMPARED:
        st.markdown(f"##### {STAGES[name].title}")
        moved = moved_most(comparison, name, digits)
        st.text("\n".join(moved))
        draw = partial(comparison_specs, comparison, name, digits=digits, query=query)
        specs = draw(dark=dark)
        with st.container(horizontal=True, gap="small", key=f"compare_{name}"):
            for label, spec in specs.items():
                alt = f"{STAGES[name].title}, {label}. {' '.join(moved)}"
                show_figure(spec, f"compare.{name}.{label}", alt)
                offer(f"compare.{name}.{label}", f"{STAGES[name].title}, {label}", alt,
                      partial(_one_of, draw, label))  # fmt: skip


def _one_of(draw: Callable[[], dict[str, dict[str, Any]]], label: str) -> dict[str, Any]:
    return draw()[label]
