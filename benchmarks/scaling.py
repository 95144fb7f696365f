"""Speed and memory of the scaling sweep: `python -m benchmarks.scaling`."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from attnviz.features.sweeps import draws
from attnviz.features.sweeps.arguments import MAX_KEYS, MAX_TRIALS
from attnviz.features.sweeps.experiment import sweep_scaling
from benchmarks.rows import Row, table

DIMS = tuple(2**power for power in range(1, 11))
TRIALS = 1000
ROUNDS = 15

# The last two hold the most: scores of as many dimensions as fit, whose room is bounded.
PEAKS: dict[str, dict[str, Any]] = {
    "libraries alone": {},
    "10,000 trials x 4096, dot products": {"dims": [4096], "statistics": "dot products"},
    "10,000 trials x 4096, all statistics": {"dims": [4096]},
    "10,000 trials x 256 keys, dimensions 1..32": {"dims": range(1, 33), "n_keys": MAX_KEYS},
    "10,000 trials x 256 keys, dimensions 4033..4096": {"dims": range(4033, 4097), "n_keys": MAX_KEYS},
}


def plain_loop() -> None:
    """Take the published script's way: two vectors per trial, np.dot, and both variances."""
    for d in DIMS:
        dots, scaled = [], []
        for _ in range(TRIALS):
            q = np.random.randn(d)  # noqa: NPY002 (as published)
            k = np.random.randn(d)  # noqa: NPY002
            dot = np.dot(q, k)
            dots.append(dot)
            scaled.append(dot / np.sqrt(d))
        np.var(dots)
        np.var(scaled)


def bare_loop() -> None:
    """Take the least a loop can do: two vectors per trial from a modern generator, np.dot, one variance."""
    rng = np.random.default_rng(0)
    for d in DIMS:
        np.var([np.dot(rng.standard_normal(d), rng.standard_normal(d)) for _ in range(TRIALS)])


def drawing() -> None:
    torch.randn(2, TRIALS, DIMS[-1], generator=torch.Generator().manual_seed(0))


def dot_products() -> None:
    sweep_scaling(DIMS, TRIALS, 0, statistics="dot products")


def dot_products_on_one_thread() -> None:
    with patch.object(draws, "THREADS", 1):
        dot_products()


def everything() -> None:
    sweep_scaling(DIMS, TRIALS, 0)


def run() -> list[Row]:
    """Measure, ratios first; each ratio is the median over rounds that time both of its sides in turn."""
    # First, while this process is small: a child starts with its parent's peak.
    peaks = {case: peak_mib(case) for case in PEAKS}
    seconds: dict[Callable[[], None], list[float]] = {
        timed: [] for timed in (plain_loop, bare_loop, drawing, dot_products, dot_products_on_one_thread, everything)
    }
    for _ in range(ROUNDS):
        for timed, rounds in seconds.items():
            # The best of three, for what is over in milliseconds is easily disturbed.
            rounds.append(min(_seconds(timed) for _ in range(1 if timed in (plain_loop, bare_loop, everything) else 3)))

    def ratio(above: Callable[[], None], below: Callable[[], None]) -> str:
        return f"{median(a / b for a, b in zip(seconds[above], seconds[below], strict=True)):.2f}"

    size = f"{len(DIMS)} dimensions {DIMS[0]}..{DIMS[-1]}, {TRIALS} trials"
    return [
        Row("plain loop / sweep of dot products", ratio(plain_loop, dot_products), ">= 12"),
        Row("sweep of dot products / drawing once", ratio(dot_products, drawing), "<= 1.4"),
        Row("plain loop / sweep, on one thread", ratio(plain_loop, dot_products_on_one_thread)),
        Row(
            "sweep of dot products / drawing once, on one thread", ratio(dot_products_on_one_thread, drawing), "<= 1.4"
        ),
        Row("plain loop / drawing once, the most one thread can gain", ratio(plain_loop, drawing)),
        Row("bare loop / sweep of dot products", ratio(bare_loop, dot_products)),
        Row("sweep of all statistics (64 keys) / of dot products", ratio(everything, dot_products)),
        *(
            Row(f"{timed.__name__.replace('_', ' ')}: {size}", f"{median(rounds) * 1000:.1f} ms")
            for timed, rounds in seconds.items()
        ),
        *(Row(f"peak memory: {case}", f"{peak:.0f} MiB", "< 1024 MiB") for case, peak in peaks.items()),
    ]


def peak_mib(case: str) -> float:
    """Return the peak resident memory of a process of its own that sweeps one of PEAKS."""
    child = [sys.executable, "-m", "benchmarks.scaling", case]
    printed = subprocess.run(child, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    return float(printed.stdout)


def _sweep_and_print_peak(case: str) -> None:
    if arguments := PEAKS[case]:
        sweep_scaling(trials=MAX_TRIALS, seed=0, **arguments)
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts in bytes, Linux in KiB
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)


def _seconds(timed: Callable[[], None]) -> float:
    start = time.perf_counter()
    timed()
    return time.perf_counter() - start


if __name__ == "__main__":
    if sys.argv[1:]:
        _sweep_and_print_peak(sys.argv[1])
    else:
        print(table(run()))
