"""A pool of background workers that takes jobs in turn, in slices."""

import sys
import time
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from typing import Protocol

from attnviz.app.operations.logs import get_log

_LOG = get_log(__name__)

SLICE = 1.0  # seconds that a job has before the next in line has its turn
LOOKS = 0.1  # seconds between a worker's checks whether the job's owner is still there
MOST_IN_LINE = 200
GIVES_WAY = 0.05  # seconds that a step waits, at most, while pages are busy
LOOK_AGAIN = 0.001

WAITING, RUNNING, PAUSED, DONE, FAILED, LEFT = "waiting", "running", "paused", "done", "failed", "left"


class Work(Protocol):
    """Work that is done step by step."""

    @property
    def done(self) -> bool:
        """Whether there is no further step."""

    def advance(self) -> object:
        """Do one step."""


class FullError(Exception):
    """The line is so long that new jobs would hardly run."""


class Job:
    """A piece of work, its `state` and, if it failed, its `error`.

    `is_there` says whether its owner is still there; if not, it doesn't run on.
    """

    def __init__(self, work: Work, is_there: Callable[[], bool] = lambda: True) -> None:
        self.work, self.is_there = work, is_there
        self.state = PAUSED
        self.error: BaseException | None = None
        self.steps: int | None = None  # steps left before it is paused; None for no limit

    @property
    def active(self) -> bool:
        """Whether the job is in line, or running."""
        return self.state in (WAITING, RUNNING)


class Pool:
    """A limited number of workers that take jobs from a fair queue.

    A worker is a thread that ends when there is no more work. While pages are `busy`, it waits a little before each
    step, so that readers who change something get their answer first.
    """

    def __init__(self, workers: int, seconds: float = SLICE, busy: Callable[[], bool] = lambda: False) -> None:
        self._most, self._seconds, self._busy = workers, seconds, busy
        self._changed = Condition()
        self._line: deque[Job] = deque()
        self._running: list[Job] = []
        self._workers = 0

    def go_on(self, job: Job, steps: int | None = None) -> None:
        """Queue a job, to do all or `steps` of its steps.

        Raises ``FullError`` if the line is too long.
        """
        with self._changed:
            if job.active or job.work.done:
                return
            if job in self._running:  # its worker is still at the step during which it was paused
                job.steps, job.state = steps, RUNNING
                return
            if len(self._line) >= MOST_IN_LINE:
                raise FullError
            job.steps, job.state, job.error = steps, WAITING, None
            self._line.append(job)
            if self._workers < self._most:
                self._workers += 1
                Thread(target=self._serve, name="attnviz-trains", daemon=True).start()

    def pause(self, job: Job, state: str = PAUSED) -> None:
        """Pause a job or take it from the queue; keep its results."""
        with self._changed:
            if not job.active:
                return
            if job in self._line:
                self._line.remove(job)
            job.state = state
            self._changed.notify_all()

    def before(self, job: Job) -> int:
        """Return how many jobs come before this one; 0 if it runs."""
        with self._changed:
            if job not in self._line:
                return 0
            earlier = list(self._line)[: self._line.index(job)]
            return sum(each.is_there() for each in earlier) + sum(each.state == RUNNING for each in self._running)

    def settled(self, job: Job, seconds: float) -> bool:
        """Wait until nobody works on a job; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not job.active and job not in self._running, seconds)

    @property
    def length(self) -> int:
        """The number of jobs in line and running."""
        with self._changed:
            return len(self._line) + len(self._running)

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._turn(job)
            except Exception:  # whatever happened, the worker goes on with the next job
                job.state, job.error = FAILED, sys.exc_info()[1]
                _LOG.exception("work in the pool broke off")
            self._end(job)

    def _next(self) -> Job | None:
        with self._changed:
            while self._line:
                job = self._line.popleft()
                if not job.is_there():
                    job.state = LEFT
                    continue
                job.state = RUNNING
                self._running.append(job)
                return job
            self._workers -= 1
            self._changed.notify_all()
            return None

    def _turn(self, job: Job) -> None:
        begun = looked = time.monotonic()
        while job.state == RUNNING and not job.work.done and job.steps != 0:
            if job.steps is None:  # a job of a few steps doesn't wait, as the page waiting for it counts as busy
                end = time.monotonic() + GIVES_WAY
                while self._busy() and job.state == RUNNING and time.monotonic() < end:
                    time.sleep(LOOK_AGAIN)
            if job.state != RUNNING:
                return
            job.work.advance()
            if job.steps is not None:
                job.steps -= 1
            now = time.monotonic()
            if now - begun >= self._seconds and self._line:
                return
            if now - looked >= LOOKS:
                looked = now
                if not job.is_there():
                    self.pause(job, LEFT)

    def _end(self, job: Job) -> None:
        with self._changed:
            self._running.remove(job)
            if job.error is None and job.work.done:
                job.state = DONE
            elif job.error is None and job.steps == 0:
                job.state = PAUSED
            elif job.state == RUNNING:
                job.state = WAITING
                self._line.append(job)
            self._changed.notify_all()
