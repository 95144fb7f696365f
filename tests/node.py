"""Node, which Playwright brings along: it runs the page's scripts without a browser."""

import subprocess
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

NODE = str(compute_driver_executable()[0])


def run_node(file: Path, *arguments: str, given: str = "") -> str:
    """Return what a script prints, with `given` on its standard input.

    Raises ``RuntimeError`` with what it complained of, where it failed.
    """
    done = subprocess.run(
        [NODE, str(file), *arguments], input=given, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout
