"""The parts of Streamlit that are not its public interface, each named here and nowhere else.

tests/unit/test_streamlit_internals.py holds what is used of each, and fails when a new version of Streamlit changes it.
"""

import contextlib
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

import streamlit.logger
import streamlit.runtime
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.delta_generator import DeltaGenerator
from streamlit.file_util import get_static_dir
from streamlit.logger import get_logger
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, RerunException, ScriptRunner, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.scriptrunner_utils.script_run_context_attr import SCRIPT_RUN_CONTEXT_ATTR_NAME
from streamlit.runtime.state.query_params import (
    CLIENT_STATE_QUERY_STRING_MAX_FIELDS,
    CLIENT_STATE_QUERY_STRING_MAX_LENGTH,
)
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import Serialized, SessionState, Value, WStates
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFileRec

__all__ = [
    "CLIENT_STATE_QUERY_STRING_MAX_FIELDS",
    "CLIENT_STATE_QUERY_STRING_MAX_LENGTH",
    "DecodeError",
    "DeletedFile",
    "DeltaGenerator",
    "ForwardMsg",
    "MemoryUploadedFileManager",
    "RerunData",
    "RerunException",
    "Serialized",
    "UploadedFileRec",
    "Value",
    "WStates",
    "WidgetState",
    "WidgetStates",
    "component_scripts",
    "forget_sent_states",
    "format_logs",
    "get_logger",
    "get_script_run_ctx",
    "is_a_page_running",
    "is_connected",
    "is_fragment_run",
    "is_of_a_reader",
    "kept",
    "look_states_up_singly",
    "page_of_now",
    "read_query_again",
    "run_callbacks_whole",
    "run_each_within",
    "sent_event",
    "session_of_now",
    "states_of",
    "tell_themes_once",
    "uploads_held",
    "within_session",
]

_SCRIPTS = "static/js"
_IMPORTED = re.compile(r'(?:from|import) ?"\./([\w.-]+\.js)"')
_EVENTS = "__events"  # behind the id of a component: what the browser says of it as it happens
_TURN = "turn_of_attnviz"
_OURS = "of_attnviz"  # marks what stands in the place of Streamlit's own
_BESIDE = "beside_runs_of_attnviz"  # what stands for the part of a page that runs
SCRIPT_THREAD = "ScriptRunner.scriptThread"
# What a reader's page sends; others are for developers, and clear_cache empties what Streamlit keeps for all sessions.
_OF_READERS = frozenset({"rerun_script", "stop_script", "app_heartbeat", "file_urls_request",
                         "backend_operation_request"})  # fmt: skip


def component_scripts() -> tuple[str, ...]:
    """Return where the scripts are by which Streamlit's page draws components, of those that it doesn't name: it asks
    for them, one after the other, when the first component is to be drawn."""
    static = Path(get_static_dir())
    named = (static / "index.html").read_text(encoding="utf-8")
    found: dict[str, None] = {}
    wanted = sorted(file.name for file in (static / _SCRIPTS).glob("BidiComponent.*.js"))
    while wanted:
        name = wanted.pop()
        if f"{_SCRIPTS}/{name}" not in found and name not in named:
            found[f"{_SCRIPTS}/{name}"] = None
            wanted += _IMPORTED.findall((static / _SCRIPTS / name).read_text(encoding="utf-8"))
    return tuple(found)


def page_of_now() -> str | None:
    """Return what tells the page of this run from the others; None outside of a run."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else None


def is_fragment_run() -> bool:
    """Whether parts of a page run by themselves, and not all of it."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def is_of_a_reader(message: bytes) -> bool:
    """Whether a message by the socket is one that a reader's page sends; of any bytes else, Streamlit says so."""
    try:
        kind = BackMsg.FromString(message).WhichOneof("type")
    except DecodeError:
        return True
    return kind is None or kind in _OF_READERS


def is_connected(session: str) -> bool:
    """Whether the page of a session is open in a browser, as far as a server knows: where none runs, all are."""
    return not streamlit.runtime.exists() or streamlit.runtime.get_instance().is_active_session(session)


def is_a_page_running() -> bool:
    """Whether the script of any page runs, in whole or in part: each has a thread of its own."""
    return any(thread.name == SCRIPT_THREAD for thread in threading.enumerate())


@contextlib.contextmanager
def within_session(session: str) -> Iterator[bool]:
    """Be within a session as one of its runs in part is; on the thread that starts its runs, for as long as nobody
    waits there. False where it can't be: no page has it open, or one of its runs is under way."""
    runtime = streamlit.runtime.get_instance() if streamlit.runtime.exists() else None
    found = None if runtime is None else runtime._session_mgr.get_active_session_info(session)
    if found is None or found.session._scriptrunner is not None:
        yield False
        return
    turn = _turn_of(found.session._session_state)
    if not turn.acquire(blocking=False):
        yield False
        return
    context = found.session.create_detached_script_run_ctx(query_string="", context_info=None)
    context.fragment_ids_this_run = [_BESIDE]
    context._enqueue = found.session._enqueue_forward_msg
    ThreadState.initialize(active_script_hash=context.page_script_hash)  # of this request alone
    thread = threading.current_thread()
    setattr(thread, SCRIPT_RUN_CONTEXT_ATTR_NAME, context)
    try:
        yield True
    finally:
        delattr(thread, SCRIPT_RUN_CONTEXT_ATTR_NAME)
        turn.release()


