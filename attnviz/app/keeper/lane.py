"""The lane of runs: few at a time, so that whoever edits a number isn't kept waiting by all who open a page at once.

Python runs one thread at a time, and lets each wait for all others again and again. What answers an edit (POST
/numbers) never waits here, and has few runs beside it. A run that takes long keeps its place for a moment alone, so
that no sweep, training or slow browser holds others up.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from attnviz.app.keeper.clock import CLOCK

PLACES = 2
MOMENT = 0.5  # seconds: several times as long as most runs take


class Lane:
    """Gives so many runs a place at a time."""

    def __init__(self, places: int = PLACES, moment: float = MOMENT) -> None:
        self._places, self._moment = places, moment
        self._changed = threading.Condition()
        self._since: dict[int, float] = {}  # when each run that has a place got it, by its thread

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place and have it, for a moment at most."""
        with self._changed:
            while (seconds := self._until_free()) > 0:
                self._changed.wait(seconds)
            self._since[threading.get_ident()] = time.monotonic()
        try:
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Give the place of this thread back, if it has one: it's done, or waits for a browser."""
        with self._changed:
            if self._since.pop(threading.get_ident(), None) is not None:
                self._changed.notify()

    def _until_free(self) -> float:
        ends = sorted(since + self._moment for since in self._since.values())
        return ends[-self._places] - time.monotonic() if len(ends) >= self._places else 0.0


LANE = Lane()


@contextmanager
def in_turn() -> Iterator[None]:
    """Have a place for a run of a page, or of a part that runs by itself, and time it by the clock of runs."""
    if CLOCK.times_this_thread:  # a part of a run
        yield
        return
    with LANE.place(), CLOCK.timed():
        yield
