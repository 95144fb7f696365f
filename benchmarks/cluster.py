"""Several copies of the app behind nginx, as deploy/compose.yaml starts them: `python -m benchmarks.cluster IMAGE`.

Sixty readers edit through the proxy; one copy is killed in their midst. No edit may be lost, every page must be back
within ten seconds. A class of 300 votes twice, and a copy dies: no vote may be lost or counted twice. What else goes
through the proxy must arrive: long links, uploads, sockets. It needs docker with its compose plugin (COMPOSE names that
where it is no plugin), and removes what it started. Without an image, no containers are needed: see processes.py.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from attnviz.features.check.parameters import TABLE_NAMES, TABLES
from attnviz.link.parameter_table import texts
from benchmarks.clients.client import connected
from benchmarks.clients.processes import Processes, processes
from benchmarks.clients.reader import Reader, keep_editing
from benchmarks.clients.servers import free_address
from benchmarks.clients.websocket import HandshakeError
from benchmarks.rows import p95
from benchmarks.votes import class_of

ROOT = Path(__file__).parents[1]
COPIES, READERS = 2, 60
SECONDS, KILLED_AT = 24, 8
BACK_WITHIN = 10.0
VOTERS, VOTING = 300, 10.0  # people, and seconds
N_TABLES = 14  # of 64 by 68 numbers make a link of some 400,000 characters
HIDDEN = ("/metrics", "/ready", "/_stcore/metrics", "/_stcore/agent/interact")
SECRET = "whispered"  # a word of a link that no log may hold
NGINX = os.environ.get("NGINX_IMAGE", "nginx:1.30-alpine")
# Where no image can be pulled: Debian's newest nginx, on the base that the app's own image has.
_STAND_IN = r"""FROM {base}
USER root
RUN sed -i -E 's/ bookworm / sid /' /etc/apt/sources.list \
 && apt-get -o Acquire::Check-Valid-Until=false update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Options::=--force-overwrite \
      install -y -qq --no-install-recommends nginx-light
