"""Results and models that all readers share, kept while there is room."""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from threading import Lock, RLock, Thread
from typing import Any

from attnviz.models.loading import Progress, Tell, load, room, size_of

_AT_ONCE = 32  # things that can be made beside each other
_LOOKED_AT = 0.1  # seconds after which one who waits is told how far it is


class Cache:
    """A cache for many threads that drops what was used longest ago.

    It holds up to `most` things and `most_bytes`, but always the last one; up to `at_once` are made in parallel.

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
        """How many bytes all of it takes."""
        with self._lock:
            return sum(size for _, size in self._held.values())

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = lambda _: 0) -> Any:
        """Return a key's cached value, or make it once, of `size` bytes."""
        held = self._find(key)
        if held is None:
            with self._making[hash(key) % len(self._making)]:
                held = self._find(key) or self._keep(key, make(), size)
        return held[0]

    def find(self, key: Hashable) -> Any | None:
        """Return what is kept under a key, None where nothing is."""
        held = self._find(key)
        return None if held is None else held[0]

    def put(self, key: Hashable, made: Any) -> None:
        """Put a thing under a key, counted as 0 bytes."""
        self._keep(key, made, lambda _: 0)

    def forget(self, is_old: Callable[[Any], bool]) -> None:
        """Forget what has such a key."""
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


class _Loading(Future[tuple[Any, Any]]):
    """A model that loads in its own thread, whoever leaves the page."""

    def __init__(self, make: Callable[[Tell], tuple[Any, Any]]) -> None:
        super().__init__()
        self.progress = Progress("turn")
        Thread(target=self._load, args=(make,), daemon=True, name="attnviz-loading").start()

    def _load(self, make: Callable[[Tell], tuple[Any, Any]]) -> None:
        try:
            self.set_result(make(self._take))
        except Exception as error:  # told to all who wait
            self.set_exception(error)

    def _take(self, progress: Progress) -> None:
        self.progress = progress

    def wait(self, to: Tell) -> tuple[Any, Any]:
        """Return what was loaded, or raise its error; tell `to` the progress."""
        told = None
        while not wait([self], _LOOKED_AT).done:
            if told != self.progress:
                told = self.progress
                to(told)
        return self.result()


class Shelf:
    """Loaded models, one copy for all; the longest unused is dropped."""

    def __init__(self, most: int = 2, most_bytes: int | None = None) -> None:
        self._kept = Cache(room() if most_bytes is None else most_bytes, most, at_once=1)
        self._loading: dict[str, _Loading] = {}
        self._lock = Lock()

    def get(self, name: str, to: Tell = lambda _: None) -> tuple[Any, Any]:
        """Return a model and its tokenizer; tell `to` how loading goes.

        Raises ``ValueError`` as :func:`load` does.
        """
        with self._lock:
            loading = None if name in self._kept else self._loading.get(name)
            if loading is None and name not in self._kept:
                loading = self._loading[name] = _Loading(lambda tell: self._load(name, tell))
        return self._load(name, to) if loading is None else loading.wait(to)

    def _load(self, name: str, to: Tell) -> tuple[Any, Any]:
        try:
            found: tuple[Any, Any] = self._kept.get(name, lambda: load(name, to), lambda held: size_of(held[0]))
        finally:
            with self._lock:
                self._loading.pop(name, None)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._kept
