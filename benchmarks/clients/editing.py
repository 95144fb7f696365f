"""An edit on the board, as its page does it: torch's numbers are asked for (POST /numbers), and a run follows."""

from collections.abc import Mapping, Sequence

from attnviz.app.components.board import AT
from attnviz.app.session.address import PUT_OFF
from attnviz.link.state import read_query
from benchmarks.clients.client import Client

_ANSWERED = (200, 204)  # with the latter, the page's run is to tell the numbers


async def edit(client: Client, edits: Sequence[Mapping[str, object]]) -> float:
    """Make these edits; return after how many seconds torch's numbers were there."""
    parts = {_cell(part): part for part in read_query(client.query).get("edits", "").split("*") if part}
    for each in edits:
        part = f"{each['matrix']}.{each['row']}.{each['column']}.{each['value']}"
        parts[_cell(part)] = part
    return await ask(client, {"edits": "*".join(parts.values())}, "playground")


async def ask(client: Client, patch: Mapping[str, str | None], page: str) -> float:
    """Change the page's query; return after how many seconds torch's numbers of it were there."""
    client.change(patch)
    answer = await client.asking.post(f"/{AT}", {"query": client.query, "page": page})
    client.lost += answer.status not in _ANSWERED
    return answer.seconds


def _cell(part: str) -> str:
    return ".".join(part.split(".")[:3])


def rest(took: float) -> float:
    """Return for how many seconds the hand rests before the page is told, where the last answer took so many."""
    return max(PUT_OFF["REST_MS"], min(PUT_OFF["TIMES"] * 1000 * took, PUT_OFF["MOST_MS"])) / 1000
