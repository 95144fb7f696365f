"""A class of so many on so many copies of the app, each client at one change a second.

They open one link all at once, edit the board, pick words, change what heatmaps show, and read with a real model; then
they edit while one of them trains a model, and while one reads with a real one. Then all leave. Each of these can be
measured alone.
"""

import asyncio
import itertools
import math
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from attnviz.words import say
from benchmarks.clients.client import Client, connected
from benchmarks.clients.loading import ECHO, EDIT, PICK, RUN, SEED, Control, Load, Seconds, load, memory
from benchmarks.clients.servers import OURS, READY, Server, serving
from benchmarks.model import PACE, type_sentence
from benchmarks.rows import Row, p95

MODEL = "learn=task.repeat*steps.5000*n_layers.3*d_model.64*d_k.64&learn_step=5000"
POLLED = 0.4  # seconds after which a page asks how far its training is
OPENED_WITHIN = 60  # seconds, all clients of a class
LATE_MS = 150
LEFT = (60, 150)  # seconds after all have left: Streamlit keeps their sessions for two minutes


async def _change_sentence(client: Client, value: int) -> Seconds:
    return {RUN: await type_sentence(client, _sentence(value))}


def _sentence(value: int) -> str:
    return f"reader {value} has a cat that sat on a mat and slept"


def _shows_sentence(client: Client, value: int) -> bool:
    return parse_qs(client.told).get("model_text") == [_sentence(value)]


SENTENCE = Control(_change_sentence, _shows_sentence, "model_text=a+cat", page="model", every=PACE)
CONTROLS = {
    "edits": ("board, a number edited", EDIT), "picks": ("board, a token picked", PICK),
    "heatmaps": ("heatmaps, another seed", SEED), "sentences": ("a real model, another sentence", SENTENCE),
}  # fmt: skip


class Companion(NamedTuple):
    """One client who does something else, which takes a core for long: `keep` doing it until it is cancelled."""

    what: str
    page: str
    query: str
    keep: Callable[[Client, list[float]], Coroutine[Any, Any, None]]  # with the seconds that each of its answers took


async def _watch(reader: Client) -> None:
    """Ask how far a training is, as its page does, as long as it is under way."""
    while any(button.label == say("learn.pause") for button in reader.elements("button")):
        await asyncio.sleep(POLLED)
        await reader.rerun(fragment=reader.fragment_of("button", "learn.pause"))


async def _train(client: Client, answers: list[float]) -> None:
    await _watch(client)
    raise RuntimeError("the training ended before the class did")


async def _read(client: Client, answers: list[float]) -> None:
    for i in itertools.count():
        answers.append(await type_sentence(client, f"sentence {i} is about a cat on a mat and a dog"))
        await asyncio.sleep(max(0.0, PACE - answers[-1]))


COMPANIONS = {
    "training": Companion("a training", "learn", MODEL, _train),
    "reader": Companion("a reader of a real model", "model", "model_text=a+cat", _read),
}
OPENING, LEAVING = "opening", "leaving"
PARTS = (OPENING, *CONTROLS, *COMPANIONS, LEAVING)  # that can be measured by themselves, in this order


def classes(
    copies: int, sizes: Sequence[int], seconds: float, parts: Sequence[str] = PARTS, most: float = math.inf
) -> list[Row]:
    """Measure classes of these sizes on so many copies, each size on copies that nobody has used, and for no more than
    `most` seconds: what has no time then is named."""
    rows: list[Row] = []
    for size in sizes:
        with ExitStack() as stack:
            servers = [stack.enter_context(serving(OURS, READY)) for _ in range(copies)]
            rows += asyncio.run(_class(servers, size, seconds, parts, most))
    return rows


async def _class(servers: Sequence[Server], size: int, seconds: float, parts: Sequence[str], most: float) -> list[Row]:
    who = f"{size} clients on {len(servers)} {'copy' if len(servers) == 1 else 'copies'}"
    for server in servers:
        async with connected(server.address):  # what is made once is made now
            pass
    before, rows = memory(servers), list[Row]()
    left = wanted = [part for part in PARTS if part in parts]
    try:
        async with asyncio.timeout(None if math.isinf(most) else most):
            for at, part in enumerate(wanted):
                left = wanted[at:]
                rows += await _part(part, servers, size, seconds, who, before)
    except TimeoutError:
        rows.append(Row(f"{who}, not measured within {most:g} s: {', '.join(left)}", "left out"))
    return rows


