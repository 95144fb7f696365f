"""The chips of What if: one change at a time."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from attnviz.app.parts.predicting import lead_on
from attnviz.app.session import state
from attnviz.app.session.address import set_controls
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_query
from attnviz.app.text import message_of
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import LARGEST, MOST_TYPED, SWITCHES, TYPED, Switch, WhatIf
from attnviz.explanation.masking import key_of
from attnviz.features.explore.switch_predictions import alone, choice_of
from attnviz.words import say

WIDGET = "what_if"
PART = "what_if.part"  # session key of the part that is open below the chips, or None
MASK, OTHERS = "mask", "others"
_PARTS = (TYPED, MASK, OTHERS)


def show_chips(scenario: Scenario, on: WhatIf) -> str:
    """Draw a chip for each change that fits; return the open part."""
    session = this_session()
    with st.container(horizontal=True, key="what_if_chips"):
        for switch in SWITCHES.values():
            if ways := _fitting(scenario, switch, on):
                st.pills(
                    say(f"what_if.{switch.name}.label"), ways,
                    format_func=partial(_called, switch.name),
                    **session.held(f"what_if.{switch.name}", on.get(switch.name) or None, _chosen(switch.name)),
                )  # fmt: skip
        st.pills(
            say("what_if.parts.label"), _PARTS, format_func=lambda part: say(f"what_if.parts.{part}"),
            key=PART, persist_state="session",
        )  # fmt: skip
    return session.get(PART) or ""


def _called(name: str, way: str) -> str:
    return choice_of(f"{name}.{way}")


def _chosen(name: str) -> Callable[[str | None], object]:
    """Return a press's callback: this change alone, or none if pressed again."""

    def take(way: str | None) -> None:
        this_session().put(PART, None)
        put(lambda _: alone(f"{name}.{way}") if way else WhatIf())

    return take


def _fitting(scenario: Scenario, switch: Switch, on: WhatIf) -> list[str]:
    """Return the ways of a switch that fit, or that are on."""
    return [way for way in switch.settings if on.get(switch.name) == way or not _why_not(scenario, switch, way)]


def _why_not(scenario: Scenario, switch: Switch, way: str) -> str:
    """Return why a way doesn't fit; blank where it does."""
    try:
        replace(scenario, what_if=alone(f"{switch.name}.{way}").text)
    except ValueError as error:
        return message_of(error)
    return ""


def show_conflicts(scenario: Scenario) -> None:
    """Say which changes have no chip, and which settings they need."""
    for switch in SWITCHES.values():
        for way in switch.settings:
            if why := _why_not(scenario, switch, way):
                st.caption(say("what_if.parts.not_here", choice=choice_of(f"{switch.name}.{way}"), why=why))


def show_typed(scenario: Scenario, on: WhatIf) -> None:
    """Draw the fields of a score that is typed in."""
    names = {"query": token_labels(scenario.tokens, 40), "key": token_labels(scenario.read_tokens, 40)}
    st.markdown(say("what_if.typed.label", most=MOST_TYPED, n=len(on.typed)))
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if_typed"):
        for axis, labels in names.items():
            st.selectbox(say(f"what_if.typed.{axis}"), range(len(labels)), format_func=labels.__getitem__,
                         index=picked_query(scenario) if axis == "query" else 0, key=f"what_if.typed.{axis}",
                         persist_state="session")  # fmt: skip
        st.number_input(say("what_if.typed.number"), -LARGEST, LARGEST, 5.0, 0.5, format="%g",
                        key="what_if.typed.number", persist_state="session")  # fmt: skip
        st.button(say("what_if.typed.put"), on_click=_put_typed, key="what_if.typed.put")
        st.button(say("what_if.typed.clear"), on_click=put, args=(lambda _: WhatIf(),),
                  disabled=not on.typed, key="what_if.typed.clear")  # fmt: skip


def _put_typed() -> None:
    """Put the number from the fields into the scores.

    The fields are read here, because a press on the button also ends typing in them.
    """
    session = this_session()
    row, column, number = (session.get(f"what_if.typed.{name}") for name in ("query", "key", "number"))
    put(lambda now: WhatIf(typed=now.typed).typing(row, column, number))


def show_why(scenario: Scenario, on: WhatIf) -> None:
    """Explain each change that is on."""
    places = [f"{name}.{way.name}" for name, way in on.ways] + [TYPED] * bool(on.typed)
    for place in places:
        st.text(say(key_of(place, "more", scenario.reads_others)))


def put(change: Callable[[WhatIf], WhatIf]) -> None:
    """Set the switches; in a callback, before the controls are drawn."""
    try:
        to = WhatIf.read(change(WhatIf.read(this_session().get(WIDGET))).text)
    except ValueError:
        state.add_message(say("what_if.refused", most=MOST_TYPED))
        return
    set_controls({WIDGET: to.text})
    lead_on()
