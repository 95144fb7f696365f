"""Clients that are no browser, at a real server: its log has no traceback."""

import math
from collections.abc import Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from attnviz.link.parameter_table import texts

SECONDS = 30


@pytest.fixture
def client(server: str) -> Iterator[ClientConnection]:
    """A session whose page has been drawn; the server's fixture reads the log in the end."""
    with connect(f"ws{server.removeprefix('http')}/_stcore/stream", max_size=None, open_timeout=SECONDS) as client:
        yield client


def run(client: ClientConnection, *states: WidgetState) -> tuple[str, set[str]]:
    """Ask for a run with these values of controls; return the session's id and the ids of all controls drawn."""
    message = BackMsg()
    message.rerun_script.query_string = "example=published"  # a bare address runs twice, for the example that it opens
    message.rerun_script.widget_states.widgets.extend(states)
    client.send(message.SerializeToString())
    session, drawn = "", set()
    while True:
        answer = ForwardMsg.FromString(client.recv(timeout=SECONDS))
        kind = answer.WhichOneof("type")
        if kind == "new_session":
            session = answer.new_session.initialize.session_id
        if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
            element = answer.delta.new_element
            assert element.WhichOneof("type") != "exception"
            drawn.add(getattr(getattr(element, element.WhichOneof("type") or ""), "id", ""))
        if kind == "script_finished":
            return session, drawn - {""}


def in_sight(controls: set[str]) -> set[str]:
    """Without the texts that no one types: each is drawn from the time on when there is one."""
    return {each for each in controls if not each.endswith(tuple(f"-{name}" for name in texts()))}


def test_forged_values_leave_no_traceback(client: ClientConnection) -> None:
    _, drawn = run(client)
    for value in ({"double_value": math.nan}, {"int_value": 2}, {"bytes_value": b"\xff"}, {"json_value": "{"}):
        _, again = run(client, *(WidgetState(id=each, **value) for each in drawn))
        assert in_sight(again) == in_sight(drawn), "the same page, with the same controls"


def read_on(client: ClientConnection) -> None:
    while True:
        client.recv(timeout=SECONDS)


@pytest.mark.parametrize("frame", ["text", b"\xff\xff\xff"])
def test_a_frame_that_is_no_message_ends_the_connection_and_leaves_no_traceback(
    client: ClientConnection, frame: str | bytes
) -> None:
    client.send(frame)
    with pytest.raises(ConnectionClosed):
        read_on(client)