"""


class FailedError(RuntimeError):
    """What a cluster must do and did not."""


def run(*command: str, check: bool = True, environment: Mapping[str, str] | None = None) -> str:
    given = {**os.environ, **(environment or {})}
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise FailedError(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout.strip()


def nginx_image() -> str:
    """Return nginx's image, or make what stands in for it, and say so."""
    if run("docker", "image", "inspect", NGINX, check=False) not in ("", "[]"):
        return NGINX
    if subprocess.run(["docker", "pull", "--quiet", NGINX], capture_output=True, check=False).returncode == 0:
        return NGINX
    name, base = "attnviz-nginx-stand-in", (ROOT / "Dockerfile").read_text().split("\nFROM ")[1].split()[0]
    print(f"{NGINX} can't be pulled: Debian's nginx on {base} stands in for it", flush=True)
    subprocess.run(
        ["docker", "build", "--quiet", "--tag", name, "-"],
        input=_STAND_IN.format(base=base).encode(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return name


class Containers:
    """The copies and their proxy, while they run."""

    restarted = ""

    def restart_database(self) -> None:
        """Do nothing: it's a file."""

    def __init__(self, image: str) -> None:
        self.address = free_address()
        self._compose = (*os.environ.get("COMPOSE", "docker compose").split(), "--project-name", "attnviz-smoke")
        self._environment = {
            "ATTNVIZ_IMAGE": image,
            "ATTNVIZ_COPIES": str(COPIES),
            "NGINX_IMAGE": nginx_image(),
            "ATTNVIZ_PORT": self.address.rpartition(":")[2],
        }

    def compose(self, *arguments: str) -> str:
        return run(*self._compose, *arguments, environment=self._environment)

    def copies(self) -> list[str]:
        return self.compose("ps", "--quiet", "app").split()

    def memory(self) -> str:
        told = run("docker", "stats", "--no-stream", "--format", "{{.Name}} {{.MemUsage}}", *self.copies())
        return ", ".join(line.partition(" ")[2].partition(" /")[0] for line in told.splitlines())

    def die(self, which: int) -> None:
        """Let a copy die as a process dies, so that the engine starts it anew; by the engine where that can't be."""
        copy = self.copies()[which]
        process = int(run("docker", "inspect", "--format", "{{.State.Pid}}", copy))
        try:
            os.kill(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            run("docker", "kill", copy)

    def logs(self) -> list[str]:
        return [line.partition("| ")[2] for line in self.compose("logs", "--no-color").splitlines()]


@contextlib.contextmanager
def containers(image: str) -> Iterator[Containers]:
    cluster = Containers(image)
    try:
        cluster.compose("up", "--detach", "--no-build", "--wait", "--wait-timeout", "180")
        yield cluster
    except BaseException:
        print(cluster.compose("logs", "--tail", "40"), file=sys.stderr)
        raise
    finally:
        cluster.compose("down", "--volumes", "--timeout", "3")


Cluster = Containers | Processes


async def one_dies(cluster: Cluster) -> None:
    readers = [Reader(cluster.address, f"text={SECRET}+words+here&unknown={SECRET}") for _ in range(READERS)]
    opened = [await reader.open() for reader in readers]
    print(f"{READERS} pages opened one after the other, median {median(opened) * 1000:.0f} ms", flush=True)
    start = time.monotonic()
    editing = [asyncio.create_task(keep_editing(each, i, READERS, start + SECONDS)) for i, each in enumerate(readers)]
    await asyncio.sleep(KILLED_AT)
    print(f"memory: {await asyncio.to_thread(cluster.memory)}", flush=True)
    await asyncio.to_thread(cluster.die, 0)
    await asyncio.gather(*editing)
    away = [seconds for reader in readers for seconds in reader.away]
    gone = sum(bool(reader.away) for reader in readers)
    answers = [seconds for reader in readers for seconds in reader.answers]
    lost = sum(reader.lost() for reader in readers)
    print(
        f"{len(answers)} edits, {lost} lost; answered in {median(answers) * 1000:.0f} ms, "
        f"p95 {p95(answers) * 1000:.0f} ms; one of {COPIES} copies died: {gone} pages were away, "
        f"for {max(away, default=0):.1f} s at most",
        flush=True,
    )
    for reader in readers:
        await reader.close()
    if lost:
        raise FailedError(f"{lost} edits were lost")
    if not READERS / 4 < gone < READERS * 3 / 4:
        raise FailedError(f"{gone} of {READERS} pages were away, expected those of one of {COPIES} copies")
    if max(away) > BACK_WITHIN:
        raise FailedError(f"a page was away for {max(away):.1f} s, expected {BACK_WITHIN:.0f} at most")


async def a_class_votes(cluster: Cluster) -> None:
    rounds, wrong = await class_of([cluster.address], VOTERS, VOTING, cluster.restart_database, lambda: cluster.die(-1))
    for turn, made in enumerate(rounds, 1):
        died = ", and one copy died" if turn > 1 else cluster.restarted
        print(
            f"round {turn}: {len(made.choices)} of {VOTERS} people have voted, in {made.tries} tries{died}; "
            f"the teacher's picture was {max(made.behind()):.1f} s behind at most",
            flush=True,
        )
    if wrong or {len(made.choices) for made in rounds} != {VOTERS}:
        raise FailedError(f"votes were lost, or counted twice: {wrong}")


def long_link() -> str:
    """Return the query of a link that takes as many characters as one of large tables may."""
    dice = random.Random(0)
    table = [" ".join(f"{dice.uniform(-1, 1):.8f}" for _ in range(68)) for _ in range(64 * N_TABLES)]
    names = enumerate(TABLE_NAMES[:N_TABLES])
    form = {f"check.table.{name}": "\n".join(table[64 * i : 64 * (i + 1)]) for i, name in names}
    packed = texts()[TABLES].write(form)
    return urlencode({TABLES: packed}, safe="*")


async def all_else_arrives(cluster: Cluster) -> None:
    query = long_link()
    reader = Reader(cluster.address, query)
    await reader.open()
    if len(reader.query) < 0.9 * len(query):
        raise FailedError(f"of a link of {len(query):,} characters {len(reader.query):,} came back")
    print(f"a link of {len(query):,} characters is opened", flush=True)
    told = [await reader.upload(bytes(size)) for size in (5_000_000, 7_000_000)]
    if told != [204, 413]:
        raise FailedError(f"uploads of 5 and 7 MB were answered with {told}, expected 204 and 413")
    print("an upload of 5 MB is taken, one of 7 MB refused", flush=True)
    await reader.close()
    hidden = {path: reader.status(path) for path in HIDDEN}
    if set(hidden.values()) != {404}:
        raise FailedError(f"what is for the keeper alone is answered: {hidden}")
    try:
        async with connected(cluster.address, headers={"Origin": "https://elsewhere.example.org"}):
            raise FailedError("a page of another origin may connect")
    except HandshakeError as refused:
        if refused.status != HTTPStatus.FORBIDDEN:
            raise
    print("the keeper's addresses are hidden, a page of another origin is turned away", flush=True)


def logs_tell_nothing(cluster: Cluster) -> None:
    lines = cluster.logs()
    kinds: Counter[str] = Counter()
    for line in lines:
        if SECRET in line:
            raise FailedError(f"the log holds what was typed: {line[:200]}")
        with contextlib.suppress(ValueError):
            told = json.loads(line)
            kinds["proxy" if "kind" in told else told["level"]] += 1
    if not kinds["proxy"] or not kinds["info"]:
        raise FailedError(f"the logs tell too little: {dict(kinds)}")
    print(f"{len(lines):,} lines in the logs, {dict(kinds)}, and nothing that was typed", flush=True)


def main() -> int:
    start, failed = time.monotonic(), list[str]()
    with containers(sys.argv[1]) if len(sys.argv) > 1 else processes(COPIES) as cluster:
        told = f"nginx and {COPIES} copies: healthy after {time.monotonic() - start:.1f} s"
        print(f"{told}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        for part in (one_dies, a_class_votes, all_else_arrives):
            try:
                asyncio.run(part(cluster))
            except FailedError as error:  # the others are told, too
                failed.append(str(error))
        logs_tell_nothing(cluster)
    if failed:
        raise FailedError("; ".join(failed))
    print("cluster-smoke: passed, all that was started is removed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (FailedError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"cluster-smoke: FAILED: {error}")
