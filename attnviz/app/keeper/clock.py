"""The clock of runs: one that has used a processor for longer than anything that the app offers takes is ended.

What a visitor can ask for is bounded by its size (core/limits.py, scaling/sweeps.py); this is for what was overlooked
there. Time in which a run waits, for its turn or for a disk, isn't counted, as far as the system tells it apart.
"""

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from attnviz.app.keeper import figures
from attnviz.app.keeper.logs import get_log

_LOG = get_log(__name__)
MOST = 240.0  # seconds; of all that is offered a sweep takes longest, and is refused beyond 120
GRACE = 20.0  # seconds that it has to end in, to draw what stands on every page, before it is ended again
_LOOKS = 5.0  # seconds between two looks


class RunTooLongError(Exception):
    """Raised wherever a run is that took too long; as each line of Python ends, so not within one call of torch."""


class Clock:
    """Knows which runs are under way, and since when."""

    def __init__(self, most: float = MOST, grace: float = GRACE) -> None:
        self._most, self._grace = most, grace
        self._lock = threading.Lock()
        self._begun: dict[int, float] = {}  # by thread: the seconds that it had used when its run began

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Time what this thread runs within."""
        thread = threading.get_ident()
        with self._lock:
            self._begun[thread] = _used(thread)
        try:
            yield
        finally:  # a thread that has gone must not be asked for its time, even where it is ended just here
            try:
                self._forget(thread)
            except RunTooLongError:
                self._forget(thread)

    @property
    def times_this_thread(self) -> bool:
        """Whether this thread is within something that is timed."""
        return threading.get_ident() in self._begun

    @property
    def times_any(self) -> bool:
        """Whether anything that is timed is under way."""
        return bool(self._begun)

    def _forget(self, thread: int) -> None:
        with self._lock:
            self._begun.pop(thread, None)

    def end_late(self) -> int:
        """End the runs that took too long; return how many."""
        with self._lock:
            used = {thread: _used(thread) for thread in self._begun}
            late = [thread for thread, begun in self._begun.items() if used[thread] - begun > self._most]
            for thread in late:
                self._begun[thread] = used[thread] - self._most + self._grace
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(RunTooLongError))
        for _ in late:
            figures.ENDED_LATE.inc()
            _LOG.error("a run took too long and is ended", extra={"told": {"seconds": self._most}})
        return len(late)

    def watch(self) -> None:
        """Look from now on, in a thread that ends with the process."""
        threading.Thread(target=self._keep_looking, name="clock-of-runs", daemon=True).start()

    def _keep_looking(self) -> None:
        while True:
            time.sleep(_LOOKS)
            self.end_late()


def _used(thread: int) -> float:
    """Return the seconds of a processor that a living thread has used; where none are told, those on the wall."""
    if hasattr(time, "pthread_getcpuclockid"):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.monotonic()


CLOCK = Clock()
