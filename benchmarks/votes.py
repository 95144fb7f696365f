"""A class of scripted people who vote twice, on two copies of the app over one database: `python -m benchmarks votes`.

In the midst one copy is killed, and PostgreSQL is restarted as by a failure of power. Each vote that was confirmed must
be counted, none twice, and what the teacher takes home must be what the people did. PostgreSQL is Debian's, started in
a folder of its own; where it isn't installed, its rows say so.
"""

import asyncio
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from statistics import median

import uvicorn
from starlette.applications import Starlette

from attnviz.features.classes.served import serves
from attnviz.features.classes.settings import DATABASE
from benchmarks.clients.asking import Answer, Asking
from benchmarks.clients.servers import OURS, free_address, serving
from benchmarks.rows import Row, p95

PEOPLE, WITHIN, BEHIND = 300, 10.0, 1.0
ABOUT = "values"
_LOOKS = 1.5, 3.0  # seconds between two looks of somebody, as participants.js has it
_TEACHER_LOOKS = 0.3  # as teacher.js has it
_LONGEST = 60.0


class Caller:
    """Asks one of several copies, and another one where that doesn't answer."""

    def __init__(self, addresses: Sequence[str], first: int) -> None:
        self._askings = [Asking(each) for each in (*addresses[first:], *addresses[:first])]

    async def ask(self, path: str, message: object = None) -> Answer:
        answer = Answer(0, b"", 0.0)
        for asking in list(self._askings):
            answer = await asking.post(path, message)
            if answer.status:
                return answer
            self._askings.append(self._askings.pop(0))
        return answer

    def close(self) -> None:
        for each in self._askings:
            each.close()


@dataclass
class Voted:
    """What came of one round: what was confirmed, when, and when the teacher saw how many."""

    choices: dict[int, str] = field(default_factory=dict)  # by person
    confirmed: list[float] = field(default_factory=list)
    seen: list[tuple[float, int]] = field(default_factory=list)
    tries: int = 0

    def behind(self) -> list[float]:
        """Return of each vote how long after it was confirmed the teacher saw as many."""
        ranks = enumerate(sorted(self.confirmed), 1)
        return [max(0.0, next(at for at, n in self.seen if n >= rank) - when) for rank, when in ranks]


