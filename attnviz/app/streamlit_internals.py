"""Private parts of Streamlit that we use, and two that we replace.

tests/unit/server/test_streamlit_internals.py checks each part that we use, and fails once a replacement can go.
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
# The messages of a reader's page. Others are for developers; clear_cache would empty Streamlit's caches for all
# sessions.
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

    `page` is a page's hash. With `turns`, controls bound to the address take their values from the query, as they do
    after Back.
    """
    if context := get_script_run_ctx():
        page, seen = page or context.page_script_hash, context.context_info
        raise RerunException(RerunData(query, page_script_hash=page, is_history_navigation=turns, context_info=seen))


def replace_parts() -> None:
    """Replace two parts of Streamlit with our own, for this process.

    Only app.py calls this, so that an import changes nothing. Without the first replacement, the callback of a press is
    interrupted if another run is requested meanwhile (https://github.com/streamlit/streamlit/issues/10578). Without the
    second, a press is lost if Back follows at once (https://github.com/streamlit/streamlit/issues/9100 is closest).
    """
    SafeSessionState.on_script_will_rerun = _hear_whole  # type: ignore[assignment, method-assign]
    script_requests._coalesce_widget_states = _with_all_told


def speak_as_accepted() -> None:
    """Set this thread's language to the one that the reader's browser accepts."""
    LANGUAGE.set(spoken(st.context.headers.get("Accept-Language", "")))


def _with_all_told(old_states: WidgetStates | None, new_states: WidgetStates | None) -> WidgetStates | None:
    """Join two messages for one run; after Back, one omits controls."""
    if joined := _joined(old_states, new_states):
        told = {each.id for each in joined.widgets}
        joined.widgets.extend(each for each in (old_states or joined).widgets if each.id not in told)
    return joined


def _hear_whole(states: SafeSessionState, *given: Any, **more: Any) -> None:
    """Take in a page's message and call back, without being interrupted.

    A thread of a session begins here, so the language is set here: callbacks and the run that follows share it.
    """
    speak_as_accepted()
    gives_way, vars(states)["_yield_callback"] = states._yield_callback, lambda: None
    try:
        _hear(states, *given, **more)
    finally:
        vars(states)["_yield_callback"] = gives_way
