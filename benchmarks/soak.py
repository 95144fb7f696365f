"""A class that stays: `python -m benchmarks soak --seconds 3600`. Nothing may be lost, and nothing may grow.

25 readers edit the board once a second. Memory is compared from the fifth minute on (of shorter runs, from a twelfth
on): by then everything has been imported and every cache has met its bound.
"""

import asyncio
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.clients.reader import Reader, keep_editing
from benchmarks.clients.servers import OURS, Server, serving
from benchmarks.rows import Row, p95

READERS = 25
SETTLED = 300  # seconds
FLAT_MIB = 20
PULSE = 5.0  # seconds between two looks at the server


class Seen(NamedTuple):
    """What a look at the server's process shows."""

    seconds: float
    mib: float
    threads: int
    files: int

    @classmethod
    def of(cls, server: Server, start: float) -> "Seen":
        """Look at a server's process; OSError where the system does not tell."""
        process = Path(f"/proc/{server.process}")
        told = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        threads, files = int(told["Threads"]), len(list((process / "fd").iterdir()))
        return cls(time.monotonic() - start, int(told["VmRSS"].split()[0]) / 1024, threads, files)


def run(seconds: float = 3600) -> list[Row]:
    """Measure a class of 25 for so long."""
    with serving(OURS) as server:
        readers, seen = asyncio.run(_soak(server, seconds))
    answers = [each for reader in readers for each in reader.answers]
    settled = [each for each in seen if each.seconds >= min(SETTLED, seconds / 12)]
    first, last = settled[0], settled[-1]
    who = f"{READERS} readers for {seconds:.0f} s"
    pace = f"median {median(answers) * 1000:.0f} ms, p95 {p95(answers) * 1000:.0f} ms"
    return [
        Row(f"{who}, edits lost, of {len(answers):,} ({pace})", str(sum(each.lost() for each in readers)), "<= 0"),
        Row(f"{who}, connections lost", str(sum(len(each.away) for each in readers)), "<= 0"),
        Row(f"{who}, memory added to {first.mib:.0f} MiB", f"{last.mib - first.mib:.1f} MiB", f"<= {FLAT_MIB} MiB"),
        Row(f"{who}, threads added to {first.threads}", str(last.threads - first.threads), "<= 2"),
        Row(f"{who}, open files added to {first.files}", str(last.files - first.files), "<= 2"),
    ]


async def _soak(server: Server, seconds: float) -> tuple[list[Reader], list[Seen]]:
    readers = [Reader(server.address) for _ in range(READERS)]
    for reader in readers:
        await reader.open()
    start, seen = time.monotonic(), []
    editing = [
        asyncio.create_task(keep_editing(reader, i, READERS, start + seconds)) for i, reader in enumerate(readers)
    ]
    while time.monotonic() < start + seconds:
        seen.append(Seen.of(server, start))
        await asyncio.sleep(PULSE)
    await asyncio.gather(*editing)
    for reader in readers:
        await reader.close()
    return readers, seen