class Class:
    """A class with its people, on these copies."""

    def __init__(self, addresses: Sequence[str], size: int, within: float, seed: int = 0) -> None:
        self._addresses, self._size, self._within = addresses, size, within
        self._dice = random.Random(seed)
        self._tokens = [f"{self._dice.getrandbits(128):032x}" for _ in range(size)]
        self._teacher = Caller(addresses, len(addresses) - 1)
        self.code = self._secret = ""

    async def open(self) -> None:
        answer = await self._teacher.ask("/class", {"about": ABOUT})
        told = json.loads(answer.body)
        self.code, self._secret = told["code"], told["secret"]

    async def lead(self, wants: str, **more: object) -> Answer:
        """Ask for something as the teacher does, until it's answered."""
        end = time.monotonic() + _LONGEST
        while True:
            answer = await self._teacher.ask(
                f"/class/{self.code}/teacher", {"secret": self._secret, "wants": wants, **more}
            )
            if answer.status == 200 or time.monotonic() > end:
                return answer
            await asyncio.sleep(0.2)

    async def again(self) -> None:
        """Show the counts, and ask again; behind a proxy another copy may tell the moment before."""
        for there in ((1, 1), (2, 0)):
            while True:
                now = json.loads((await self.lead("now")).body)
                if (now["round"], now["phase"]) == there:
                    break
                await self.lead("move", **{"from": [now["about"], now["round"], now["phase"]], "to": there[1]})

    async def round(self, turn: int, disturb: Callable[[], None] = lambda: None) -> Voted:
        """Let all vote within so many seconds, and disturb them in the midst."""
        made, over = Voted(), asyncio.Event()
        watching = asyncio.create_task(self._watch(made, turn, over))
        looking = [asyncio.create_task(self._look(each, over)) for each in range(self._size)]
        disturbing = asyncio.create_task(self._disturb(disturb))
        await asyncio.gather(*(self._vote(each, turn, made) for each in range(self._size)))
        await disturbing
        over.set()
        await asyncio.gather(watching, *looking)
        return made

    async def _disturb(self, disturb: Callable[[], None]) -> None:
        await asyncio.sleep(self._within * 0.4)
        await asyncio.to_thread(disturb)

    async def _vote(self, person: int, turn: int, made: Voted) -> None:
        caller, choice = (
            Caller(self._addresses, person % len(self._addresses)),
            self._dice.choice(["more", "same", "less"]),
        )
        said = {"about": ABOUT, "round": turn, "choice": choice, "token": self._tokens[person]}
        await asyncio.sleep(self._dice.uniform(0, self._within * 0.8))
        end = time.monotonic() + _LONGEST
        while time.monotonic() < end:
            made.tries += 1
            answer = await caller.ask(f"/class/{self.code}/vote", said)
            if answer.status == 200:
                made.choices[person] = json.loads(answer.body)["choice"]
                made.confirmed.append(time.monotonic())
                if self._dice.random() < 0.2:  # whose answer was lost on its way sends it again
                    again = await caller.ask(f"/class/{self.code}/vote", said | {"choice": "less"})
                    assert again.status != 200 or json.loads(again.body)["choice"] == choice
                break
            await asyncio.sleep(self._dice.uniform(0.7, 1.4))
        caller.close()

    async def _watch(self, made: Voted, turn: int, over: asyncio.Event) -> None:
        """Look as the teacher's page does, until it shows all that was confirmed."""
        end = time.monotonic() + 2 * _LONGEST
        n = 0
        while (not over.is_set() or n < len(made.confirmed)) and time.monotonic() < end:
            answer = await self._teacher.ask(f"/class/{self.code}/teacher", {"secret": self._secret, "wants": "now"})
            if answer.status == 200:
                n = sum(dict(json.loads(answer.body)["rounds"]).get(turn, {}).values())
                made.seen.append((time.monotonic(), n))
            await asyncio.sleep(_TEACHER_LOOKS)

    async def _look(self, person: int, over: asyncio.Event) -> None:
        caller = Caller(self._addresses, person % len(self._addresses))
        while not over.is_set():
            await caller.ask(f"/class/{self.code}/now")
            await asyncio.sleep(self._dice.uniform(*_LOOKS))
        caller.close()

    async def wrong(self, rounds: Sequence[Voted]) -> list[str]:
        """Return what of the files that the teacher takes home isn't as the people did it, before and after the end."""
        did = Counter((turn, choice) for turn, made in enumerate(rounds, 1) for choice in made.choices.values())
        found = []
        for when in ("open", "ended"):
            table = csv.DictReader(StringIO((await self.lead("csv")).body.decode()))
            counted = {(int(row["round"]), row["choice"]): int(row["votes"]) for row in table if row["votes"] != "0"}
            if counted != did:
                found.append(f"{when}: the CSV has {counted}, expected {did}")
            lines = [json.loads(line) for line in (await self.lead("xapi")).body.decode().splitlines()]
            said = [(int(each["object"]["id"].rpartition("/")[2]), each["result"]["response"]) for each in lines]
            if Counter(said) != did or len({each["id"] for each in lines}) != len(lines):
                found.append(f"{when}: xAPI states {Counter(said)}, expected {did}")
            if when == "open":
                names = [each["actor"]["account"]["name"] for each in lines]
                changed = [tuple(made.choices.get(each) for made in rounds) for each in range(self._size)]
                by_name = [
                    tuple(dict(each for n, each in zip(names, said, strict=True) if n == name).values())
                    for name in dict.fromkeys(names)
                ]
                if Counter(by_name) != Counter(changed):
                    found.append("xAPI has other people than there were")
            await self.lead("end")
        self._teacher.close()
        return found


@contextmanager
def copies(n: int, database: str) -> Iterator[tuple[list[str], list["subprocess.Popen[bytes]"]]]:
    """Run what of the app answers classes, alone, as so many processes; give their addresses, and these."""
    addresses, environment = [free_address() for _ in range(n)], os.environ | {DATABASE: database}
    processes = [
        subprocess.Popen([sys.executable, "-m", "benchmarks.votes", each.rpartition(":")[2]], env=environment)
        for each in addresses
    ]
    try:
        end = time.monotonic() + _LONGEST
        while {asyncio.run(_asked_once(each)) for each in addresses} != {404} and time.monotonic() < end:
            time.sleep(0.2)
        yield addresses, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


async def _asked_once(address: str) -> int:
    asking = Asking(address)
    answer = await asking.post("/class/BBBBBB/now", None)
    asking.close()
    return answer.status


