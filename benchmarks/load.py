"""Many clients at once, and one for long: the server's answers and its memory."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from statistics import median
from typing import NamedTuple

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz import Scenario, trace
from benchmarks.client import Client, connected
from benchmarks.rows import Row, p95
from benchmarks.servers import OURS, STOCK, Server, serving

CLIENTS = 25
SECONDS = 60  # of load on our server; the stock one gets a third of it
TURNS = 2
RERUNS, WARM_UP = 1000, 200
FLAT_MIB = 10
QUERY = "view=heatmaps&embedding=stable"  # so that a change of the seed changes all eight matrices


class Control(NamedTuple):
    """A control that clients change, and how to see in an answer that it is the answer to that change."""

    change: Callable[[Client, int], WidgetState]
    shows: Callable[[Client, int], bool]
    query: str = ""


def _change_seed(client: Client, value: int) -> WidgetState:
    seed = next(control for control in client.elements("number_input") if control.label == "Seed")
    return WidgetState(id=seed.id, double_value=value)


def _shows_seed(client: Client, value: int) -> bool:
    expected = trace(Scenario(embedding="stable", seed=value))
    return all(np.allclose(client.heatmap(name), getattr(expected, name), atol=1e-5) for name in ("x", "q", "context"))


def _change_slider(client: Client, value: int) -> WidgetState:
    state = WidgetState(id=next(client.elements("slider")).id)
    state.double_array_value.data.append(value % 1000)
    return state


def _shows_slider(client: Client, value: int) -> bool:
    return next(client.elements("text")).body == f"value {value % 1000}"


SEED = Control(_change_seed, _shows_seed, QUERY)
SLIDER = Control(_change_slider, _shows_slider)


class Load(NamedTuple):
    answers: list[float]  # seconds
    wrong: int  # answers that failed, and clients that ended with other numbers than those of their last change
    session_mib: float | None


def run(seconds: float = SECONDS) -> list[Row]:
    """Measure both servers under load in turn, then ours alone for long."""
    with serving(OURS) as ours, serving(STOCK) as stock:
        turns = [
            (asyncio.run(_load(ours, SEED, seconds / TURNS)), asyncio.run(_load(stock, SLIDER, seconds / TURNS / 3)))
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


async def _load(server: Server, control: Control, seconds: float) -> Load:
    """Let each client change its control once a second, or as soon as it has its answer where that takes longer.

    A server that is too slow so gets fewer changes than it should, which makes it look better, not worse.
    """
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(connected(server.address, control.query))  # what is made once is made now
        before = server.memory_mib()
        clients = [await stack.enter_async_context(connected(server.address, control.query)) for _ in range(CLIENTS)]
        after = server.memory_mib()
        answers: list[float] = []
        wrong = await asyncio.gather(
            *(_keep_changing(client, i, control, seconds, answers) for i, client in enumerate(clients))
        )
    per_session = None if before is None or after is None else (after - before) / CLIENTS
    return Load(answers, sum(wrong), per_session)


async def _keep_changing(client: Client, place: int, control: Control, seconds: float, answers: list[float]) -> int:
    start = time.monotonic() + place / CLIENTS  # people do not click in step
    value = 1000 * place
    for second in range(round(seconds)):
        await asyncio.sleep(start + second - time.monotonic())
        if time.monotonic() > start + seconds:
            break
        value += 1
        answers.append(await client.rerun(control.change(client, value)))
    return client.lost + (not control.shows(client, value))


async def _soak(server: Server) -> list[Row]:
    """Rerun one session as fast as it answers."""
    async with connected(server.address, SEED.query) as client:
        answers, memory = [], {}
        for i in range(1, RERUNS + 1):
            answers.append(await client.rerun(SEED.change(client, i)))
            if i % 100 == 0:
                memory[i] = server.memory_mib()
    rows = [Row("one client, answer", f"{median(answers) * 1000:.0f} ms")]
    first, last = memory[WARM_UP], memory[RERUNS]
    if first is not None and last is not None:
        measure = f"memory that reruns {WARM_UP} to {RERUNS:,} of one session add to {first:.0f} MiB"
        rows.append(Row(measure, f"{last - first:.1f} MiB", f"<= {FLAT_MIB} MiB"))
    return rows
