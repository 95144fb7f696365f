"""Streamlit servers for the measurements: ours, and the stock app next to it."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).parents[2]
OURS = _ROOT / "app.py"
STOCK = _ROOT / "benchmarks" / "stock_app" / "app.py"
HEALTHY, READY = "/_stcore/health", "/ready"  # at the latter, proxies see when to send readers: ours alone has it
_START_SECONDS = 180


class Server(NamedTuple):
    address: str  # host and port
    process: int

    def memory_mib(self) -> float | None:
        """Return the server's resident memory; None where the system does not tell."""
        try:
            lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        except OSError:
            return None
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))

    def cpu_seconds(self) -> float | None:
        """Return the seconds of a processor that the server has used; None where the system does not tell."""
        try:
            told = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(app: Path, answers: str = HEALTHY, **environment: str) -> Iterator[Server]:
    """Run an app's server on the loopback address once it `answers` there; its configuration is that of the app's own
    folder."""
    address = free_address()
    process = subprocess.Popen(
        command_of(app, address), cwd=app.parent, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        env=os.environ | environment,
    )  # fmt: skip
    try:
        wait_until_healthy(address, process, answers)
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)


def command_of(app: Path, address: str) -> list[str]:
    """Return what runs an app at an address, in its own folder."""
    host, port = address.split(":")
    # A server without a person in front of it: none of this changes how fast it answers.
    unattended = ["--server.headless=true", "--browser.gatherUsageStats=false", "--server.showEmailPrompt=false"]
    return [sys.executable, "-m", "streamlit", "run", app.name, f"--server.address={host}", f"--server.port={port}",
            *unattended]  # fmt: skip


def free_address() -> str:
    """Return host and port of the loopback address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def wait_until_healthy(address: str, process: "subprocess.Popen[bytes]", answers: str = HEALTHY) -> None:
    """Wait until the server of this process answers; RuntimeError where it ends before, or takes too long."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://{address}{answers}", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the server at {address} did not start within {_START_SECONDS} s")
