"""What readers share is made once, and bounded."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

from attnviz.core.cache import Cache


def test_what_is_made_once_is_there_for_all_who_wait() -> None:
    kept, made, begun = Cache(100, 10), [], Event()

    def make() -> str:
        made.append(1)
        begun.wait(2)
        return "a view"

    with ThreadPoolExecutor(4) as readers:
        waiting = [readers.submit(kept.get, "key", make, len) for _ in range(4)]
        begun.set()
        assert {each.result() for each in waiting} == {"a view"}
    assert len(made) == 1


def test_what_was_asked_for_longest_ago_goes_and_the_last_stays() -> None:
    kept = Cache(10, 10)

    def size_of(key: str, size: int) -> Any:
        return kept.get(key, lambda: [key], lambda _: size)

    first = size_of("a", 4)
    size_of("b", 4)
    assert size_of("a", 4) is first
    size_of("c", 4)  # b goes
    assert size_of("a", 4) is first
    assert kept.n_bytes == 8
    size_of("large", 50)
    assert kept.n_bytes == 50
    kept.forget(lambda key: key == "large")
    assert kept.n_bytes == 0
