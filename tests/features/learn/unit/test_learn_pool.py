"""Long work outside of a page: in turn and fairly, a place freed at once, nothing left; and a curve of few points."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from attnviz.features.learn.page.moment import _MOST_POINTS, _thinned
from attnviz.features.learn.page.pool import DONE, FAILED, LEFT, PAUSED, RUNNING, WAITING, Job, Pool
from attnviz.features.learn.page.running import OneTraining
from attnviz.features.learn.training import train
from attnviz.features.learn.training.tasks import TASKS, settings_for
from tests.unit.helpers import until

SOON = 20.0  # seconds, on a machine that is busy with other tests


class Counting:
    """Work of so many steps, each of which waits until it may."""

    def __init__(self, steps: int, seen: list[str] | None = None, name: str = "") -> None:
        self.left, self.seen, self.name = steps, [] if seen is None else seen, name
        self.may = threading.Event()
        self.may.set()

    @property
    def done(self) -> bool:
        return self.left <= 0

    def advance(self) -> None:
        assert self.may.wait(SOON)
        self.left -= 1
        self.seen.append(self.name)
        time.sleep(0.001)


@contextmanager
def held(pool: Pool, steps: int = 1) -> Iterator[Job]:
    """A job that has the only worker until the block ends."""
    job = Job(Counting(steps))
    job.work.may.clear()  # type: ignore[attr-defined]
    pool.go_on(job)
    until(lambda: job.state == RUNNING)
    try:
        yield job
    finally:
        job.work.may.set()  # type: ignore[attr-defined]


def trainers() -> int:
    return sum(thread.name == "attnviz-trains" for thread in threading.enumerate())


def test_who_comes_first_is_served_first_and_is_told_how_many_are_before() -> None:
    pool, seen = Pool(1), list[str]()
    jobs = [Job(Counting(2, seen, name)) for name in "abc"]
    with held(pool):
        for job in jobs:
            pool.go_on(job)
        assert [job.state for job in jobs] == [WAITING] * 3
        assert [pool.before(job) for job in jobs] == [1, 2, 3]
        assert pool.length == 4
    until(lambda: all(job.state == DONE for job in jobs))
    assert "".join(seen) == "aabbcc"
    assert pool.length == 0


def test_no_one_waits_for_longer_than_others_turns() -> None:
    """Long work gives way after its slice: a short one that came later is done long before it."""
    pool = Pool(1, seconds=0.02)
    long, short = Job(Counting(5000)), Job(Counting(3))
    pool.go_on(long)
    until(lambda: long.state == RUNNING)
    pool.go_on(short)
    until(lambda: short.state == DONE)
    assert 0 < long.work.left < 5000  # type: ignore[attr-defined]
    pool.pause(long)
    assert pool.settled(long, SOON)


def test_there_are_never_more_workers_than_may_be() -> None:
    pool, jobs = Pool(2), [Job(Counting(30)) for _ in range(6)]
    before = trainers()
    for job in jobs:
        pool.go_on(job)
    most = 0
    while any(job.active for job in jobs):
        most = max(most, sum(job.state == RUNNING for job in jobs))
        assert trainers() - before <= 2
        time.sleep(0.001)
    assert most == 2
    until(lambda: trainers() == before)  # a worker without work ends


@pytest.mark.parametrize("how", ["paused", "left"])
def test_who_pauses_or_leaves_frees_the_place_at_once(how: str) -> None:
    pool, there = Pool(1), {"first": True}
    first, second = Job(Counting(10_000), lambda: there["first"]), Job(Counting(3))
    pool.go_on(first)
    until(lambda: first.state == RUNNING)
    pool.go_on(second)
    assert pool.before(second) == 1
    if how == "paused":
        pool.pause(first)
        assert pool.before(second) == 0  # though the step that is under way still has to end
    else:
        there["first"] = False  # a tab that was closed
    until(lambda: second.state == DONE)
    assert first.state == (PAUSED if how == "paused" else LEFT)
    left = first.work.left  # type: ignore[attr-defined]
    time.sleep(0.05)
    assert first.work.left == left > 0  # type: ignore[attr-defined]


def test_what_breaks_is_told_and_the_worker_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pool, broken, fine = Pool(1), Job(Counting(3)), Job(Counting(1))
    monkeypatch.setattr(broken.work, "advance", lambda: 1 / 0)
    pool.go_on(broken)
    pool.go_on(fine)
    until(lambda: fine.state == DONE)
    assert broken.state == FAILED
    assert isinstance(broken.error, ZeroDivisionError)
    assert "broke off" in caplog.text
    monkeypatch.undo()
    pool.go_on(broken)
    assert pool.settled(broken, SOON)
    assert vars(broken) | {"state": DONE, "error": None} == vars(broken)
    until(lambda: pool.length == 0)


def test_a_training_of_the_pool_is_the_library_s_to_the_last_bit_with_pauses_and_another_rate() -> None:
    pool, work = Pool(1), OneTraining(settings_for(TASKS["agreement"], steps=12))
    job = Job(work)
    pool.go_on(job, 5)
    assert pool.settled(job, SOON)
    work.change_rate(0.5)
    assert work.rate == 0.5
    pool.go_on(job)
    assert pool.settled(job, SOON)
    made = work.training()
    again = train("agreement", steps=12, rates=((5, 0.5),))
    assert made.settings == again.settings
    assert made.losses == again.losses
    for ours, theirs in zip(made.moments, again.moments, strict=True):
        assert all(matrix.equal(theirs.parameters[name]) for name, matrix in ours.parameters.items())


@pytest.mark.parametrize("n", [0, 1, 2, 20, 300, 5000])
def test_a_curve_of_few_points_has_all_losses_in_it(n: int) -> None:
    losses = np.random.default_rng(n).random(n).tolist()
    points = _thinned(losses)
    steps = [step for step, _ in points]
    assert steps[:1] == [0][:n]  # without a loss there is none
    assert steps == sorted(set(steps))
    assert len(points) <= _MOST_POINTS
    for (low, mean), high in zip(points, [*steps[1:], n], strict=n > 0):
        assert mean == pytest.approx(sum(losses[low:high]) / (high - low))
