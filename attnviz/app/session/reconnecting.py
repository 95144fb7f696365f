"""A page that comes back to a server that does not know it: after a restart, or a connection cut for minutes.

The browser then holds a page that this session never drew. What it sends, the state of every widget and what was just
pressed, would meet a first run, in which no callback is known yet: it would be lost. So it is held back, and taken in
three runs: as the address says, as a reload does; with what the widgets hold; with what was pressed.
"""

from collections.abc import Iterable

import streamlit as st

from attnviz.app.streamlit_internals import (
    RerunData,
    RerunException,
    WidgetState,
    WidgetStates,
    forget_sent_states,
    get_script_run_ctx,
)

_HELD, _STEP = "reconnecting.held", "reconnecting.step"
ADDRESS, WIDGETS = "address", "widgets"
# The kinds of states that say that something happened, and not how something is.
_HAPPENED = ("trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value")


def hold(first_run: bool) -> None:
    """Hold what a page came back with, and run as a reload would; before anything is drawn.

    What the browser sends during that run is held as well, and it begins anew.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    sent = context.session_state.get_widget_states()
    if sent and (st.session_state[_STEP] == ADDRESS if _STEP in st.session_state else first_run):
        states = {state.id: state for state in (*held(), *sent)}
        st.session_state[_HELD] = WidgetStates(widgets=states.values()).SerializeToString()
        # Streamlit itself keeps what no widget of a run before has sent.
        forget_sent_states(context)
        st.session_state[_STEP] = ADDRESS
        run_again()


def held() -> list[WidgetState]:
    """Return the states of widgets that the page came back with and that wait to be taken."""
    return list(WidgetStates.FromString(st.session_state.get(_HELD, b"")).widgets)


def go_on() -> None:
    """Go on to the next of the three runs; at the end of each."""
    context = get_script_run_ctx()
    step = st.session_state.get(_STEP)
    if context is None or step is None:
        return
    if step == ADDRESS:
        st.session_state[_STEP] = WIDGETS
        run_again([state for state in held() if not _happened(state)])
    pressed = [state for state in held() if _happened(state)]
    give_up()
    if pressed:
        now = [state for state in context.session_state.get_widget_states() if not _happened(state)]
        run_again([*now, *pressed])


def give_up() -> None:
    """Hold nothing more, as where a page fails."""
    for key in (_HELD, _STEP):
        st.session_state.pop(key, None)


def _happened(state: WidgetState) -> bool:
    return state.WhichOneof("value") in _HAPPENED


def run_again(states: Iterable[WidgetState] = ()) -> None:
    """Run again as if the browser had sent these states of widgets; by `st.rerun` those of this run would stay."""
    context = get_script_run_ctx()
    if context is None:
        return
    raise RerunException(
        RerunData(
            page_script_hash=context.page_script_hash,
            query_string=context.query_string,
            widget_states=WidgetStates(widgets=states),
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
        )
    )
