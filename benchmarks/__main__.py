"""Speed and memory in one table: `python -m benchmarks`, or single parts: `python -m benchmarks board load`.

It is no test: what misses its target is said, and the exit status is 0 all the same.
"""

import argparse
import math
import os
import platform
import sys
import time
import traceback
from importlib import import_module
from importlib.metadata import version
from typing import Any

from benchmarks.clients.classes import PARTS as CLASS_PARTS
from benchmarks.rows import Row, table

PARTS = ("board", "model", "load", "site")
APART = ("soak", "votes")  # an hour, and the death of copies and of a database: measured where it is named
_TAKEN = {"load": ("seconds", "clients", "copies", "only", "most"), "soak": ("seconds",)}
_PACKAGES = ("torch", "streamlit", "plotly", "numpy", "pandas")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures speed and memory.")
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS + APART))
    parser.add_argument("--seconds", type=float, default=60, help="of load on our server (default: 60)")
    parser.add_argument("--clients", type=int, nargs="+", default=[], help="how many, on --copies of our server")
    parser.add_argument("--copies", type=int, nargs="+", default=[1], help="how many (default: 1)")
    parser.add_argument("--only", nargs="+", default=CLASS_PARTS, choices=CLASS_PARTS, help="of what --clients do")
    parser.add_argument("--most", type=float, default=math.inf, help="seconds of one class on its copies, at most")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - {*PARTS, *APART}:
        parser.error(f"there is no part {', '.join(sorted(unknown))}, only {', '.join(PARTS + APART)}")
    print(_machine())
    rows: list[Row] = []
    for part in arguments.parts or PARTS:
        taken = _TAKEN.get(part, ())
        rows += _measured(part, {name: getattr(arguments, name) for name in taken})
    print(table(sorted(rows, key=lambda row: not row.is_ratio())))


def _measured(part: str, settings: dict[str, Any]) -> list[Row]:
    start = time.monotonic()
    print(f"measuring {part} ... ", end="", file=sys.stderr, flush=True)
    try:
        rows: list[Row] = import_module(f"benchmarks.{part}").run(**settings)
    except Exception:
        traceback.print_exc()
        return [Row(f"{part}: could not be measured", "failed")]
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    return rows


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, "
        f"Python {platform.python_version()}, {packages}"
    )


if __name__ == "__main__":
    main()
