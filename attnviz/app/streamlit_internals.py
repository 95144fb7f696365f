"""The parts of Streamlit that are not its public interface, each named here and nowhere else.

tests/unit/server/test_streamlit_internals.py holds what is used of each, and fails when a new version changes it.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, RerunException, ScriptRunner, get_script_run_ctx
from streamlit.runtime.state.query_params import (
    CLIENT_STATE_QUERY_STRING_MAX_FIELDS,
    CLIENT_STATE_QUERY_STRING_MAX_LENGTH,
)
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import Serialized, Value, WStates
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFileRec

__all__ = [
    "CLIENT_STATE_QUERY_STRING_MAX_FIELDS",
    "CLIENT_STATE_QUERY_STRING_MAX_LENGTH",
    "DecodeError",
    "DeletedFile",
    "DeltaGenerator",
    "MemoryUploadedFileManager",
    "Serialized",
    "UploadedFileRec",
    "Value",
    "WStates",
    "WidgetState",
    "buttons_pressed",
    "component_scripts",
    "format_logs",
    "get_logger",
    "get_script_run_ctx",
    "is_a_page_running",
    "is_connected",
    "is_fragment_run",
    "is_of_a_reader",
    "is_page_open",
    "look_states_up_singly",
    "page_of_now",
    "run_again",
    "run_each_within",
    "tell_themes_once",
    "uploads_held",
]

_SCRIPTS = "static/js"
_IMPORTED = re.compile(r'(?:from|import) ?"\./([\w.-]+\.js)"')
# The kinds of states that say that something happened, and not how something is.
_HAPPENED = ("trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value")
_OURS = "of_attnviz"  # marks what stands in the place of Streamlit's own
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


def is_page_open() -> bool:
    """Whether the browser has sent states of controls with this run: on a first one, of a page that was open before."""
    context = get_script_run_ctx()
    return context is not None and bool(context.session_state.get_widget_states())


def buttons_pressed() -> list[WidgetState]:
    """Return the states by which the browser says with this run that buttons were pressed."""
    context = get_script_run_ctx()
    sent = [] if context is None else context.session_state.get_widget_states()
    return [each for each in sent if each.WhichOneof("value") == "trigger_value"]


def run_again(
    query: str, *, page: str | None = None, turns: bool = False, pressing: Iterable[WidgetState] | None = None
) -> None:
    """Begin this run anew as if the browser had come with this query; on another `page`, by its hash, or `pressing`
    what was pressed.

    With `turns`, controls that are bound to the address take their values from it, as after Back.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    states = None
    if page is not None or pressing is not None:
        sent = context.session_state.get_widget_states()
        states = [*(each for each in sent if each.WhichOneof("value") not in _HAPPENED), *(pressing or ())]
        # Streamlit itself keeps what no widget of a run before has sent.
        context.session_state._state._new_widget_state.states.clear()
    raise RerunException(
        RerunData(
            page_script_hash=page or context.page_script_hash,
            query_string=query,
            widget_states=None if states is None else WidgetStates(widgets=states),
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
            is_history_navigation=turns,
        )
    )


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
