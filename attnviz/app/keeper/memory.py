"""How much memory this process has, and may have; what is free is given back, and what is kept is bounded."""

import ctypes
import os
from collections import OrderedDict
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from attnviz.core.trace import LIMITS, bytes_of_container

_OF_CONTAINER = 0.85  # beyond this share, pages that are open already have the rest


@cache
def _trim() -> Any:
    """Return glibc's own function for it; None where the C library is another one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


def give_back() -> bool:
    """Give free memory back, and return whether there was any. Each thread has a heap of its own, from which what is
    freed goes back by itself only at the end: twenty readers of long texts, one after the other, would each leave
    theirs."""
    trim = _trim()
    return trim is not None and bool(trim(0))


def used_mib() -> float | None:
    """Return the memory that this process has now; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def default_most_mib(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return how much memory there may be before no further page is opened; None outside of a container that limits
    it."""
    most = bytes_of_container(limits)
    return None if most is None else max(1, int(most * _OF_CONTAINER / 2**20))


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
