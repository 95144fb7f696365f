"""An edit on the board, as its page does it: sent first (POST /numbers), and told a run where that took nothing."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz.app.components.at_once import AT
from benchmarks.asking import is_answer_to, said
from benchmarks.client import Client, triggered

BOARD = "attnviz_board"
_TOLD, _NOT_NOW = 200, 204  # with the latter, the page's run is to tell the numbers


class Edited(NamedTuple):
    """After how many seconds torch's numbers were there, and those of the page's run, where there was one."""

    numbers: float
    run: float | None


async def edit(client: Client, number: int, edits: Sequence[Mapping[str, object]]) -> Edited:
    """Make these edits, as the message of this number; what the address then says is in `told`."""
    board = said(client.drawn[BOARD])
    asked = {"word": board.get("word"), "key": board.get("key"), "of": board.get("numbersOf"), "edits": edits}
    answer = await client.asking.post(f"/{AT}", asked | {"number": number, "pinned": None})
    client.lost += answer.status not in (_TOLD, _NOT_NOW)
    if is_answer_to(answer.body, number):
        client.drawn[BOARD] = answer.body
        client.told = json.loads(answer.body)["address"]
        return Edited(answer.seconds, None)
    run = await tell(client, number, edits=edits)
    return Edited(answer.seconds + (run if answer.status != _TOLD else 0), run)


async def tell(client: Client, number: int, **changes: object) -> float:
    """Tell a run of the page what was done on the board; return the seconds that it took."""
    return await on_board(client, "changes", {"number": number, "edits": [], "pinned": None} | changes)


async def on_board(client: Client, event: str, told: object) -> float:
    """Have the board say that something happened; return the seconds until its run has ended."""
    board, fragment = client.components[BOARD]
    return await client.rerun(WidgetState(id=board, json_value="{}"), triggered(board, event, told), fragment=fragment)
