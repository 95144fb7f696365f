"""Page runs: queued, counted, timed, and ended if they take too long.

Runs of pages go through a lane, one at a time, so that readers who edit numbers don't wait for all who open a page at
the same moment. Python executes one thread at a time and keeps switching between them. A request that answers an edit
(POST /numbers) never waits in the lane, and shares Python with one run only: beside two runs, numbers took four times
as long at the median, while the runs gained little. While edits are being answered, there is also a pause after each
run before the next one begins. A long run holds its place for a moment only, so that no sweep, training or slow browser
holds others up.

A clock ends a run that has used more processor time than anything that the app offers: each drawing of a component asks
it, and each report of a sweep's progress. Limits on sizes bound what a visitor can ask for (core/limits.py,
features/sweeps/); the clock is for what those limits overlook. Time that a run waits, for its turn or for a disk, isn't
counted if the system can tell it apart.

Work that takes far longer, such as a large sweep, has a queue of its own, and shows its pace.
"""

import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

import streamlit as st

from attnviz.app.operations import metrics
from attnviz.app.operations.logs import get_log
from attnviz.app.streamlit_internals import speak_as_accepted
from attnviz.app.text import as_message
from attnviz.words import say

MOST = 240.0  # seconds; the longest work on offer is a sweep, which is refused beyond 120


class RunTooLongError(Exception):
    """Raised where a run that took too long reports its progress."""


class Clock:
    """A clock that knows which runs are in progress, and since when."""

    def __init__(self, most: float = MOST) -> None:
        self._most = most
        self._begun: dict[int, float] = {}  # thread -> processor seconds that it had used when its run began

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Time what this thread runs in this context."""
        thread = threading.get_ident()
        self._begun[thread] = _used(thread)
        try:
            yield
        finally:
            del self._begun[thread]

    @property
    def times_this_thread(self) -> bool:
        """Whether this thread is being timed."""
        return threading.get_ident() in self._begun

    @property
    def times_any(self) -> bool:
        """Whether any thread is being timed."""
        return bool(self._begun)

    def check(self) -> None:
        """Raise ``RunTooLongError`` if this thread's run took too long."""
        thread = threading.get_ident()
        begun = self._begun.get(thread)
        if begun is not None and _used(thread) - begun > self._most:
            metrics.ENDED_LATE.inc()
            _LOG.error("a run took too long and is ended", extra={"told": {"seconds": self._most}})
            raise RunTooLongError


def _used(thread: int) -> float:
    """Return a thread's processor seconds, or wall-clock seconds if unknown."""
    if hasattr(time, "pthread_getcpuclockid"):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.monotonic()


CLOCK = Clock()


PLACES = 1
MOMENT = 0.5  # seconds that a run holds its place at most; several times as long as most runs take
PATIENCE = 0.5  # seconds after a run during which ongoing edits hold back the next one, even if edits never pause
# Seconds after which Python switches threads while numbers are computed. Beside a run, each call of torch waits that
# long, and there are dozens of calls: with Python's own 0.005, numbers took 66 ms beside two runs. With this value,
# they take 6 ms, and 1.5 ms without any run.
TURN = 0.0005


class Lane:
    """A lane that lets edits go first, then runs, in their order."""

    def __init__(self, places: int = PLACES, moment: float = MOMENT, patience: float = PATIENCE) -> None:
        self._places, self._moment, self._patience = places, moment, patience
        self._lock = threading.Lock()
        self._line: deque[Condition] = deque()  # runs that wait for a place
        self._since: dict[int, float] = {}  # thread -> when its run got a place
        self._left, self._edits, self._turn = 0.0, 0, sys.getswitchinterval()

    @contextmanager
    def edit(self) -> Iterator[None]:
        """Hold back runs that haven't begun, for a while."""
        with self._lock:
            self._edits += 1
            sys.setswitchinterval(TURN)
        try:
            yield
        finally:
            with self._lock:
                self._edits -= 1
                if not self._edits:
                    sys.setswitchinterval(self._turn)
                    self._wake()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place, and hold it for a moment at most."""
        mine = Condition(self._lock)
        with self._lock:
            self._line.append(mine)
            try:
                while (seconds := self._until_free() if self._line[0] is mine else math.inf) > 0:
                    mine.wait(None if math.isinf(seconds) else seconds)
            finally:
                self._line.remove(mine)
                self._wake()
            self._since[threading.get_ident()] = time.monotonic()
        try:
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Free this thread's place, if it has one."""
        with self._lock:
            if self._since.pop(threading.get_ident(), None) is not None:
                self._left = time.monotonic()
                self._wake()

    def _wake(self) -> None:
        if self._line:
            self._line[0].notify()

    def _until_free(self) -> float:
        ends = sorted(since + self._moment for since in self._since.values())
        free = ends[-self._places] if len(ends) >= self._places else 0.0
        return max(free, self._left + self._patience if self._edits else 0.0) - time.monotonic()


