"""Clients that change a control once a second, and how a server answers them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple
from urllib.parse import parse_qs

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz import Scenario, trace
from benchmarks.client import Client, connected, triggered
from benchmarks.servers import Server

CLIENTS = 25
QUERY = "view=heatmaps&embedding=stable"  # so that a change of the seed changes all eight matrices
BOARD = "attnviz_board"


class Control(NamedTuple):
    """A control that clients change, and how to see in an answer that it is the answer to that change."""

    change: Callable[[Client, int], Awaitable[float]]
    shows: Callable[[Client, int], bool]
    query: str = ""


async def _change_seed(client: Client, value: int) -> float:
    seed = next(control for control in client.elements("number_input") if control.label == "Seed")
    return await client.rerun(WidgetState(id=seed.id, double_value=value))


def _shows_seed(client: Client, value: int) -> bool:
    expected = trace(Scenario(embedding="stable", seed=value))
    return all(np.allclose(client.heatmap(name), getattr(expected, name), atol=1e-5) for name in ("x", "q", "context"))


async def _change_slider(client: Client, value: int) -> float:
    state = WidgetState(id=next(client.elements("slider")).id)
    state.double_array_value.data.append(value % 1000)
    return await client.rerun(state)


def _shows_slider(client: Client, value: int) -> bool:
    return next(client.elements("text")).body == f"value {value % 1000}"


async def _on_board(client: Client, number: int, **changes: object) -> float:
    board, fragment = client.components[BOARD]
    message = {"number": number, "edits": [], "pinned": None} | changes
    sent = WidgetState(id=board, json_value="{}"), triggered(board, "changes", message)
    return await client.rerun(*sent, fragment=fragment)


async def _edit(client: Client, value: int) -> float:
    edit = {"matrix": "w_q", "row": value % 3, "column": 0, "value": value / 8}
    return await _on_board(client, value, edits=[edit])


async def _edit_and_go_on(client: Client, value: int) -> float:
    """Edit, then ask for the rest of the page, as the board does once its numbers stand: nobody waits for that."""
    took = await _edit(client, value)
    board, fragment = client.components[BOARD]
    await client.rerun(WidgetState(id=board, json_value="{}"), triggered(board, "rest", value), fragment=fragment)
    return took


def _shows_edit(client: Client, value: int) -> bool:
    return f"w_q.{value % 3}.0.{value / 8:.9g}" in client.told  # as many digits as an eighth of these has


async def _pick(client: Client, value: int) -> float:
    return await _on_board(client, value, query=value % 6)


def _shows_token(client: Client, value: int) -> bool:
    return parse_qs(client.told).get("query", ["1"]) == [str(value % 6)]  # the example's own is the second


SEED = Control(_change_seed, _shows_seed, QUERY)
SLIDER = Control(_change_slider, _shows_slider)
EDIT = Control(_edit, _shows_edit, "example=published")
EDIT_AND_REST = Control(_edit_and_go_on, _shows_edit, "example=published")
PICK = Control(_pick, _shows_token, "example=published")


class Load(NamedTuple):
    """What came of a class."""

    answers: list[float]  # seconds
    wrong: int  # answers that failed, and clients that ended with other numbers than those of their last change
    session_mib: float | None


def memory(servers: Sequence[Server]) -> float | None:
    """Return the memory of servers together, in MiB; None where the system does not tell."""
    told = [server.memory_mib() for server in servers]
    return None if None in told else sum(each for each in told if each is not None)


async def load(servers: Sequence[Server], control: Control, seconds: float, size: int = CLIENTS) -> Load:
    """Let each client change its control once a second, or as soon as it has its answer where that takes longer.

    A server that is too slow so gets fewer changes than it should, which makes it look better, not worse.
    """
    async with AsyncExitStack() as stack:
        for server in servers:
            await stack.enter_async_context(connected(server.address, control.query))  # what is made once is made now
        before = memory(servers)
        clients = [
            await stack.enter_async_context(connected(servers[i % len(servers)].address, control.query))
            for i in range(size)
        ]
        after = memory(servers)
        answers: list[float] = []
        wrong = await asyncio.gather(
            *(_keep_changing(client, i, control, seconds, answers, size) for i, client in enumerate(clients))
        )
    per_session = None if before is None or after is None else (after - before) / size
    return Load(answers, sum(wrong), per_session)


async def answers_of(server: Server, control: Control, seconds: float) -> list[float]:
    """Return the seconds that each answer of a server under load took."""
    return (await load([server], control, seconds)).answers


async def _keep_changing(
    client: Client, place: int, control: Control, seconds: float, answers: list[float], size: int
) -> int:
    start = time.monotonic() + place / size  # people do not click in step
    value = 1000 * place
    for second in range(round(seconds)):
        await asyncio.sleep(start + second - time.monotonic())
        if time.monotonic() > start + seconds:
            break
        value += 1
        answers.append(await control.change(client, value))
    return client.lost + (not control.shows(client, value))
