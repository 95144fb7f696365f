"""What deploy/ starts in containers, as processes of this machine: where no engine is there for them.

nginx has deploy/nginx/nginx.conf as it stands, but for its places and names; the copies have what deploy/compose.yaml
gives the app, and PostgreSQL in place of the file that they share. A copy that dies is started anew, as by the engine.
What they need, .ci/install_cluster installs on Debian.
"""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import yaml

from attnviz.features.classes.settings import DATABASE
from benchmarks.clients.servers import OURS, READY, Server, command_of, free_address, wait_until_healthy
from benchmarks.votes import Postgres, postgres

_ROOT = Path(__file__).parents[2]
_NGINX = _ROOT / "build/nginx/usr"
_AGAIN = 0.5  # seconds from a copy's death to its next start


class Processes:
    """The copies and their proxy, while they run, with all that they write in one folder."""

    restarted = ", and PostgreSQL was restarted as after a failure of power"

    def __init__(self, folder: Path, copies: int, database: Postgres) -> None:
        self.address = free_address()
        self.restart_database = database.restart
        self._folder, self._addresses = folder, [free_address() for _ in range(copies)]
        self._environment = os.environ | _settings() | {DATABASE: database.address, "PYTHONUNBUFFERED": "1"}
        self._ended = threading.Event()
        self._running = [self._started(each) for each in self._addresses]
        self._threads = [threading.Thread(target=self._keep, args=(each,)) for each in range(copies)]

    def _started(self, address: str) -> "subprocess.Popen[bytes]":
        with (self._folder / f"{address}.log").open("ab") as log:
            return subprocess.Popen(
                command_of(OURS, address), cwd=OURS.parent, env=self._environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def _keep(self, which: int) -> None:
        while not self._ended.is_set():
            self._running[which].wait()
            if not self._ended.wait(_AGAIN):
                self._running[which] = self._started(self._addresses[which])

    @contextlib.contextmanager
    def up(self) -> Iterator[None]:
        """Start nginx once each copy is ready, and keep these running; in the end, stop all."""
        with contextlib.ExitStack() as stopping:
            stopping.callback(self._stop)
            for each in self._threads:
                each.start()
            for address, process in zip(self._addresses, self._running, strict=True):
                wait_until_healthy(address, process, READY)
            with (self._folder / "nginx.log").open("ab") as log:
                proxy = subprocess.Popen(self._nginx(), stdout=log, stderr=subprocess.STDOUT)
            stopping.callback(proxy.wait, 20)
            stopping.callback(proxy.terminate)
            wait_until_healthy(self.address, proxy)
            yield

    def _stop(self) -> None:
        self._ended.set()
        for process in self._running:
            process.terminate()
        for each in self._threads:
            each.join(20)
        for process in self._running:  # one that began meanwhile
            process.kill()
            process.wait()

    def _nginx(self) -> list[str]:
        conf = (_ROOT / "deploy/nginx/nginx.conf").read_text()
        servers = "".join(f"server {each} max_fails=1 fail_timeout=5s;" for each in self._addresses)
        for told, here in {
            "listen 8080;": f"listen {self.address};",
            "server app:8501 resolve max_fails=1 fail_timeout=5s;": servers,
            "resolver 127.0.0.11 valid=2s ipv6=off;": "",
            "/tmp/": f"{self._folder}/",
        }.items():
            if told not in conf:
                raise ValueError(f"nginx.conf has no {told!r}, expected it once")
            conf = conf.replace(told, here)
        (self._folder / "nginx.conf").write_text(conf)
        user = "user root; " if os.geteuid() == 0 else ""
        loader = [str(_NGINX / "lib64/ld-linux-x86-64.so.2"), "--library-path", str(_NGINX / "lib/x86_64-linux-gnu")]
        return [*loader, str(_NGINX / "sbin/nginx"), "-p", str(self._folder), "-c", str(self._folder / "nginx.conf"),
                "-e", "stderr", "-g", f"{user}daemon off;"]  # fmt: skip

    def memory(self) -> str:
        told = [Server(at, each.pid).memory_mib() for at, each in zip(self._addresses, self._running, strict=True)]
        return ", ".join(f"{each or 0:.0f} MiB" for each in told)

    def die(self, which: int) -> None:
        """Let a copy die."""
        os.kill(self._running[which].pid, signal.SIGKILL)

    def logs(self) -> list[str]:
        return [line for file in self._folder.glob("*.log") for line in file.read_text().splitlines()]


def _settings() -> dict[str, str]:
    """Return what compose gives the app, as it is without settings of whoever starts it."""
    given = yaml.safe_load((_ROOT / "deploy/compose.yaml").read_text())["services"]["app"]["environment"]
    return {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value) for name, value in given.items()}


@contextlib.contextmanager
def processes(copies: int) -> Iterator[Processes]:
    """Run so many copies over PostgreSQL, behind nginx."""
    with tempfile.TemporaryDirectory() as folder, postgres() as database:
        made = Processes(Path(folder), copies, database)
        with made.up():
            yield made
