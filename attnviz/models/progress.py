"""How far the loading of a model is: told, as it goes on, by what loads it to whoever waits for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal, NamedTuple

Step = Literal["turn", "package", "sum", "settings", "tokenizer", "fetched", "numbers"]
# From where to where in the whole each step goes. The package takes seconds, and so do the numbers of a large model.
STEPS: dict[Step, tuple[float, float]] = {
    "turn": (0.0, 0.0), "package": (0.0, 0.3), "sum": (0.3, 0.4), "settings": (0.3, 0.4), "tokenizer": (0.4, 0.45),
    "fetched": (0.45, 0.7), "numbers": (0.7, 1.0),
}  # fmt: skip
_NUMBERS = "Loading weights"  # what transformers calls its own bar while it takes one matrix after the other


class Progress(NamedTuple):
    """A step of loading, and how much of it is done: a share from 0 to 1."""

    step: Step
    share: float = 0.0

    @property
    def whole(self) -> float:
        """How much of all steps is done, from 0 to 1."""
        start, end = STEPS[self.step]
        return start + self.share * (end - start)


Tell = Callable[[Progress], None]
_TELLING: ContextVar[Tell | None] = ContextVar("attnviz_telling", default=None)


@contextmanager
def telling(to: Tell) -> Iterator[None]:
    """Have whatever this thread loads within the ``with`` told to a function."""
    token = _TELLING.set(to)
    try:
        yield
    finally:
        _TELLING.reset(token)


def tell(step: Step, share: float = 0.0) -> None:
    """Tell whoever waits for what this thread loads how far that is."""
    to = _TELLING.get()
    if to is not None:
        to(Progress(step, share))


def counted(bar: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the bar that transformers asks for; the one of its numbers is counted for whoever waits, too."""
    made = bar(*given, **named)
    if _TELLING.get() is None or named.get("desc") != _NUMBERS or not given or not hasattr(given[0], "__len__"):
        return made
    return _counting(made, len(given[0]))


def _counting(made: Any, count: int) -> Iterator[Any]:
    for at, each in enumerate(made):
        yield each
        tell("numbers", (at + 1) / count)


@cache
def fetching_bar() -> Any:
    """Return the kind of bar that is given to what fetches files: its bytes are counted for whoever waits."""
    from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]

    class Fetching(tqdm):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)  # type: ignore[no-untyped-call]
            self._to, self._bytes = _TELLING.get(), named.get("initial") or 0  # bytes may come in by other threads

        def update(self, n: float | None = 1) -> bool | None:
            self._bytes += n or 0
            if self._to is not None and self.total:
                self._to(Progress("fetched", min(1.0, self._bytes / self.total)))
            updated: bool | None = super().update(n)
            return updated

    return Fetching