async def _part(
    part: str, servers: Sequence[Server], size: int, seconds: float, who: str, before: float | None
) -> list[Row]:
    if part == OPENING:
        return await _opened(servers, size, who)
    if part == LEAVING:
        return await _left_behind(servers, before, who)
    if part in COMPANIONS:
        return await _beside(servers, COMPANIONS[part], seconds, size, who)
    name, control = CONTROLS[part]
    made = await load(servers, control, seconds, size)
    rows = _rows(f"{who}, {name}", made, seconds, control)
    if made.session_mib is not None:
        rows.append(Row(f"{who}, {name}, memory of one session", f"{made.session_mib:.1f} MiB"))
    return rows


async def _opened(servers: Sequence[Server], size: int, who: str) -> list[Row]:
    opened = await _open_at_once(servers, size)
    answered = [each for each in opened if each is not None]
    measure = f"{who}, one link opened by all at once (p95 {p95(answered):.1f} s)"
    return [
        Row(measure, f"{max(answered):.1f} s", f"<= {OPENED_WITHIN} s"),
        Row(f"{who}, of these opens failed", str(size - len(answered)), "<= 0"),
    ]


def _rows(what: str, made: Load, seconds: float, control: Control) -> list[Row]:
    """Return how long readers waited, and for what; what nobody waits for; what was wrong; and what a change costs."""
    pace = f"median {median(made.answers) * 1000:.0f} ms, {len(made.answers) / seconds:.0f} a second"
    target = "" if control.page else f"<= {LATE_MS} ms"  # what a real model takes has a row of its own in model.py
    rows = [
        Row(f"{what}, {control.waited}: p95 ({pace})", f"{p95(made.answers) * 1000:.0f} ms", target),
        *(
            Row(
                f"{what}, {name}: p95 (median {median(each) * 1000:.0f} ms, of {len(each)})",
                f"{p95(each) * 1000:.0f} ms",
            )
            for name, each in made.others.items()
        ),
        Row(f"{what}: failed or wrong", str(made.wrong), "<= 0"),
    ]
    ratio = p95(made.answers) / p95(made.others[ECHO])
    rows.append(Row(f"{what}, {control.waited}: p95 / {ECHO}", f"{ratio:.1f}"))
    if made.cpu is not None:
        rows.append(Row(f"{what}: processor of a change", f"{made.cpu / len(made.answers) * 1000:.1f} ms"))
    return rows


async def _beside(servers: Sequence[Server], companion: Companion, seconds: float, size: int, who: str) -> list[Row]:
    """Let the class edit the board while one more of them does something else."""
    answers: list[float] = []
    async with connected(servers[0].address, companion.query) as client:
        await client.open_page(companion.page)
        keeping = asyncio.create_task(companion.keep(client, answers))
        made = await load(servers, EDIT, seconds, size)
        ended = keeping.done()
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
    what = f"{who}, board, a number edited, beside {companion.what}"
    rows = _rows(what, made, seconds, EDIT)
    rows.append(Row(f"{what}: that one's failed, or ended early", str(client.lost + ended), "<= 0"))
    if answers:
        told = f"median {median(answers) * 1000:.0f} ms, one in {PACE:.0f} s"
        rows.append(Row(f"{what}: that one's p95 ({told})", f"{p95(answers) * 1000:.0f} ms"))
    return rows


async def _left_behind(servers: Sequence[Server], before: float | None, who: str) -> list[Row]:
    rows, start = [], time.monotonic()
    for seconds in LEFT:
        await asyncio.sleep(start + seconds - time.monotonic())
        after = memory(servers)
        if before is not None and after is not None:
            rows.append(Row(f"{who}, memory that is left of them after {seconds} s", f"{after - before:.0f} MiB"))
    return rows


async def _open_at_once(servers: Sequence[Server], size: int) -> list[float | None]:
    """Return the seconds that each client waited for its first answer; None of one that had none."""

    async def open_one(place: int) -> float | None:
        start = time.perf_counter()
        try:
            async with connected(servers[place % len(servers)].address, "example=published") as client:
                return time.perf_counter() - start if client.lost == 0 else None
        except OSError:
            return None

    return await asyncio.gather(*map(open_one, range(size)))
