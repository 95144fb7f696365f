"""Turns: a few at a time, and whoever comes later waits in line."""

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