def session_of_now() -> str:
    """Return the id of the session of this run; blank outside of one."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def read_query_again(context: Any, query: str) -> None:
    """Set the parameters of the address by a query, as if the browser had sent it."""
    context.query_string = query
    with context.session_state.query_params() as parameters:
        parameters.set_initial_query_params(query)
        parameters.populate_from_query_string(query)


def run_each_within(context: Callable[[], AbstractContextManager[object]]) -> None:
    """Have each run of a page, whole or in part, within a context of ours; once for a process."""
    original = ScriptRunner._run_script
    if hasattr(original, _OURS):
        return

    def run(self: ScriptRunner, rerun_data: RerunData) -> None:
        with context():
            original(self, rerun_data)

    setattr(run, _OURS, True)
    ScriptRunner._run_script = run  # type: ignore[method-assign]


def forget_sent_states(context: Any) -> None:
    """Forget the states of widgets that the browser sent with this run and that no widget has taken yet."""
    context.session_state._state._new_widget_state.states.clear()


def states_of(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the session of this run holds under each of these keys, or its default: in one look, for each look of
    `st.session_state` takes a lock and asks whether the run is to end."""
    context = get_script_run_ctx()
    if context is None:
        return dict(defaults)
    found = dict(defaults)
    with context.session_state._lock:
        state = context.session_state._state
        for name in defaults:
            with contextlib.suppress(KeyError):
                found[name] = state[name]
    return found


def kept(key: str, default: Any = None) -> Any:
    """Return what our own code has put under a key of the session of this run, which no control has: a look of
    `st.session_state` takes ten times as long, for it looks for a control, and asks whether the run is to end."""
    context = get_script_run_ctx()
    if context is None:
        return default
    with context.session_state._lock:
        state = context.session_state._state
        return state._new_session_state.get(key, state._old_state.get(key, default))


def sent_event(key: str, name: str) -> Any:
    """Return what the browser sent with this run as this event of the component of a key, drawn or not; or None."""
    context = get_script_run_ctx()
    if context is None:
        return None
    with context.session_state._lock:
        sent = context.session_state._state._new_widget_state
        for widget in sent:
            if widget.endswith(f"-{key}{_EVENTS}"):
                events = [each for each in sent[widget] or () if isinstance(each, dict) and each.get("event") == name]
                return events[-1].get("value") if events else None
    return None


def uploads_held(uploads: MemoryUploadedFileManager) -> dict[str, dict[str, int]]:
    """Return the bytes of every uploaded file that is held, by session and file, the oldest of each session first."""
    with uploads._lock:
        return {
            session: {file_id: len(file.data) for file_id, file in files.items()}
            for session, files in uploads.file_storage.items()
        }


def format_logs(formatter: logging.Formatter) -> None:
    """Have every log of Streamlit's written by this formatter, those there are and those to come."""

    def set_up(log: logging.Logger) -> None:
        handler = logging.StreamHandler()
        handler.setFormatter(formatter)
        log.handlers = [handler]

    streamlit.logger.setup_formatter = set_up  # type: ignore[assignment]
    for log in streamlit.logger._loggers.values():
        if log.handlers:  # that of each request, with its whole link, is silent by having none
            set_up(log)


class _Singly(Mapping[str, Any]):
    """The state of a session as `SessionState.filtered_state` has it, of which one value is looked up at a time."""

    def __init__(self, states: SafeSessionState) -> None:
        self._states = states

    def __getitem__(self, key: str) -> Any:
        with self._states._lock:
            return self._states._state[key]

    def __iter__(self) -> Iterator[str]:
        with self._states._lock:
            return iter(self._states._state.filtered_state)

    def __len__(self) -> int:
        with self._states._lock:
            return len(self._states._state.filtered_state)

    def items(self) -> Any:
        with self._states._lock:
            return self._states._state.filtered_state.items()

    def __str__(self) -> str:
        return str(dict(self.items()))


def tell_themes_once() -> None:
    """Have the themes of the configuration read once for a process: each run, of whatever part of a page, tells the
    browser all six sections of them, and took as long for that as for its numbers."""
    original = app_session._populate_theme_msg
    if hasattr(original, _OURS):
        return

    @cache
    def themes(section: str) -> CustomThemeConfig:
        told = CustomThemeConfig()
        original(told, section)
        return told

    def tell(msg: CustomThemeConfig, section: str = "theme") -> None:
        msg.MergeFrom(themes(section))

    setattr(tell, _OURS, True)
    app_session._populate_theme_msg = tell


def look_states_up_singly() -> None:
    """Have no control copy the whole state of its session only to learn whether its own value is None.

    Each number, choice and text of Streamlit's does so when it is drawn, so that a run took a seventh of its time for
    it: a hundred values for each of two dozen controls.
    """
    SafeSessionState.filtered_state = property(_Singly)  # type: ignore[assignment, method-assign]


def run_callbacks_whole() -> None:
    """Have every callback come to its end, whatever is clicked meanwhile.

    Streamlit would leave one at its next look into the session as soon as another run is asked for, as by a click on
    another page: half of what it does would be done, and what the browser has sent, once, would be gone. What that run
    brings waits for it: each run has a lock of its own, and two that take what was sent at once would fail.
    """
    inner = SafeSessionState.on_script_will_rerun

    def whole(states: SafeSessionState, *given: Any, **more: Any) -> None:
        before = states._yield_callback
        object.__setattr__(states, "_yield_callback", lambda: None)
        try:
            with _turn_of(states._state):
                inner(states, *given, **more)
        finally:
            object.__setattr__(states, "_yield_callback", before)

    SafeSessionState.on_script_will_rerun = whole  # type: ignore[assignment, method-assign]


def _turn_of(state: SessionState) -> Any:
    """Return the lock that all runs of a session share, kept with what else lives as long as its state."""
    return vars(state.query_params).setdefault(_TURN, threading.RLock())
