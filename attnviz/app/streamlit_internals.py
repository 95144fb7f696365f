"""Private parts of Streamlit that we use, and five that we replace.

tests/unit/server/test_streamlit_internals.py holds what is used of each, and says of what is replaced when it can go.
"""

import math
from contextlib import suppress
from typing import Any

import streamlit as st
import streamlit.runtime
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.delta_generator import DeltaGenerator
from streamlit.logger import get_logger
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import Serialized, Value, WStates
from streamlit.runtime.uploaded_file_manager import DeletedFile

from attnviz.core.limits import MAX_UPLOADED_BYTES, MAX_UPLOADS
from attnviz.words import LANGUAGE, spoken

__all__ = ["DeltaGenerator", "RerunException", "get_logger", "get_script_run_ctx", "is_connected", "is_fragment_run",
           "is_of_a_reader", "replace_parts", "run_again", "speak_as_accepted"]  # fmt: skip
# What a reader's page sends; others are for developers, and clear_cache empties what Streamlit keeps for all sessions.
_OF_READERS = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
_value_of, _add_file = WStates.__getitem__, MemoryUploadedFileManager.add_file
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
    """Put ours in the place of Streamlit's own, for this process."""
    WStates.__getitem__ = _value_of_its_type  # type: ignore[method-assign]
    MemoryUploadedFileManager.add_file = _keep_few  # type: ignore[assignment, method-assign]
    # A session's state, of which a control looks at its own value, is read value by value and not copied whole.
    SafeSessionState.filtered_state = property(lambda states: states)  # type: ignore[assignment, method-assign]
    SafeSessionState.on_script_will_rerun = _hear_whole  # type: ignore[assignment, method-assign]
    script_requests._coalesce_widget_states = _with_all_told


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


def _value_of_its_type(states: WStates, key: str) -> Any:
    """Return a control's value; its default if cleared or forged.

    A value is taken where it's of the control's type, finite, allowed, and one that the control can read.
    """
    state, control, value = states.states.get(key), states.widget_metadata.get(key), None
    if not isinstance(state, Serialized) or control is None:
        return _value_of(states, key)
    sent, kind, wanted = state.value, state.value.WhichOneof("value"), control.value_type
    is_finite = all(map(math.isfinite, (sent.double_value, *sent.double_array_value.data)))
    options = getattr(getattr(control.deserializer, "__self__", None), "formatted_options", None)
    is_offered = kind != "string_value" or options is None or sent.string_value in options
    if kind in (wanted, wanted.replace("double_", "int_")) and is_finite and is_offered:
        with suppress(Exception):
            value = _value_of(states, key)
    value = control.deserializer(None) if value is None or isinstance(value, DeletedFile) else value
    states.states[key] = Value(value)
    states.set_widget_metadata(control)  # Streamlit takes the type that was sent for the control's from now on
    return value


def _keep_few(uploads: MemoryUploadedFileManager, session_id: str, file: Any) -> None:
    """Keep an uploaded file, and drop old ones beyond the limits.

    Beyond the limit of all sessions, the one that has most loses its oldest.
    """
    _add_file(uploads, session_id, file)
    held = uploads.file_storage
    for old in list(held[session_id])[:-MAX_UPLOADS]:
        uploads.remove_file(session_id, old)
    while uploads._total_bytes > MAX_UPLOADED_BYTES:
        most = max(held, key=lambda each: sum(len(sent.data) for sent in held[each].values()))
        uploads.remove_file(most, next(iter(held[most])))
