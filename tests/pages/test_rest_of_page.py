"""What runs after an edit on a board, on a real server: the board, then what lists the edits, and no more of the page
unless more of it shows numbers."""

from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz.words import say
from benchmarks.client import Client, triggered
from benchmarks.editing import BOARD
from benchmarks.servers import Server
from tests.pages.clients import EDIT, LISTED, on


async def tell(client: Client, event: str, told: object) -> None:
    board, fragment = client.components[BOARD]
    await client.rerun(WidgetState(id=board, json_value="{}"), triggered(board, event, told), fragment=fragment)


async def edit(client: Client, number: int, *edits: dict[str, Any], **more: Any) -> None:
    await tell(client, "changes", {"number": number, "edits": edits, "pinned": None, **more})


def says(client: Client) -> list[str]:
    return [text.body for text in client.elements("text")]


def draws_all(client: Client) -> bool:
    return "Seed" in [control.label for control in client.elements("number_input")]


def behind(client: Client) -> str:
    return client.drawn[BOARD].partition(b'"behind": "')[2].partition(b'"')[0].decode()


def test_after_an_edit_the_list_of_edits_runs_alone_and_then_nothing_is_behind(server: Server) -> None:
    async def does(client: Client) -> None:
        assert draws_all(client)
        await edit(client, 1, EDIT)
        assert (behind(client), draws_all(client), LISTED in says(client)) == ("list", False, False)
        assert "edits=w_q.0.1.0.9" in client.told
        await tell(client, "rest", 1)
        assert (draws_all(client), says(client)) == (False, [LISTED])
        await edit(client, 2, EDIT | {"row": 1})
        assert (behind(client), draws_all(client)) == ("list", False)
        await tell(client, "rest", 2)
        assert (draws_all(client), len(says(client)), says(client)[0]) == (False, 2, LISTED)
        await edit(client, 3, query=3, pinned={"matrix": "w_q", "row": 0, "column": 1})
        assert (behind(client), draws_all(client)) == ("later", False), "the text of a pinned cell is new"
        await tell(client, "rest", 3)
        assert (behind(client), draws_all(client)) == ("", True)
        await edit(client, 4, query=4)
        assert (behind(client), draws_all(client)) == ("", False)
        await edit(client, 5, EDIT | {"value": None}, EDIT | {"row": 1, "value": None})
        assert behind(client) == "list"
        await tell(client, "rest", 5)
        assert (draws_all(client), says(client)) == (False, [])

    on(server, "example=published", does)


def test_what_is_taken_back_in_the_list_runs_all_of_the_page(server: Server) -> None:
    async def does(client: Client) -> None:
        await edit(client, 1, EDIT)
        await tell(client, "rest", 1)
        (undo,) = [each for each in client.elements("button") if each.label == say("editor.undo")]
        await client.rerun(WidgetState(id=undo.id, trigger_value=True), fragment=client.fragment_of("button"))
        assert draws_all(client)
        assert LISTED not in says(client)
        (text,) = [each for each in client.elements("text_input") if each.label == "edits"]  # which is in the address
        assert (text.set_value, text.value) == (True, "")

    on(server, "example=published", does)


@pytest.mark.parametrize(
    ("query", "how"),
    [("example=published&what_if=softmax:columns", "soon"), ("example=published&seed=5.5", "soon")],
    ids=["a switch of What if is on", "something is said above the page"],
)
def test_where_more_of_the_page_shows_numbers_all_of_it_runs_and_without_delay(
    server: Server, query: str, how: str
) -> None:
    async def does(client: Client) -> None:
        await edit(client, 1, EDIT)
        assert behind(client) == how
        await tell(client, "rest", 1)
        assert draws_all(client)
        assert behind(client) == ""

    on(server, query, does)


def test_a_sentence_from_the_board_runs_all_of_the_page(server: Server) -> None:
    async def does(client: Client) -> None:
        await edit(client, 1, text="a dog ran")
        assert draws_all(client)
        assert "text=a+dog+ran" in client.told

    on(server, "example=published", does)
