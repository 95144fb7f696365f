"""What the app uses of Streamlit's own parts, held to the version that is installed."""

import importlib.util
import inspect
import json
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit import runtime
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, ThreadState
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata

from attnviz.app import streamlit_internals as internals
from attnviz.app.entry import SCRIPT

USED = {  # of what the app is handed or makes, by the classes that these are of
    ScriptRunContext: {
        "page_script_hash", "query_string", "is_history_navigation", "session_state", "pages_manager",
        "fragment_ids_this_run", "cached_message_hashes", "context_info",
    },
    internals.RerunData: {
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
        (internals.RerunException.__init__, ["self", "rerun_data"]),
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


def test_states_that_were_sent_are_forgotten() -> None:
    states = SafeSessionState(SessionState(), lambda: None)
    sent = internals.WidgetState(id="a", string_value="typed")
    states._state.set_widgets_from_proto(internals.WidgetStates(widgets=[sent]))
    assert [each.id for each in states.get_widget_states()] == ["a"]
    internals.forget_sent_states(SimpleNamespace(session_state=states))
    assert states.get_widget_states() == []


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


def test_a_session_at_rest_can_be_entered_as_by_a_run_in_part_of_its_page(session: _Session) -> None:
    with internals.within_session(session.id) as within:
        assert within
        assert internals.is_fragment_run()
        assert (internals.session_of_now(), internals.page_of_now()) == (session.id, "a page")
        st.session_state["kept"] = 7
        message = internals.ForwardMsg()
        message.page_info_changed.query_string = "seed=7"
        context = internals.get_script_run_ctx()
        assert context is not None
        context.enqueue(message)
    assert internals.get_script_run_ctx(suppress_warning=True) is None
    assert session._session_state["kept"] == 7
    assert session.sent == [message]
    with internals.within_session(session.id) as within:
        assert within, "who was within has left"


@pytest.mark.parametrize("why", ["nobody has it open", "a run is under way", "callbacks run", "there is no server"])
def test_a_session_that_is_not_at_rest_is_left_alone(
    session: _Session, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    entered, leaves = threading.Event(), threading.Event()

    def run_callbacks() -> None:
        with internals._turn_of(session._session_state):
            entered.set()
            leaves.wait(30)

    thread = threading.Thread(target=run_callbacks)
    if why == "a run is under way":
        session._scriptrunner = object()
    elif why == "there is no server":
        monkeypatch.setattr(runtime, "exists", lambda: False)
    elif why == "callbacks run":
        thread.start()
        assert entered.wait(30)
    with internals.within_session("another" if why == "nobody has it open" else session.id) as within:
        assert not within
        assert internals.get_script_run_ctx(suppress_warning=True) is None
    leaves.set()
    if thread.ident:
        thread.join()


def test_streamlits_sessions_and_their_keeper_have_what_is_asked_of_them() -> None:
    source = inspect.getsource(app_session.AppSession)
    for name in ("self._scriptrunner: ScriptRunner | None = None", "self._session_state", "_enqueue_forward_msg(self"):
        assert name in source
    assert "self._session_mgr = " in inspect.getsource(Runtime)
    assert callable(ThreadState.initialize)


def test_the_query_is_read_again() -> None:
    states = SafeSessionState(SessionState(), lambda: None)
    context = SimpleNamespace(session_state=states, query_string="a=1")
    internals.read_query_again(context, "b=2&c=3")
    assert context.query_string == "b=2&c=3"
    with states.query_params() as parameters:
        assert parameters._query_params == {"b": "2", "c": "3"}


def test_what_is_uploaded_is_counted_by_session() -> None:
    uploads = internals.MemoryUploadedFileManager("/upload")
    for name, size in OrderedDict(first=3, second=5).items():
        uploads.add_file("me", internals.UploadedFileRec(file_id=name, name=name, type="", data=b"a" * size))
    assert internals.uploads_held(uploads) == {"me": {"first": 3, "second": 5}}


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


def test_a_state_looked_up_singly_is_the_state() -> None:
    state = SessionState()
    ids = {"$$ID-1-n": "n", "$$ID-2-None": ""}  # the second has no key
    for widget_id in ids:
        state._set_widget_metadata(
            WidgetMetadata(widget_id, lambda sent: sent or 3, lambda value: value, "double_value")
        )
    state._set_key_widget_mapping("$$ID-1-n", "n")
    sent = [internals.WidgetState(id=widget_id, double_value=7) for widget_id in ids]
    state.set_widgets_from_proto(internals.WidgetStates(widgets=sent))
    state["typed"] = None
    states = SafeSessionState(state, lambda: None)
    internals.look_states_up_singly()
    singly, whole = states.filtered_state, state.filtered_state
    assert whole == {"n": 7, "typed": None}
    assert dict(singly) == dict(singly.items()) == whole
    assert len(singly) == len(whole)
    for key in (*whole, "nowhere"):
        assert (key in singly) == (key in whole)
        assert singly.get(key, "none") == whole.get(key, "none")


def test_a_request_that_back_led_to_says_so_last() -> None:
    """By which connection.js knows it."""
    asked = ClientState(query_string="seed=7", page_script_hash="page", is_history_navigation=True)
    asked.context_info.color_scheme = "dark"
    assert list(BackMsg(rerun_script=asked).SerializeToString()[-2:]) == [72, 1]
    asked.is_history_navigation = False
    assert list(BackMsg(rerun_script=asked).SerializeToString()[-2:]) != [72, 1]


def test_an_address_can_be_sent() -> None:
    message = internals.ForwardMsg()
    message.page_info_changed.query_string = "d_in=3"
    assert message.WhichOneof("type") == "page_info_changed"


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


def test_states_looked_up_at_once_are_those_looked_up_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    states = SafeSessionState(SessionState(), lambda: None)
    widget = WidgetMetadata("$$ID-a", lambda value: value or 1, lambda value: value, "int_value")
    states.register_widget(widget, "typed")
    states["kept"] = None
    context = SimpleNamespace(session_state=states)
    monkeypatch.setattr(internals, "get_script_run_ctx", lambda: context)
    assert internals.states_of({"typed": 2, "kept": 3, "there is none": 4}) == {
        "typed": states["typed"], "kept": None, "there is none": 4,
    }  # fmt: skip
    assert states["typed"] == 1, "a control has a value of its own"


def test_what_is_kept_is_found_in_the_run_that_put_it_there_and_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    state = SessionState()
    states = SafeSessionState(state, lambda: None)
    monkeypatch.setattr(internals, "get_script_run_ctx", lambda: SimpleNamespace(session_state=states))
    assert internals.kept("now") is None
    assert internals.kept("now", 3) == 3
    states["now"] = 1
    assert internals.kept("now") == states["now"] == 1
    state._compact_state()  # as at the end of a run
    assert internals.kept("now") == states["now"] == 1
    states["now"] = 2
    assert internals.kept("now") == states["now"] == 2
    del states["now"]
    assert internals.kept("now") is None


def test_a_callback_comes_to_its_end_though_another_run_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class AskedForError(Exception):
        pass

    def ask() -> None:
        raise AskedForError

    def typed(state: SessionState, **more: object) -> None:
        states["first"] = 1
        states["second"] = 2

    states = SafeSessionState(SessionState(), ask)
    monkeypatch.setattr(SessionState, "_call_callbacks", typed)
    states.on_script_will_rerun(internals.WidgetStates())
    assert (states._state["first"], states._state["second"]) == (1, 2)
    with pytest.raises(AskedForError):
        states["third"] = 3


def test_what_the_next_run_brings_waits_for_the_callbacks_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one session; another one's run waits for nobody."""
    state, begun, go_on, taken = SessionState(), threading.Event(), threading.Event(), []

    def call(state: SessionState, **more: object) -> None:
        if not begun.is_set():
            begun.set()
            assert go_on.wait(20)
        taken.append(threading.current_thread().name)

    def run(name: str, state: SessionState) -> threading.Thread:
        states = SafeSessionState(state, lambda: None)  # each run has its own
        thread = threading.Thread(target=states.on_script_will_rerun, args=(internals.WidgetStates(),), name=name)
        thread.start()
        return thread

    monkeypatch.setattr(SessionState, "_call_callbacks", call)
    first = run("first", state)
    assert begun.wait(20)
    second = run("second", state)
    run("of another session", SessionState()).join(20)
    second.join(0.2)
    assert taken == ["of another session"]
    go_on.set()
    first.join(20)
    second.join(20)
    assert taken == ["of another session", "first", "second"]


def test_what_the_browser_says_of_a_component_is_found_though_it_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    states = SafeSessionState(SessionState(), lambda: None)
    name = "$$ID-1-board__events"
    read = WidgetMetadata(name, lambda sent: json.loads(sent) if sent else None, str, "json_trigger_value")
    states._state._set_widget_metadata(read)
    events = [{"event": "changes", "value": value} for value in (1, 2)]
    sent = internals.WidgetState(id=name, json_trigger_value=json.dumps([5, *events]))
    states._state.set_widgets_from_proto(internals.WidgetStates(widgets=[sent]))
    monkeypatch.setattr(internals, "get_script_run_ctx", lambda: SimpleNamespace(session_state=states))
    assert internals.sent_event("board", "changes") == 2, "the last one"
    assert [internals.sent_event("board", "rest"), internals.sent_event("grid", "changes")] == [None, None]


def test_themes_that_are_read_once_are_told_as_streamlit_tells_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now = app_session._populate_theme_msg
    own = importlib.util.find_spec("streamlit.runtime.app_session")
    assert own
    assert own.loader
    fresh = importlib.util.module_from_spec(own)
    own.loader.exec_module(fresh)
    read: list[str] = []

    def counted(msg: Any, section: str) -> None:
        read.append(section)
        fresh._populate_theme_msg(msg, section)

    monkeypatch.setattr(app_session, "_populate_theme_msg", counted)
    internals.tell_themes_once()
    for section in ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light"):
        expected, told = CustomThemeConfig(), CustomThemeConfig()
        fresh._populate_theme_msg(expected, section)
        app_session._populate_theme_msg(told, section)
        assert told == expected
    assert len(read) == 4
    assert hasattr(now, internals._OURS), "the app has done so when it is imported"
    internals.tell_themes_once()
    assert len(read) == 4


def test_each_run_is_within_what_is_given_and_within_no_more() -> None:
    assert hasattr(ScriptRunner._run_script, internals._OURS), "the app has done so when it is imported"
    assert list(inspect.signature(ScriptRunner._run_script).parameters) == ["self", "rerun_data"]
    entered: list[str] = []
    original, calls = ScriptRunner._run_script, []

    def run(self: Any, rerun_data: Any) -> None:
        calls.append((self, rerun_data, tuple(entered)))

    @contextmanager
    def within() -> Iterator[None]:
        entered.append("in")
        yield
        entered.pop()

    try:
        ScriptRunner._run_script = run  # type: ignore[method-assign]
        internals.run_each_within(within)
        internals.run_each_within(within)
        ScriptRunner._run_script("a runner", "data")
    finally:
        ScriptRunner._run_script = original  # type: ignore[method-assign]
    assert calls == [("a runner", "data", ("in",))]
    assert entered == []
