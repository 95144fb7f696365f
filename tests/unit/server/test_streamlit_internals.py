"""What the app uses of Streamlit's own parts, as they are in this version.

What is replaced can go where Streamlit itself does it by then: what it does by itself is told beside what ours does.
Names and arguments of what the app calls are the type checker's to find.
"""

import re
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import streamlit as st
from streamlit import runtime
from streamlit.file_util import get_static_dir
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state import SessionState, query_params
from streamlit.runtime.state.safe_session_state import SafeSessionState

from attnviz.app import streamlit_internals as internals
from attnviz.app.components.script_file import app_letters, scripts_of_components
from attnviz.app.entry import SCRIPT
from attnviz.app.session.component import component
from attnviz.link.state import MOST_CHARACTERS, MOST_FIELDS


def test_the_scripts_that_draw_components_are_found_with_all_that_they_import() -> None:
    static = Path(get_static_dir())
    named, scripts = (static / "index.html").read_text(), scripts_of_components()
    assert any(script.startswith("static/js/BidiComponent.") for script in scripts)
    for script in scripts:
        imported = re.findall(r'from"\./([^"]+)"', (static / script).read_text())
        assert all(f"static/js/{each}" in scripts or each in named for each in imported), script
    assert not any(script in named for script in scripts)
    assert (app_letters() or b"").startswith(b"wOF2")


def test_every_page_is_run_by_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a folder `pages` Streamlit would run these by themselves, without the set-up, until st.navigation is
    called."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(SCRIPT))
    assert PagesManager.uses_pages_directory is False


def test_the_limits_of_a_query_are_those_that_the_page_is_told() -> None:
    limits = query_params.CLIENT_STATE_QUERY_STRING_MAX_LENGTH, query_params.CLIENT_STATE_QUERY_STRING_MAX_FIELDS
    assert limits == (MOST_CHARACTERS, MOST_FIELDS)


def test_a_page_is_there_as_long_as_the_server_says_so_and_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert internals.is_connected("any")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(is_active_session="open".__eq__))
    assert [internals.is_connected(each) for each in ("open", "closed")] == [True, False]


# Messages of a page that one run answers: the page's own controls aren't told by Back, which follows a press of one


def told_by(joins: Any) -> dict[str, str]:
    """What a run is told that answers a press and, as it hasn't begun yet, Back."""
    press, back = (
        WidgetStates(widgets=[WidgetState(id=name, string_value=by) for name in names])
        for by, names in (("press", ["of all pages", "of this page"]), ("back", ["of all pages"]))
    )
    requests = ScriptRequests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script_requests, "_coalesce_widget_states", joins)
        requests.request_rerun(RerunData(widget_states=press))
        requests.request_rerun(RerunData(widget_states=back, is_history_navigation=True))
    data = requests.on_scriptrunner_ready().rerun_data
    assert data.is_history_navigation
    assert data.widget_states is not None
    return {each.id: each.string_value for each in data.widget_states.widgets}


def test_what_was_pressed_is_told_though_back_follows_at_once_and_streamlit_itself_forgets_it() -> None:
    assert told_by(internals._joined) == {"of all pages": "back"}
    assert told_by(internals._with_all_told) == {"of all pages": "back", "of this page": "press"}
    assert internals._with_all_told(None, None) is None


class AskedForError(Exception):
    """Another run is asked for."""


def known_of_a_press(hears: Any) -> tuple[bool, ...]:
    """What a session knows of a press, and of what that called back, as Back follows before its run has begun."""

    def asked() -> None:
        raise AskedForError

    def called_back(state: SessionState, **more: object) -> None:
        states["first"] = "second" in states

    states = SafeSessionState(SessionState(), asked)
    with pytest.MonkeyPatch.context() as patch, suppress(AskedForError):
        patch.setattr(SessionState, "_call_callbacks", called_back)
        hears(states, WidgetStates(widgets=[WidgetState(id="w", bool_value=True)]))
    with pytest.raises(AskedForError):
        states["third"] = 3
    return "w" in states._state._new_widget_state.states, "first" in states._state


def test_a_press_is_called_back_wholly_though_another_run_is_asked_for_and_streamlit_itself_leaves_it() -> None:
    assert known_of_a_press(internals._hear) == (False, False)
    assert known_of_a_press(internals._hear_whole) == (True, True)


@pytest.mark.parametrize("isolated", [True, False])
def test_looks_beside_a_script_dress_its_component_and_never_the_page_unasked(
    isolated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.js").write_text("export default function one() {}")
    (tmp_path / "one.css").write_text("a { color: red; }")
    registers = Mock()
    monkeypatch.setattr(st.components.v2, "component", registers)
    component("one", "", tmp_path / "one.js", isolate_styles=isolated)(key="one")
    css = registers.call_args.kwargs["css"]
    assert css.endswith("a { color: red; }") if isolated else css == ""  # behind the controls' look, which all have


def test_no_message_is_one_that_a_page_is_thought_to_have() -> None:
    """It drops that one as an earlier run ends, and the message that refers to it ends the page for good."""
    message = ForwardMsg()
    message.delta.new_element.text.body = "a" * 1_000_000
    populate_hash_if_needed(message)
    assert not message.metadata.cacheable