LANE = Lane()


@contextmanager
def in_turn() -> Iterator[None]:
    """Wait for a place to run in, and time the run."""
    if CLOCK.times_this_thread:  # it's part of a run that is timed already
        yield
        return
    with LANE.place(), CLOCK.timed():
        yield


_LOG = get_log(__name__)
_LONG = 5.0  # seconds
ENDED, ANEW, FAILED = "ended", "anew", "failed"


@dataclass
class Run:
    """A run; `page` is set as soon as its page is chosen."""

    page: str = "none"


@contextmanager
def watched_run() -> Iterator[Run]:
    """Count and time a run; exceptions pass through.

    A run that took too long says so on the page instead.
    """
    run, how, start = Run(), ANEW, time.perf_counter()
    speak_as_accepted()
    try:
        with in_turn():
            yield run
        how = ENDED
    except RunTooLongError:
        how = FAILED
        st.error(as_message(say("app.too_long")))
    except Exception:
        how = FAILED
        raise
    finally:  # also for exceptions outside Exception, which end a run that restarts or whose reader has left
        seconds = time.perf_counter() - start
        metrics.RUNS.labels(run.page, how).inc()
        metrics.RUN_SECONDS.labels(run.page).observe(seconds)
        if seconds > _LONG:
            told = {"page": run.page, "how": how, "seconds": round(seconds, 2)}
            _LOG.warning("a run took long", extra={"told": told})


_PULSE = 0.25  # seconds after which `waiting` is called again, so that it can raise if nobody needs the turn any more


class Turns:
    """A queue whose first `places` members have their turn."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._changed = Condition()
        self._line: list[object] = []

    @contextmanager
    def turn(self, waiting: Callable[[int], object]) -> Iterator[None]:
        """Wait for a turn and hold it; `waiting` gets the number ahead.

        An exception that `waiting` raises, or that is raised during the turn, frees the place and passes through.
        """
        ticket = object()
        with self._changed:
            self._line.append(ticket)
        try:
            while before := self._before(ticket):
                waiting(before)
                with self._changed:
                    self._changed.wait_for(lambda: self._before(ticket) < before, _PULSE)
            yield
        finally:
            with self._changed:
                self._line.remove(ticket)
                self._changed.notify_all()

    @property
    def length(self) -> int:
        """How many are in the queue, including those who have their turn."""
        with self._changed:
            return len(self._line)

    def _before(self, ticket: object) -> int:
        with self._changed:  # a Condition's lock can be taken again by the thread that holds it
            return max(0, self._line.index(ticket) + 1 - self._places)


SPAN = 5.0  # seconds of the past that count: a machine that was busy before may be idle now
_SAMPLES = 50  # samples to keep, at most


class Pace:
    """How much of a task was done when, in the last seconds."""

    def __init__(self, span: float = SPAN) -> None:
        self._span = span
        self._seen: deque[tuple[float, float]] = deque()

    def left(self, now: float, part: float) -> float:
        """Return the seconds left, with `part` (0 to 1) done at `now`.

        The result is infinite while the pace is unknown.

        >>> pace = Pace()
        >>> pace.left(0.0, 0.0), pace.left(1.0, 0.25)
        (inf, 3.0)
        """
        while len(self._seen) > 1 and self._seen[1][0] <= now - self._span:
            self._seen.popleft()
        if not self._seen or now - self._seen[-1][0] >= self._span / _SAMPLES:
            self._seen.append((now, part))
        since, before = self._seen[0]
        return (now - since) * (1 - part) / (part - before) if part > before else math.inf
