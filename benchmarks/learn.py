"""The slider through a training, in a real Chromium: from a moment to the repainted words and weights. And whoever
uses the app while others train."""

import asyncio
from contextlib import AsyncExitStack
from statistics import median

from playwright.sync_api import Page

from attnviz.words import say
from benchmarks.board import move_through, within_a_frame
from benchmarks.browser import in_page, launched, tab
from benchmarks.clients.client import Client, connected
from benchmarks.clients.loading import CLIENTS, PICK, answers_of
from benchmarks.clients.servers import OURS, Server, serving
from benchmarks.rows import Row, p95

MOVES, ROUNDS = 40, 4
TRAININGS = {
    "agreement, 9 tokens, d 8": "learn=task.agreement",
    "repeat, two layers, 20 tokens, d 32": "learn=task.repeat&learn_head=1.0",
}
MODEL = "learn=task.repeat*steps.5000*n_layers.3*d_model.64*d_k.64&learn_step=5000"
SECONDS = 20.0
LATER_MS = 100
POLLED = 0.4  # seconds after which a page asks how far its training is


def run() -> list[Row]:
    """Drag the slider of two trainings, and have clients change what they see with and without trainings under way."""
    with serving(OURS) as ours, launched() as browser:
        rows = []
        for name, query in TRAININGS.items():
            page = tab(browser)
            page.add_init_script(in_page("board.js"))
            page.goto(f"http://{ours.address}/learn?{query}")
            page.wait_for_function("boardBench.board", timeout=60_000)
            page.wait_for_timeout(1500)
            moves = [move for i in range(ROUNDS + 1) for move in _drag(page, i % 2 == 0) if i]
            rows.append(within_a_frame(f"slider: moment to repainted words and weights, for 19 of 20, {name}", moves))
            page.context.close()
    with serving(OURS) as ours:
        rows += asyncio.run(_beside(ours))
    return rows


def _drag(page: Page, back: bool) -> list[float | None]:
    """Drag the cursor through the curves, a moment or more with each move; return what each took."""
    page.bring_to_front()
    box = page.locator(".st-key-learn-time .curves").bounding_box()
    assert box is not None
    y, left, width = box["y"] + 40, box["x"] + 60, box["width"] - 90
    places = [(left + width * i / MOVES, y) for i in range(MOVES + 1)]
    places = places[::-1] if back else places
    page.mouse.move(*places[0])
    page.mouse.down()
    page.evaluate("void (window.done = boardBench.follow('pointermove', () => boardBench.row()))")
    move_through(page, places[1:])
    moves = page.evaluate("(done(), boardBench.moves)")
    page.mouse.up()
    page.wait_for_timeout(800)
    return list(moves)


async def _beside(server: Server) -> list[Row]:
    alone = await answers_of(server, PICK, SECONDS)
    async with AsyncExitStack() as stack:
        readers = [
            await stack.enter_async_context(connected(server.address, MODEL.replace("steps", f"seed.{seed}*steps")))
            for seed in range(2)
        ]
        for reader in readers:
            await reader.open_page("learn")
        watching = [asyncio.create_task(watch(reader)) for reader in readers]
        beside = await answers_of(server, PICK, SECONDS)
        under_way = sum(not task.done() for task in watching)
        for task in watching:
            task.cancel()
    later = (p95(beside) - p95(alone)) * 1000
    told = f"(median {median(beside) * 1000:.0f} ms; alone {p95(alone) * 1000:.0f}, median {median(alone) * 1000:.0f})"
    return [
        Row(f"{CLIENTS} clients, answer at the 95th percentile, later by, while two trainings run {told}",
            f"{later:.0f} ms", f"<= {LATER_MS} ms"),
        Row("of these trainings, under way to the end", f"{under_way} of 2"),
    ]  # fmt: skip


async def watch(reader: Client) -> None:
    """Ask how far a training is, as its page does, as long as it is under way."""
    while any(button.label == say("learn.pause") for button in reader.elements("button")):
        await asyncio.sleep(POLLED)
        await reader.rerun(fragment=reader.fragment_of("button", "learn.pause"))
