"""What readers share is made once, and bounded."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from attnviz import look_into
from attnviz.models import INCLUDED
from attnviz.models.kept import Kept


def test_what_is_made_once_is_there_for_all_who_wait() -> None:
    kept, made, begun = Kept(100, 10), [], Event()

    def make() -> str:
        made.append(1)
        begun.wait(2)
        return "a view"

    with ThreadPoolExecutor(4) as readers:
        waiting = [readers.submit(kept.get, "key", make, len) for _ in range(4)]
        begun.set()
        assert {each.result() for each in waiting} == {"a view"}
    assert len(made) == 1


def test_nobody_waits_for_what_is_there_while_something_else_is_made() -> None:
    kept, begun, end = Kept(100, 10, at_once=1), Event(), Event()
    kept.get("there", lambda: "a view", len)

    def slowly() -> str:
        begun.set()
        assert end.wait(10)
        return "another"

    with ThreadPoolExecutor(2) as readers:
        made = readers.submit(kept.get, "slow", slowly, len)
        assert begun.wait(10)
        assert readers.submit(kept.get, "there", slowly, len).result(5) == "a view"
        end.set()
        assert made.result(10) == "another"


def test_what_was_asked_for_longest_ago_goes_and_the_last_stays() -> None:
    kept = Kept(10, 10)

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


def test_of_many_small_things_only_some_are_kept() -> None:
    kept = Kept(2**30, 3)
    for key in range(20):
        kept.get(key, lambda: "small", len)
    assert kept.n_bytes == 3 * len("small")


def test_a_view_knows_how_much_memory_it_takes() -> None:
    view = look_into(INCLUDED, text="a cat sat on a mat " * 8)
    n = len(view.tokens)
    weights, scores = 72 * n * n * 4, 3 * 72 * n * n * 4  # those of the heads that stay made
    inputs = 6 * 4 * n * 384 * 4  # X, Q, K and V of each layer
    assert weights + scores + inputs < view.n_bytes < 2 * (weights + scores + inputs)
    assert look_into(INCLUDED, text=view.text, edits=["0.1.off"]).n_bytes == pytest.approx(2 * view.n_bytes, rel=0.01)
