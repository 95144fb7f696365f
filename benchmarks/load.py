"""Many clients at once, and one for long: the servers' answers and their memory.

`python -m benchmarks load --clients 60 120 --copies 1 2` measures that many on that many copies of the app, each client
at one change a second: heatmaps, edits on the board, tokens picked, and one link that all open at once.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from statistics import median
from typing import NamedTuple
from urllib.parse import parse_qs

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import WebSocketException

from attnviz import Scenario, trace
from benchmarks.client import Client, connected, triggered
from benchmarks.rows import Row, p95
from benchmarks.servers import OURS, STOCK, Server, serving

CLIENTS = 25
SECONDS = 60  # of load on our server; the stock one gets a third of it
TURNS = 2
RERUNS, WARM_UP = 1000, 200
FLAT_MIB = 10
QUERY = "view=heatmaps&embedding=stable"  # so that a change of the seed changes all eight matrices


OPENED_WITHIN = 60  # seconds, all clients of a class
LEFT = 150  # seconds after which the sessions of those who left are gone; Streamlit keeps them for two minutes
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


def _shows_edit(client: Client, value: int) -> bool:
    return f"w_q.{value % 3}.0.{value / 8:g}" in client.told


async def _pick(client: Client, value: int) -> float:
    return await _on_board(client, value, query=value % 6)


def _shows_token(client: Client, value: int) -> bool:
    return parse_qs(client.told).get("query", ["1"]) == [str(value % 6)]  # the example's own is the second


SEED = Control(_change_seed, _shows_seed, QUERY)
SLIDER = Control(_change_slider, _shows_slider)
EDIT = Control(_edit, _shows_edit, "example=published")
PICK = Control(_pick, _shows_token, "example=published")
CONTROLS = {"heatmaps, another seed": SEED, "board, a number edited": EDIT, "board, a token picked": PICK}


class Load(NamedTuple):
    answers: list[float]  # seconds
    wrong: int  # answers that failed, and clients that ended with other numbers than those of their last change
    session_mib: float | None


def run(seconds: float = SECONDS, clients: Sequence[int] = (), copies: Sequence[int] = (1,)) -> list[Row]:
    """Measure both servers under load in turn, then ours alone for long; or so many clients on so many copies."""
    if clients:
        return [row for n in copies for row in _classes(n, clients, seconds)]
    with serving(OURS) as ours, serving(STOCK) as stock:
        turns = [
            (
                asyncio.run(_load([ours], SEED, seconds / TURNS)),
                asyncio.run(_load([stock], SLIDER, seconds / TURNS / 3)),
            )
            for _ in range(TURNS)
        ]
    with serving(OURS) as ours:
        soak = asyncio.run(_soak(ours))
    ours_loads, stock_loads = (list(loads) for loads in zip(*turns, strict=True))
    return _load_rows(ours_loads, stock_loads) + soak


def _load_rows(ours: list[Load], stock: list[Load]) -> list[Row]:
    answers, stock_answers = ([answer for load in loads for answer in load.answers] for loads in (ours, stock))
    late, stock_late = p95(answers) * 1000, p95(stock_answers) * 1000
    wrong = sum(load.wrong for load in ours)
    rows = [
        Row(f"{CLIENTS} clients, answer at the 95th percentile / the stock app's", f"{late / stock_late:.2f}"),
        Row(
            f"{CLIENTS} clients, answer at the 95th percentile (median {median(answers) * 1000:.0f} ms; stock app "
            f"{stock_late:.0f} ms, median {median(stock_answers) * 1000:.0f} ms)",
            f"{late:.0f} ms",
            f"<= {max(100, stock_late / 2):.0f} ms",
        ),
        Row(f"{CLIENTS} clients, failed or wrong, of {len(answers):,} changes", str(wrong), "<= 0"),
    ]
    if ours[0].session_mib is not None:
        rows.append(Row("memory of one more session", f"{ours[0].session_mib:.1f} MiB"))
    return rows


def _classes(copies: int, sizes: Sequence[int], seconds: float) -> list[Row]:
    """Measure classes of these sizes on so many copies, each size on copies that nobody has used."""
    rows: list[Row] = []
    for size in sizes:
        with ExitStack() as stack:
            servers = [stack.enter_context(serving(OURS)) for _ in range(copies)]
            rows += asyncio.run(_class(servers, size, seconds))
    return rows


async def _class(servers: Sequence[Server], size: int, seconds: float) -> list[Row]:
    who = f"{size} clients on {len(servers)} {'copy' if len(servers) == 1 else 'copies'}"
    for server in servers:
        async with connected(server.address):  # what is made once is made now
            pass
    before = _memory(servers)
    opened = await _open_at_once(servers, size)
    answered = [each for each in opened if each is not None]
    rows = [
        Row(
            f"{who}, one link opened by all at once (p95 {p95(answered):.1f} s)",
            f"{max(answered):.1f} s",
            f"<= {OPENED_WITHIN} s",
        ),
        Row(f"{who}, of these opens failed", str(size - len(answered)), "<= 0"),
    ]
    for name, control in CONTROLS.items():
        load = await _load(servers, control, seconds, size)
        late = p95(load.answers) * 1000
        pace = f"median {median(load.answers) * 1000:.0f} ms, {len(load.answers) / seconds:.0f} a second"
        rows.append(Row(f"{who}, {name}: p95 ({pace})", f"{late:.0f} ms", "<= 150 ms"))
        rows.append(Row(f"{who}, {name}: failed or wrong", str(load.wrong), "<= 0"))
        if load.session_mib is not None and control is SEED:
            rows.append(Row(f"{who}, memory of one session", f"{load.session_mib:.1f} MiB"))
    await asyncio.sleep(LEFT)
    after = _memory(servers)
    if before is not None and after is not None:
        rows.append(Row(f"{who}, memory that is left of them after {LEFT} s", f"{after - before:.0f} MiB"))
    return rows


def _memory(servers: Sequence[Server]) -> float | None:
    told = [server.memory_mib() for server in servers]
    return None if None in told else sum(each for each in told if each is not None)


async def _open_at_once(servers: Sequence[Server], size: int) -> list[float | None]:
    """Return the seconds that each client waited for its first answer; None of one that had none."""

    async def open_one(place: int) -> float | None:
        start = time.perf_counter()
        try:
            async with connected(servers[place % len(servers)].address, "example=published") as client:
                return time.perf_counter() - start if client.lost == 0 else None
        except (OSError, TimeoutError, WebSocketException):
            return None

    return await asyncio.gather(*map(open_one, range(size)))


async def _load(servers: Sequence[Server], control: Control, seconds: float, size: int = CLIENTS) -> Load:
    """Let each client change its control once a second, or as soon as it has its answer where that takes longer.

    A server that is too slow so gets fewer changes than it should, which makes it look better, not worse.
    """
    async with AsyncExitStack() as stack:
        for server in servers:
            await stack.enter_async_context(connected(server.address, control.query))  # what is made once is made now
        before = _memory(servers)
        clients = [
            await stack.enter_async_context(connected(servers[i % len(servers)].address, control.query))
            for i in range(size)
        ]
        after = _memory(servers)
        answers: list[float] = []
        wrong = await asyncio.gather(
            *(_keep_changing(client, i, control, seconds, answers, size) for i, client in enumerate(clients))
        )
    per_session = None if before is None or after is None else (after - before) / size
    return Load(answers, sum(wrong), per_session)


async def answers_of(server: Server, control: Control, seconds: float) -> list[float]:
    """Return the seconds that each answer of a server under load took."""
    return (await _load([server], control, seconds)).answers


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


async def _soak(server: Server) -> list[Row]:
    """Rerun one session as fast as it answers."""
    async with connected(server.address, SEED.query) as client:
        answers, memory = [], {}
        for i in range(1, RERUNS + 1):
            answers.append(await SEED.change(client, i))
            if i % 100 == 0:
                memory[i] = server.memory_mib()
    rows = [Row("one client, answer", f"{median(answers) * 1000:.0f} ms")]
    first, last = memory[WARM_UP], memory[RERUNS]
    if first is not None and last is not None:
        measure = f"memory that reruns {WARM_UP} to {RERUNS:,} of one session add to {first:.0f} MiB"
        rows.append(Row(measure, f"{last - first:.1f} MiB", f"<= {FLAT_MIB} MiB"))
    return rows
