"""Clients that change a control once a second, and how a server answers them.

A board is edited, and another seed taken, as their page does it: torch's numbers are asked for (POST /numbers), and a
reader waits for these. Once the hand has rested, the page is told, and runs.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple
from urllib.parse import parse_qs

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz import Scenario, trace
from attnviz.app.session.first_paint import AT as PAINTED
from benchmarks.clients.asking import Asking
from benchmarks.clients.client import Client, connected
from benchmarks.clients.editing import ask, edit, rest
from benchmarks.clients.servers import Server

CLIENTS = 25
QUERY = "view=heatmaps&embedding=stable"  # so that a change of the seed changes all eight matrices
NUMBERS, RUN, REST = "torch's numbers", "the page's run", "the rest of the page, once the hand rests"
ECHO, ECHO_PAUSE = "a plain echo beside", 0.03  # of the server: what it, this machine and this process take themselves

Seconds = dict[str, float]  # by what was waited for


class Control(NamedTuple):
    """A control that clients change, and how to see in an answer that it is the answer to that change.

    `change` returns the seconds of each answer that it had; a reader waits for the one called `waited`. It is changed
    once in `every` so many seconds, on this page.
    """

    change: Callable[[Client, int], Awaitable[Seconds]]
    shows: Callable[[Client, int], bool]
    query: str = ""
    waited: str = RUN
    page: str = ""
    every: float = 1.0


async def _change_seed(client: Client, value: int) -> Seconds:
    seed = next(control for control in client.elements("number_input") if control.label == "Seed")
    client.moved = [WidgetState(id=seed.id, double_value=value)]
    return {NUMBERS: await ask(client, {"seed": str(value)}, "heatmaps")}


def _shows_seed(client: Client, value: int) -> bool:
    expected = trace(Scenario(embedding="stable", seed=value))
    return all(np.allclose(client.heatmap(name), getattr(expected, name), atol=1e-5) for name in ("x", "q", "context"))


async def _change_slider(client: Client, value: int) -> Seconds:
    state = WidgetState(id=next(client.elements("slider")).id)
    state.double_array_value.data.append(value % 1000)
    return {RUN: await client.rerun(state)}


def _shows_slider(client: Client, value: int) -> bool:
    return next(client.elements("text")).body == f"value {value % 1000}"


async def _edit(client: Client, value: int) -> Seconds:
    return {NUMBERS: await edit(client, [{"matrix": "w_q", "row": value % 3, "column": 0, "value": value / 8}])}


def _shows_edit(client: Client, value: int) -> bool:
    return f"w_q.{value % 3}.0.{value / 8:.9g}" in client.told  # as many digits as an eighth of these has


async def _pick(client: Client, value: int) -> Seconds:
    client.change({"query": str(value % 6)})
    return {}


def _shows_token(client: Client, value: int) -> bool:
    return parse_qs(client.told).get("query", ["1"]) == [str(value % 6)]  # the example's own is the second


SEED = Control(_change_seed, _shows_seed, QUERY, NUMBERS)
SLIDER = Control(_change_slider, _shows_slider)
EDIT = Control(_edit, _shows_edit, "example=published", NUMBERS)
PICK = Control(_pick, _shows_token, "example=published", REST)


class Load(NamedTuple):
    """What came of a class."""

    answers: list[float]  # seconds that readers waited
    wrong: int  # answers that failed, and clients that ended with other numbers than those of their last change
    session_mib: float | None
    others: dict[str, list[float]]  # seconds of what nobody waits for, by its name
    cpu: float | None  # seconds of the servers' processors, all of it


def memory(servers: Sequence[Server]) -> float | None:
    """Return the memory of servers together, in MiB; None where the system does not tell."""
    return _together([server.memory_mib() for server in servers])


def _together(told: Sequence[float | None]) -> float | None:
    return None if None in told else sum(each for each in told if each is not None)


async def load(servers: Sequence[Server], control: Control, seconds: float, size: int = CLIENTS) -> Load:
    """Let each client change its control once in a while, or as soon as it has its answer where that takes longer.

    A server that is too slow so gets fewer changes than it should, which makes it look better, not worse.
    """
    async with AsyncExitStack() as stack:
        for server in servers:
            await _opened(stack, server, control)  # what is made once is made now
        before = memory(servers)
        clients = [await _opened(stack, servers[i % len(servers)], control) for i in range(size)]
        after = memory(servers)
        answers: dict[str, list[float]] = defaultdict(list)
        echoing = [asyncio.create_task(_keep_echoing(server, answers[ECHO])) for server in servers]
        used = _together([server.cpu_seconds() for server in servers])
        wrong = await asyncio.gather(
            *(_keep_changing(client, i, control, seconds, answers, size) for i, client in enumerate(clients))
        )
        used_then = _together([server.cpu_seconds() for server in servers])
        for each in echoing:
            each.cancel()
        await asyncio.gather(*echoing, return_exceptions=True)
    per_session = None if before is None or after is None else (after - before) / size
    cpu = None if used is None or used_then is None else used_then - used
    return Load(answers.pop(control.waited), sum(wrong), per_session, dict(answers), cpu)


async def _keep_echoing(server: Server, answers: list[float]) -> None:
    """Ask a server for nothing again and again, and note how long that takes: where it does, nothing else is faster."""
    asking = Asking(server.address)
    try:
        while True:
            answers.append((await asking.post(f"/{PAINTED}", {"word": "of no page"})).seconds)
            await asyncio.sleep(ECHO_PAUSE)
    finally:
        asking.close()


async def _opened(stack: AsyncExitStack, server: Server, control: Control) -> Client:
    client = await stack.enter_async_context(connected(server.address, control.query))
    if control.page:
        await client.open_page(control.page)
    return client


async def answers_of(server: Server, control: Control, seconds: float) -> list[float]:
    """Return the seconds that each answer of a server under load took."""
    return (await load([server], control, seconds)).answers


async def _keep_changing(
    client: Client, place: int, control: Control, seconds: float, answers: dict[str, list[float]], size: int
) -> int:
    start = time.monotonic() + control.every * place / size  # people do not click in step
    value, due, last = 1000 * place, None, 0.0
    for turn in range(max(1, round(seconds / control.every))):
        due, last = await _wait(client, start + turn * control.every, due, last, answers)
        if time.monotonic() > start + max(seconds, control.every):
            break
        value += 1
        for name, each in (await control.change(client, value)).items():
            answers[name].append(each)
        due = None if client.heard else time.monotonic() + rest(last)
    await _wait(client, due or 0, due, last, answers)
    return client.lost + (not client.heard) + (not control.shows(client, value))


async def _wait(
    client: Client, until: float, due: float | None, last: float, answers: dict[str, list[float]]
) -> tuple[float | None, float]:
    """Wait until a moment of the monotonic clock, and say the page's query where that is due before; return when it is
    due, and how long the last answer took."""
    if due is not None and due <= until:
        await asyncio.sleep(due - time.monotonic())
        due, last = None, await client.say()
        answers[REST].append(last)
    await asyncio.sleep(until - time.monotonic())
    return due, last
