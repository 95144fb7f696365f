"""What all sessions share of what was made last: a bounded map that many threads may use."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Newest(Generic[Value]):
    """Values by their keys: of more than `most`, those asked for longest ago go.

    >>> newest: Newest[str] = Newest(2)
    >>> for key in (1, 2, 1, 3):
    ...     if newest.get(key) is None:
    ...         newest.put(key, f"made of {key}")
    >>> newest.get(1), newest.get(2), newest.get(3)
    ('made of 1', None, 'made of 3')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key; None where it was never put there, or had to make room."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value, and forget the oldest where there are too many."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()
