"""Private parts of Streamlit that we use, and three that we replace.

tests/unit/server/test_streamlit_internals.py holds what is used of each, and says of what is replaced when it can go.
"""

from contextlib import suppress
from typing import Any

import streamlit as st
import streamlit.runtime
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.delta_generator import DeltaGenerator
from streamlit.logger import get_logger
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.state.safe_session_state import SafeSessionState

from attnviz.words import LANGUAGE, spoken

__all__ = ["DeltaGenerator", "RerunException", "get_logger", "get_script_run_ctx", "is_connected", "is_fragment_run",
           "is_of_a_reader", "replace_parts", "run_again", "speak_as_accepted"]  # fmt: skip
# What a reader's page sends; others are for developers, and clear_cache empties what Streamlit keeps for all sessions.
_OF_READERS = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
_joined, _hear = script_requests._coalesce_widget_states, SafeSessionState.on_script_will_rerun


def is_fragment_run() -> bool:
    """Whether only fragments of a page run."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def is_of_a_reader(message: bytes) -> bool:
    """Whether a socket message is one that a reader's page sends."""
    with suppress(DecodeError):
        return BackMsg.FromString(message).WhichOneof("type") in _OF_READERS
    return False


def is_connected(session: str) -> bool:
    """Whether a session's page is open; always true without a server."""
    return not streamlit.runtime.exists() or streamlit.runtime.get_instance().is_active_session(session)


def run_again(query: str, *, page: str | None = None, turns: bool = False) -> None:
    """Restart this run with this query, optionally on another page.

    `page` is a page's hash; with `turns`, bound controls take their values from the query, as after Back.
    """
    if context := get_script_run_ctx():
        page, seen = page or context.page_script_hash, context.context_info
        raise RerunException(RerunData(query, page_script_hash=page, is_history_navigation=turns, context_info=seen))


def replace_parts() -> None:
    """Put ours in the place of Streamlit's own, for this process.

    It's app.py that calls this, so that importing changes nothing. Without the first, a press is called back halfway
    where another run is asked for meanwhile (https://github.com/streamlit/streamlit/issues/10578). Without the second,
    it is lost where Back follows at once (https://github.com/streamlit/streamlit/issues/9100 is nearest). Without the
    third, each control copies the values of all to look at its own: picking a token took 160 to 210 ms of a processor,
    and 108 with it.
    """
    SafeSessionState.on_script_will_rerun = _hear_whole  # type: ignore[assignment, method-assign]
    script_requests._coalesce_widget_states = _with_all_told
    SafeSessionState.filtered_state = property(lambda states: states)  # type: ignore[assignment, method-assign]


def speak_as_accepted() -> None:
    """Speak to this session's reader, in this thread, as their browser accepts."""
    LANGUAGE.set(spoken(st.context.headers.get("Accept-Language", "")))


def _with_all_told(old_states: WidgetStates | None, new_states: WidgetStates | None) -> WidgetStates | None:
    """Join two messages that one run answers; Back's omits a page's controls."""
    if joined := _joined(old_states, new_states):
        told = {each.id for each in joined.widgets}
        joined.widgets.extend(each for each in (old_states or joined).widgets if each.id not in told)
    return joined


def _hear_whole(states: SafeSessionState, *given: Any, **more: Any) -> None:
    """Take what was told and call back, without giving way halfway.

    Here a thread begins for a session: what it calls back, and the run that follows, speak one language.
    """
    speak_as_accepted()
    gives_way, vars(states)["_yield_callback"] = states._yield_callback, lambda: None
    try:
        _hear(states, *given, **more)
    finally:
        vars(states)["_yield_callback"] = gives_way
