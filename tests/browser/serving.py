"""Starting the app's server and a Chromium for browser tests."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parents[2]
CHROMIUM_NAMES = (ROOT / ".ci/browsers").read_text().split()
# Without hinting, letters are as wide in headless Chromium as in a window, which the stored pictures show.
CHROMIUM_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--font-render-hinting=none"]
START_SECONDS = 180  # most time to start, even on a busy machine


@contextmanager
def running_server(
    log: IO[str] | None = None, port: int | None = None, script: str = "app.py", **environment: str
) -> Iterator[str]:
    """Run the app as any Streamlit app, with its own settings, on this port or a free one; yield its address."""
    port = port or free_port()
    command = [
        sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}", "--server.address=127.0.0.1",
        "--server.headless=true",
    ]  # fmt: skip
    kept = tempfile.TemporaryDirectory()
    given = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "XDG_DATA_HOME": kept.name} | environment
    server = subprocess.Popen(command, cwd=ROOT, env=given, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_healthy(address, server)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
        kept.cleanup()


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _wait_until_healthy(address: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"the app's server ended with code {server.returncode}")
        try:
            with urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"the app's server was not healthy within {START_SECONDS} s")


def launched_chromium(playwright: Playwright) -> Browser:
    """Start the system's Chromium or, if there is none, Playwright's."""
    system = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    return playwright.chromium.launch(executable_path=system, args=CHROMIUM_ARGUMENTS)
