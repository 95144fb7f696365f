"""The parts of Streamlit that a page needs which comes back: a run with what it holds, and heartbeats."""

import re
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from attnviz.app.session import reconnecting
from attnviz.app.shell import connection

PRESSED = WidgetState(id="pressed", trigger_value=True)
SENT = [WidgetState(id="a", int_value=3), PRESSED]


def test_a_run_is_asked_for_with_these_states_and_as_the_page_was_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    context = ScriptRunContext.__new__(ScriptRunContext)
    asked = {
        "page_script_hash": "hash",
        "query_string": "seed=7",
        "cached_message_hashes": {"cached"},
        "context_info": None,
    }
    for name, value in asked.items():
        monkeypatch.setattr(ScriptRunContext, name, value, raising=False)
    monkeypatch.setattr(reconnecting, "get_script_run_ctx", lambda: context)
    with pytest.raises(RerunException) as raised:
        reconnecting.run_again(SENT)
    data = raised.value.rerun_data
    assert data.widget_states is not None
    assert list(data.widget_states.widgets) == SENT
    assert {name: getattr(data, name) for name in asked} == asked


def test_the_page_writes_and_reads_heartbeats_as_the_server_does() -> None:
    script = (Path(connection.__file__).parent / "presses.js").read_text()
    written = re.search(r"HEARTBEAT = new Uint8Array\(\[(.*?)\]\)", script)
    read = re.search(r'ANSWER = "(.*?)"', script)
    assert written is not None
    assert read is not None
    beat = BackMsg.FromString(bytes(int(byte, 16) for byte in written[1].split(",")))
    assert (beat.WhichOneof("type"), beat.app_heartbeat) == ("app_heartbeat", True)
    assert list(ForwardMsg(heartbeat_ack=True).SerializeToString()) == [int(byte) for byte in read[1].split(",")]
