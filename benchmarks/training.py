"""How long the trainings that a page begins with take, and a step of each."""

import time
from statistics import median

from attnviz.features.learn.training import Learner, Training, finished, settings_for
from attnviz.features.learn.training.tasks import TASKS
from benchmarks.rows import Row

ROUNDS = 3
SECONDS = {"agreement": "<= 3", "repeat": "<= 6", "order": "", "sort": ""}
TAUGHT = {"agreement": ("subject", ">= 0.9", ">= 1.0"), "repeat": ("induction", ">= 0.6", ">= 0.95")}


def run() -> list[Row]:
    """Train each task from beginning to end, with all that is kept on the way, and say what came of it."""
    rows: list[Row] = []
    for task, target in SECONDS.items():
        runs = [_timed(task) for _ in range(ROUNDS)]
        seconds, training = median(each[0] for each in runs), runs[0][1]
        steps = len(training.losses)
        rows.append(Row(f"training {task}, {steps} steps", f"{seconds:.2f} s", target))
        rows.append(Row(f"training {task}, a step (without moments)", f"{_step(task):.2f} ms"))
        size = f"{training.n_bytes / 2**20:.2f} MiB"
        rows.append(Row(f"training {task}, {len(training.moments)} moments in memory", size, "<= 5"))
        if task in TAUGHT:
            figure, share, accuracy = TAUGHT[task]
            last = training.moments[-1]
            rows.append(Row(f"training {task}, right answers", f"{last.accuracy:.3f}", accuracy))
            rows.append(Row(f"training {task}, {figure}", f"{last.figures[figure]:.3f}", share))
    return rows


def _timed(task: str) -> tuple[float, Training]:
    start = time.perf_counter()
    learner = Learner(settings_for(TASKS[task]))
    for _ in learner.steps():
        pass
    return time.perf_counter() - start, finished(learner)


def _step(task: str) -> float:
    """Return the milliseconds of a step of which nothing is kept, the median of many."""
    learner = Learner(settings_for(TASKS[task]))
    times = []
    for _ in range(200):
        start = time.perf_counter()
        if learner.advance().moment is None:
            times.append(time.perf_counter() - start)
    return median(times) * 1000
