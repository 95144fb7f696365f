"""A cache that threads share, limited in entries and bytes."""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any

_AT_ONCE = 32  # entries that can be made in parallel


class Cache:
    """A thread-safe cache that drops the least recently used entries.

    It holds up to `most` entries and `most_bytes`, but always the newest one; up to `at_once` are made in parallel.

    >>> kept = Cache(most=2)
    >>> [kept.get(key, lambda: f"made of {key}") for key in (1, 2, 1, 3)][-1]
    'made of 3'
    >>> kept.find(1), kept.find(2)
    ('made of 1', None)
    """

    def __init__(self, most_bytes: float = math.inf, most: int = 32, at_once: int = _AT_ONCE) -> None:
        self.most_bytes, self.most = most_bytes, most
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()
        self._making = tuple(RLock() for _ in range(at_once))

    @property
    def n_bytes(self) -> int:
        """The size of all entries in bytes."""
        with self._lock:
            return sum(size for _, size in self._held.values())

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = lambda _: 0) -> Any:
        """Return a key's value, made at first use; `size` returns its bytes."""
        held = self._find(key)
        if held is None:
            with self._making[hash(key) % len(self._making)]:
                held = self._find(key) or self._keep(key, make(), size)
        return held[0]

    def find(self, key: Hashable) -> Any | None:
        """Return a key's value, or None."""
        held = self._find(key)
        return None if held is None else held[0]

    def put(self, key: Hashable, made: Any) -> None:
        """Keep a value under a key, counted as 0 bytes."""
        self._keep(key, made, lambda _: 0)

    def forget(self, is_old: Callable[[Any], bool]) -> None:
        """Drop the entries whose key `is_old` accepts."""
        with self._lock:
            for key in list(filter(is_old, self._held)):
                del self._held[key]

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._held

    def _find(self, key: Hashable) -> tuple[Any, int] | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def _keep(self, key: Hashable, made: Any, size: Callable[[Any], int]) -> tuple[Any, int]:
        held = made, size(made)
        with self._lock:
            self._held[key] = held
            self._held.move_to_end(key)
            sizes = sum(size for _, size in self._held.values())
            while len(self._held) > 1 and (sizes > self.most_bytes or len(self._held) > self.most):
                sizes -= self._held.popitem(last=False)[1][1]
        return held
