"""What the app uses of Streamlit's own parts, held to the version that is installed."""

import inspect
import re
import threading
import time
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData, RerunException, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, ThreadState
from streamlit.runtime.state import SessionState

from attnviz.app import streamlit_internals as internals
from attnviz.app.entry import SCRIPT

USED = {  # of what the app is handed or makes, by the classes that these are of
    ScriptRunContext: {
        "page_script_hash", "query_string", "is_history_navigation", "session_state", "pages_manager",
        "fragment_ids_this_run", "cached_message_hashes", "context_info",
    },
    RerunData: {
        "page_script_hash", "query_string", "widget_states", "cached_message_hashes", "context_info",
    },
}  # fmt: skip


@pytest.mark.parametrize("owner", USED, ids=lambda owner: owner.__name__)
def test_the_fields_that_are_read_and_filled_are_there(owner: type) -> None:
    assert {each.name for each in fields(owner)} | set(vars(owner)) >= USED[owner]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (ScriptRunContext.enqueue, ["self", "msg"]),
        (RerunException.__init__, ["self", "rerun_data"]),
        (internals.WStates.__getitem__, ["self", "k"]),
        (internals.WStates.set_widget_metadata, ["self", "widget_meta"]),
        (internals.MemoryUploadedFileManager.add_file, ["self", "session_id", "file"]),
        (internals.MemoryUploadedFileManager.remove_file, ["self", "session_id", "file_id"]),
    ],
    ids=lambda each: getattr(each, "__qualname__", ""),
)
def test_what_is_called_or_wrapped_takes_what_it_is_given(function: object, arguments: list[str]) -> None:
    assert list(inspect.signature(function).parameters) == arguments  # type: ignore[arg-type]


def test_the_scripts_that_draw_components_are_found_with_all_that_they_import() -> None:
    static = Path(get_static_dir())
    named, scripts = (static / "index.html").read_text(), internals.component_scripts()
    assert any(script.startswith("static/js/BidiComponent.") for script in scripts)
    for script in scripts:
        imported = re.findall(r'from"\./([^"]+)"', (static / script).read_text())
        assert all(f"static/js/{each}" in scripts or each in named for each in imported), script
    assert not any(script in named for script in scripts)


class _Session:
    """A session as Streamlit has it, as far as it matters who may be within it."""

    def __init__(self) -> None:
        self._session_state = SessionState()
        self._scriptrunner: object = None
        self.sent: list[object] = []
        self._enqueue_forward_msg = self.sent.append
        self.id = "a session"
        self._uploaded_file_mgr = self._user_info = self._fragment_storage = None
        self._script_data = SimpleNamespace(main_script_path="")
        self._pages_manager = SimpleNamespace(current_page_script_hash="a page")

    create_detached_script_run_ctx = app_session.AppSession.create_detached_script_run_ctx


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> _Session:
    made = _Session()
    manager = SimpleNamespace(
        get_active_session_info=lambda name: SimpleNamespace(session=made) if name == made.id else None
    )
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    return made


def test_streamlits_sessions_and_their_keeper_have_what_is_asked_of_them() -> None:
    source = inspect.getsource(app_session.AppSession)
    for name in ("self._scriptrunner: ScriptRunner | None = None", "self._session_state", "_enqueue_forward_msg(self"):
        assert name in source
    assert "self._session_mgr = " in inspect.getsource(Runtime)
    assert callable(ThreadState.initialize)


def test_outside_of_a_run_there_is_no_page() -> None:
    assert internals.get_script_run_ctx(suppress_warning=True) is None
    assert internals.page_of_now() is None


def test_every_page_is_run_by_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a folder `pages` Streamlit would run these by themselves, without the set-up, until st.navigation is
    called."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(SCRIPT))
    assert PagesManager.uses_pages_directory is False


def test_the_limits_of_a_query_are_those_that_the_page_is_told() -> None:
    assert internals.CLIENT_STATE_QUERY_STRING_MAX_LENGTH == 524_288
    assert internals.CLIENT_STATE_QUERY_STRING_MAX_FIELDS == 1000


def test_a_request_that_back_led_to_says_so_last() -> None:
    """By which connection.js knows it."""
    asked = ClientState(query_string="seed=7", page_script_hash="page", is_history_navigation=True)
    asked.context_info.color_scheme = "dark"
    assert list(BackMsg(rerun_script=asked).SerializeToString()[-2:]) == [72, 1]
    asked.is_history_navigation = False
    assert list(BackMsg(rerun_script=asked).SerializeToString()[-2:]) != [72, 1]


def test_a_session_is_connected_as_long_as_the_server_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no server runs, as in a test, every page is there."""
    assert internals.is_connected("any")
    server = SimpleNamespace(is_active_session=lambda session: session == "open")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    assert internals.is_connected("open")
    assert not internals.is_connected("closed")
    assert inspect.signature(Runtime.is_active_session).parameters.keys() == {"self", "session_id"}


def test_a_script_runs_in_a_thread_of_this_name() -> None:
    assert f'"{internals.SCRIPT_THREAD}"' in inspect.getsource(ScriptRunner)
    thread = threading.Thread(target=time.sleep, args=(0.2,), name=internals.SCRIPT_THREAD)
    thread.start()
    assert internals.is_a_page_running()
    thread.join()
