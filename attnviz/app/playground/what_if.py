"""The panel What if: what attention doesn't do, to try it and to compare it with the usual way."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attnviz.app.parts.what_if_panel import PANEL, open_panel
from attnviz.app.playground.mask import show_mask
from attnviz.app.playground.replaced import keep_as_a, show_replaced
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to, turn
from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import LARGEST, MOST_TYPED, SWITCHES, TYPED, WhatIf
from attnviz.explanation.what_if import key_of
from attnviz.link.parameter_table import BITS, OPEN, WHAT_IF
from attnviz.words import say

WIDGET = "what_if"


def show_what_if(scenario: Scenario) -> None:
    """Draw the panel, folded; what is on stands beside it, or in it."""
    on = WhatIf.read(scenario.what_if)
    session = this_session()
    if take(BITS) and not session.what_if_opened:  # what a link says is to be seen
        session.what_if_opened = True
        open_panel()
    if take(OPEN) == WHAT_IF:  # of a cell on the board, or of another page
        open_panel()
        url_texts.correct(OPEN, "")
    with st.expander(say("what_if.title"), key=PANEL, on_change="rerun") as panel:
        if panel.open:
            with st.container(key="what_if_panel"):
                _show_ways(scenario, on)
                steps, mask, others = st.tabs([say(f"what_if.tabs.{name}") for name in ("steps", "mask", "others")])
                with steps:
                    _show_switches(scenario, on)
                with mask:
                    show_mask(scenario)
                with others:
                    show_replaced(scenario)
    if not panel.open:
        _show_ways(scenario, on)


def _show_ways(scenario: Scenario, on: WhatIf) -> None:
    """Draw the ways back from what is on."""
    if on.text:
        with st.container(horizontal=True, key="what_if_on"):
            st.button(say("what_if.compare"), type="primary", on_click=_keep_usual, args=(scenario,),
                      key="what_if.compare")  # fmt: skip
            st.button(say("what_if.back"), on_click=_put, args=(lambda _: WhatIf(),), key="what_if.back")


def _show_switches(scenario: Scenario, on: WhatIf) -> None:
    st.text(say("what_if.lead"))
    for switch in SWITCHES.values():
        if switch.name == TYPED:
            _show_typed(scenario, on)
        else:
            _show_switch(scenario, on, switch.name, switch.settings)


def _show_switch(scenario: Scenario, on: WhatIf, name: str, settings: tuple[str, ...]) -> None:
    key = f"what_if.{name}"
    session = this_session()
    session.put(key, on.get(name))
    st.radio(
        say(f"what_if.{name}.label"), ("", *settings), horizontal=True, key=key,
        format_func=lambda each: say(f"what_if.{_key(name, each)}.choice") if each else say("what_if.usual"),
        on_change=_put, args=(lambda now: now.with_(name, session.get(key)),),
    )  # fmt: skip
    if on.get(name):
        st.caption(say(key_of(f"{name}.{on.get(name)}", "more", scenario.reads_others)))


def _key(name: str, setting: str) -> str:
    return f"{name}.{setting.replace('-', '_')}"


def _show_typed(scenario: Scenario, on: WhatIf) -> None:
    names = {"query": token_labels(scenario.tokens, 40), "key": token_labels(scenario.read_tokens, 40)}
    st.markdown(say("what_if.typed.label", most=MOST_TYPED, n=len(on.typed)))
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if_typed"):
        row, column = (
            st.selectbox(say(f"what_if.typed.{axis}"), range(len(labels)), format_func=labels.__getitem__,
                         key=f"what_if.typed.{axis}", persist_state="session")
            for axis, labels in names.items()
        )  # fmt: skip
        number = st.number_input(say("what_if.typed.number"), -LARGEST, LARGEST, 5.0, 0.5, format="%g",
                                 key="what_if.typed.number", persist_state="session")  # fmt: skip
        st.button(say("what_if.typed.put"), on_click=_put, args=(lambda now: now.typing(row, column, number),),
                  key="what_if.typed.put")  # fmt: skip
        st.button(say("what_if.typed.clear"), on_click=_put, args=(lambda now: WhatIf(now.chosen),),
                  disabled=not on.typed, key="what_if.typed.clear")  # fmt: skip
    if on.typed:
        st.caption(say("what_if.typed.more"))


def _put(change: Callable[[WhatIf], WhatIf]) -> None:
    """Set the switches; in a callback, before the controls are drawn."""
    try:
        turn({WIDGET: WhatIf.read(change(WhatIf.read(this_session().get(WIDGET))).text).text})
    except ValueError:
        state.say(say("what_if.refused", most=MOST_TYPED))


def _keep_usual(scenario: Scenario) -> None:
    """Keep as A what attention does with the same set-up, so that B is what it doesn't do."""
    if keep_as_a(replace(scenario, what_if="")):
        go_to("pages/compare.py")
