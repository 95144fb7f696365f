"""An edit on a board that the session takes without a run of the page, on a real server: nothing of it is lost."""

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs

from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz.app.components.at_once import AT
from benchmarks.asking import said
from benchmarks.client import Client, triggered
from benchmarks.editing import BOARD
from benchmarks.servers import Server
from tests.pages.clients import EDIT, LISTED, on

OPENED = "example=published"


async def post(client: Client, number: int, *edits: dict[str, Any], **more: Any) -> dict[str, Any] | None:
    """Send what was done on the board, as the page does first; return what the board is sent."""
    board = said(client.drawn[BOARD])
    asked = {"word": board["word"], "key": board["key"], "of": board["numbersOf"], "number": number, "edits": edits}
    answer = await client.asking.post(f"/{AT}", asked | {"pinned": None} | more)
    assert answer.status in (200, 204)
    if answer.status == 204:
        return None
    sent: dict[str, Any] = json.loads(answer.body)
    if sent["answered"] == number:
        client.drawn[BOARD] = answer.body
    return sent


async def tell(client: Client, event: str, told: object) -> dict[str, Any]:
    """Tell a run, as the page does where nobody has answered; return what the board is drawn with."""
    board, fragment = client.components[BOARD]
    await client.rerun(WidgetState(id=board, json_value="{}"), triggered(board, event, told), fragment=fragment)
    drawn: dict[str, Any] = json.loads(client.drawn[BOARD])
    return drawn


async def heard(client: Client, wanted: str) -> None:
    """Wait until Streamlit's page has been told of the address."""
    for _ in range(100):
        if client.told == wanted:
            return
        await asyncio.sleep(0.05)
    assert client.told == wanted


def texts(client: Client) -> list[str]:
    return [text.body for text in client.elements("text")]


def test_it_is_in_the_address_and_in_the_list_and_a_new_session_opens_as_it_was(server: Server) -> None:
    told: list[str] = []

    async def does(client: Client) -> None:
        first = await post(client, 1, EDIT)
        assert first is not None
        assert (first["answered"], first["address"], first["behind"]) == (1, "edits=w_q.0.1.0.9", "list")
        assert first["learnt"]["answered"] == {first["key"]: 1}
        await heard(client, first["address"])
        second = await post(client, 2, EDIT | {"row": 2, "value": -1}, query=3, pinned={**EDIT, "value": None})
        assert second is not None
        assert (second["answered"], second["query"], second["picked"]["row"]) == (2, 3, 0)
        assert second["before"].keys() == {"w_q,0,1", "w_q,2,1"}
        assert parse_qs(second["address"])["query"] == ["3"]
        await heard(client, second["address"])
        client.query = client.told
        drawn = await tell(client, "rest", 2)
        assert LISTED in texts(client)
        assert drawn["numbersOf"] == second["numbersOf"]
        assert (drawn["behind"], drawn["asks"]) == ("", second["asks"])
        told.append(client.told)

    on(server, OPENED, does)

    async def opens(client: Client) -> None:
        assert json.loads(client.drawn[BOARD])["before"].keys() == {"w_q,0,1", "w_q,2,1"}

    on(server, told[0], opens)


def test_a_message_that_comes_once_more_since_its_answer_was_lost_changes_nothing(server: Server) -> None:
    async def does(client: Client) -> None:
        first = await post(client, 1, EDIT)
        again = await tell(client, "changes", {"number": 1, "edits": [EDIT | {"value": 7}], "pinned": None})
        assert first is not None
        assert (again["answered"], again["numbersOf"]) == (1, first["numbersOf"])
        after = await tell(client, "changes", {"number": 2, "edits": [EDIT | {"value": 7}], "pinned": None})
        assert (after["answered"], after["numbersOf"] != first["numbersOf"]) == (2, True)
        assert client.told == "edits=w_q.0.1.7.0"

    on(server, OPENED, does)


def test_one_that_a_run_has_taken_is_not_taken_again(server: Server) -> None:
    async def does(client: Client) -> None:
        await tell(client, "changes", {"number": 5, "edits": [EDIT], "pinned": None})
        await asyncio.sleep(0.1)
        again = await post(client, 5, EDIT | {"value": 7})
        assert again is not None
        assert "address" not in again
        drawn = await tell(client, "rest", 5)
        assert drawn["before"].keys() == {"w_q,0,1"}
        assert client.told == "edits=w_q.0.1.0.9"

    on(server, OPENED, does)


def test_what_another_control_does_next_starts_from_it(server: Server) -> None:
    async def does(client: Client) -> None:
        (causal,) = [each for each in client.elements("checkbox") if each.id.endswith("-causal")]
        before = await post(client, 1, EDIT)
        assert before is not None
        await client.rerun(WidgetState(id=causal.id, bool_value=True))
        drawn = json.loads(client.drawn[BOARD])
        assert drawn["before"].keys() == {"w_q,0,1"}
        assert drawn["matrices"]["w_q"] == before["matrices"]["w_q"]
        assert drawn["matrices"]["attention_weights"] != before["matrices"]["attention_weights"]
        assert LISTED in texts(client)

    on(server, OPENED, does)


def test_back_takes_it_back(server: Server) -> None:
    async def does(client: Client) -> None:
        await post(client, 1, EDIT)
        await post(client, 2, EDIT | {"value": 7})
        client.query = "edits=w_q.0.1.0.9"
        await client.go_back()
        drawn = json.loads(client.drawn[BOARD])
        assert (LISTED in texts(client), list(drawn["before"])) == (True, ["w_q,0,1"])
        third = await post(client, 3, EDIT | {"row": 1})
        assert third is None or third["before"].keys() == {"w_q,0,1", "w_q,1,1"}

    on(server, OPENED, does)


def test_on_the_lesson_all_of_the_page_follows(server: Server) -> None:
    async def does(client: Client) -> None:
        await client.open_page("lesson")
        client.query = "step=one-score"
        await asyncio.sleep(0.1)
        sent = await post(client, 1, EDIT)
        assert sent is not None
        assert (sent["key"], sent["answered"], sent["behind"]) == ("lesson.board", 1, "later")

    on(server, OPENED, does)
