"""Turns: never more at once than there are places, in the order of asking; and how long is left by the pace."""

import math
import time
from contextlib import suppress
from threading import Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.app.operations.run_queue import SPAN, Pace, Turns
from tests.examples import examples
from tests.unit.helpers import most_at_once, until


class LeftError(Exception):
    pass


@given(st.integers(1, 4), st.integers(1, 12))
@settings(max_examples=examples(15), deadline=None)
def test_never_more_have_their_turn_than_there_are_places(places: int, n: int) -> None:
    turns = Turns(places)
    assert most_at_once(lambda: turns.turn(lambda before: None), n, lambda: time.sleep(0.002)) <= places
    assert turns.length == 0


def test_turns_come_in_the_order_of_asking_and_everybody_hears_how_many_are_before() -> None:
    turns, order = Turns(1), []
    told: dict[int, list[int]] = {i: [] for i in range(4)}
    gates = [Event() for _ in range(4)]

    def sweep(i: int) -> None:
        with turns.turn(told[i].append):
            order.append(i)
            assert gates[i].wait(30)

    threads = [Thread(target=sweep, args=(i,)) for i in range(4)]
    for i, thread in enumerate(threads):
        thread.start()
        until(lambda n=i + 1: turns.length == n)  # type: ignore[misc]
    until(lambda: all(told[i] for i in (1, 2, 3)))
    for gate in gates:
        gate.set()
    for thread in threads:
        thread.join(30)
    assert order == [0, 1, 2, 3]
    assert told[0] == []
    assert [told[i][0] for i in (1, 2, 3)] == [1, 2, 3]
    assert all(before == sorted(before, reverse=True) for before in told.values())


def test_who_leaves_while_waiting_or_in_its_turn_frees_the_place() -> None:
    turns, done = Turns(1), Event()
    left: list[str] = []

    def leave(before: int) -> None:
        raise LeftError

    def first() -> None:
        with suppress(LeftError), turns.turn(lambda before: None):
            done.wait(30)
            raise LeftError

    holder = Thread(target=first)
    holder.start()
    until(lambda: turns.length == 1)
    with pytest.raises(LeftError), turns.turn(leave):
        left.append("had a turn")
    assert turns.length == 1
    waits = Thread(target=lambda: turns.turn(lambda before: None).__enter__())
    waits.start()
    until(lambda: turns.length == 2)
    done.set()
    holder.join(30)
    waits.join(30)
    assert not waits.is_alive()
    assert left == []


@given(st.floats(1.0, 100.0), st.floats(0.01, 1.0))
def test_at_an_even_pace_the_rest_takes_as_long_as_it_did(whole: float, step: float) -> None:
    pace, now = Pace(), 0.0
    while now < whole:
        left = pace.left(now, now / whole)
        assert left == (pytest.approx(whole - now, rel=1e-6, abs=1e-6) if now else math.inf)
        now += step


def test_a_machine_that_was_busy_and_is_idle_now_counts_as_idle() -> None:
    pace = Pace()
    busy = [(second, second / 1000) for second in range(100)]  # a tenth in 100 seconds
    idle = [(100 + second, 0.1 + second / 100) for second in range(20)]
    told = [pace.left(*each) for each in [*busy, *idle]]
    assert told[99] == pytest.approx(901, rel=0.01)
    assert told[100 + math.ceil(SPAN) + 1] == pytest.approx(84, rel=0.05), "by the last seconds alone"
    assert told[-1] == pytest.approx(71, rel=0.05)
