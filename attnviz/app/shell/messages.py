"""The foot of a page: messages, over it, so that nothing moves when one comes or goes; and which version this is."""

from typing import Any

import streamlit as st

from attnviz.app.keeper import build
from attnviz.app.session import state
from attnviz.core.carried import bring_back
from attnviz.core.matrix_input import example_of
from attnviz.core.scenario import Scenario
from attnviz.words import say


def show(values: dict[str, Any], scenario: Scenario | None, *, offers: bool) -> None:
    """Draw the messages of this run, each once, and what was dropped and can be brought back.

    `values` are those of all controls; `offers` says whether a set-up is seen here, for changes to be brought back to.
    """
    said = state.messages_of_now(values)
    for message in said:
        st.warning(message, icon=":material/warning:")
    if said:
        st.button(say("messages.close"), key="messages.close", on_click=state.forget_messages, type="tertiary")
    if offers:
        _show_offer(scenario)


def _show_offer(scenario: Scenario | None) -> None:
    dropped = state.offered_here()
    if scenario is None or not (dropped.edits or any(not example_of(by) for _, by in dropped.replaced)):
        return  # what an example began with is no change of the reader's
    count = len(dropped.edits) + len(dropped.replaced)
    with st.container(horizontal=True, vertical_alignment="center", key="offer"):
        st.text(say("editor.dropped", n=count))
        if bring_back(scenario, dropped)[1] != dropped:
            st.button(say("editor.bring_back"), on_click=state.take_back, key="playground.bring_back", type="tertiary")
        st.button(say("editor.forget"), on_click=state.forget_offer, key="playground.forget", type="tertiary")


def show_foot() -> None:
    """Draw which version this is, and of torch; page.css gives it the room that is there anyway."""
    with st.container(key="foot"):
        st.caption(say("app.foot", version=build.version(), torch=build.torch_version()))
