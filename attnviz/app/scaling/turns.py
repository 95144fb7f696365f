"""Who sweeps next, and how long a sweep still takes."""

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

_PULSE = 0.25  # seconds after which one who waits is told so again: where it waits for nothing more, it can leave then


class Turns:
    """A line in which everybody has a place; the first `places` of it have their turn."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._changed = Condition()
        self._line: list[object] = []

    @contextmanager
    def turn(self, waiting: Callable[[int], object]) -> Iterator[None]:
        """Wait for a turn and have it; `waiting` is told how many must end before it, again and again.

        Whatever `waiting` raises, and whatever is raised during the turn, passes through and frees the place.
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
        """How many are in line, with those who have their turn."""
        with self._changed:
            return len(self._line)

    def _before(self, ticket: object) -> int:
        with self._changed:  # the lock of a Condition may be taken again by the thread that has it
            return max(0, self._line.index(ticket) + 1 - self._places)


SPAN = 5.0  # seconds that count: a machine that was busy before may be idle now
_SAMPLES = 50  # at most so many are kept


class Pace:
    """What part of something was done when, in the last seconds."""

    def __init__(self, span: float = SPAN) -> None:
        self._span = span
        self._seen: deque[tuple[float, float]] = deque()

    def left(self, now: float, part: float) -> float:
        """Return how many seconds are left at the pace of the last ones, when a `part` from 0 to 1 is done `now`.

        Infinite, where nothing is known of the pace.

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
