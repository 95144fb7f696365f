"""Many clients at once, and one for long: the servers' answers and their memory.

`python -m benchmarks load --clients 60 120 --copies 1 2` measures that many on that many copies of the app instead,
with `--only edits picks` some of what they do, with `--most 300` each class for so many seconds: see classes.py.
"""

import asyncio
import math
from collections.abc import Sequence
from statistics import median

from benchmarks.clients.classes import PARTS, classes
from benchmarks.clients.client import connected
from benchmarks.clients.loading import CLIENTS, SEED, SLIDER, Load, load
from benchmarks.clients.servers import OURS, READY, STOCK, Server, serving
from benchmarks.rows import Row, p95

SECONDS = 60  # of load on our server; the stock one gets a third of it
TURNS = 2
RERUNS, WARM_UP = 1000, 200
FLAT_MIB = 5


def run(
    seconds: float = SECONDS, clients: Sequence[int] = (), copies: Sequence[int] = (1,), only: Sequence[str] = PARTS,
    most: float = math.inf,
) -> list[Row]:  # fmt: skip
    """Measure both servers under load in turn, then ours alone for long; or so many clients on so many copies."""
    if clients:
        return [row for n in copies for row in classes(n, clients, seconds, only, most)]
    with serving(OURS, READY) as ours, serving(STOCK) as stock:
        turns = [
            (asyncio.run(load([ours], SEED, seconds / TURNS)), asyncio.run(load([stock], SLIDER, seconds / TURNS / 3)))
            for _ in range(TURNS)
        ]
    with serving(OURS, READY) as ours:
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


async def _soak(server: Server) -> list[Row]:
    """Rerun one session as fast as it answers."""
    async with connected(server.address, SEED.query) as client:
        answers, memory = [], {}
        for i in range(1, RERUNS + 1):
            await SEED.change(client, i)
            answers.append(await client.say())
            if i % 100 == 0:
                memory[i] = server.memory_mib()
    rows = [Row("one client, answer", f"{median(answers) * 1000:.0f} ms")]
    first, last = memory[WARM_UP], memory[RERUNS]
    if first is not None and last is not None:
        measure = f"memory that reruns {WARM_UP} to {RERUNS:,} of one session add to {first:.0f} MiB"
        rows.append(Row(measure, f"{last - first:.1f} MiB", f"<= {FLAT_MIB} MiB"))
    return rows
