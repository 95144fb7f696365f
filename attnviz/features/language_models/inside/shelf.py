"""Loaded models that all readers share, kept while there is room."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Any

from attnviz.core.cache import Cache
from attnviz.features.language_models.inside.loading import Progress, Tell, load, room, size_of

_LOOKED_AT = 0.1  # seconds between two reports of the progress to whoever waits


class _Loading(Future[tuple[Any, Any]]):
    """A model that loads in its own thread, even if readers leave."""

    def __init__(self, make: Callable[[Tell], tuple[Any, Any]]) -> None:
        super().__init__()
        self.progress = Progress("turn")
        Thread(target=self._load, args=(make,), daemon=True, name="attnviz-loading").start()

    def _load(self, make: Callable[[Tell], tuple[Any, Any]]) -> None:
        try:
            self.set_result(make(self._take))
        except Exception as error:  # raised again for all who wait
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