class Postgres:
    """PostgreSQL in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("initdb")
        bins = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))  # Debian's, unnamed
        if not bins:
            raise FileNotFoundError("PostgreSQL isn't installed")
        self._bin = bins[-1]
        self._folder, self._port = folder / "data", free_address().rpartition(":")[2]
        self._user = "postgres" if os.geteuid() == 0 else None  # which root may not run
        if self._user:
            folder.chmod(0o755)
            shutil.chown(folder, self._user)
        self._run("initdb", "-D", str(self._folder), "-U", "attnviz", "--auth=trust", "--no-sync")
        self.start()

    @property
    def address(self) -> str:
        return f"postgresql://attnviz@127.0.0.1:{self._port}/postgres"

    def _run(self, name: str, *arguments: str) -> None:
        subprocess.run([str(self._bin / name), *arguments], check=True, user=self._user, stdout=subprocess.DEVNULL,
                       cwd=self._folder.parent)  # fmt: skip

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self._folder), "-l", str(self._folder.parent / "log"), "-w", *arguments)

    def start(self) -> None:
        self._control("-o", f"-p {self._port} -k '' -h 127.0.0.1", "start")

    def stop(self) -> None:
        """Stop it as a failure of power does."""
        self._control("-m", "immediate", "stop")

    def restart(self) -> None:
        self.stop()
        time.sleep(1)
        self.start()


@contextmanager
def postgres() -> Iterator[Postgres]:
    with tempfile.TemporaryDirectory() as folder:
        running = Postgres(Path(folder))
        try:
            yield running
        finally:
            running.stop()


async def class_of(
    addresses: Sequence[str], size: int, within: float, first: Callable[[], None], second: Callable[[], None]
) -> tuple[list[Voted], list[str]]:
    """Let a class vote twice, disturbed in each round; return what came of them, and what is wrong in the end."""
    asked = Class(addresses, size, within)
    await asked.open()
    rounds = [await asked.round(1, first)]
    await asked.again()
    rounds.append(await asked.round(2, second))
    return rounds, await asked.wrong(rounds)


def run() -> list[Row]:
    """Measure 300 people on two copies, over each kind of database."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        rows += _measured("SQLite", f"sqlite:///{folder}/classes.sqlite", lambda: None)
    try:
        with postgres() as database:
            rows += _measured("PostgreSQL", database.address, database.restart)
    except FileNotFoundError as error:
        rows.append(Row(f"PostgreSQL: {error}", "left out"))
    return rows


def _measured(kind: str, database: str, restart: Callable[[], None]) -> list[Row]:
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(OURS, **{DATABASE: database})) for _ in range(2)]
        addresses = [each.address for each in servers]
        made, wrong = asyncio.run(class_of(addresses, PEOPLE, WITHIN, lambda: None, restart))
        told = f"{kind}: files that aren't the truth"
        rows = [*_rows(f"{kind}, two copies", made[:1]), Row(told, str(len(wrong)), "<= 0")]
        what = "one copy killed" if kind == "SQLite" else "PostgreSQL restarted, then one copy killed"
        died, wrong = asyncio.run(
            class_of(addresses, PEOPLE, WITHIN, restart, lambda: os.kill(servers[0].process, signal.SIGKILL))
        )
        rows += _rows(f"{kind}, {what}", died, steady=False)
        return [*rows, Row(f"{kind}, {what}: files that aren't the truth", str(len(wrong)), "<= 0")]


def _rows(what: str, rounds: Sequence[Voted], *, steady: bool = True) -> list[Row]:
    rows = []
    for turn, made in enumerate(rounds, 1):
        behind = made.behind()
        lost = PEOPLE - len(made.choices)
        took = max(made.confirmed) - min(made.confirmed)
        told = f"p95 {p95(behind):.2f} s; {made.tries} tries; all within {took:.1f} s"
        rows += [
            Row(f"{what}, round {turn}, of {PEOPLE} people not confirmed", str(lost), "<= 0"),
            Row(f"{what}, round {turn}, teacher's picture behind at most (median {median(behind):.2f} s, {told})",
                f"{max(behind):.2f} s", f"<= {BEHIND:.0f} s" if steady else ""),
        ]  # fmt: skip
    return rows


if __name__ == "__main__":
    app = Starlette(routes=serves().routes)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
