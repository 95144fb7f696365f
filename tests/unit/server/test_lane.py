"""The lane of runs: few at a time, and none that takes long holds others up."""

import threading
import time
from collections.abc import Callable

from attnviz.app.keeper.runs import Lane


def at_once(lane: Lane, runs: int, run: Callable[[], None]) -> int:
    """Start so many runs at once, and return how many were under way together at most."""
    lock, now, most = threading.Lock(), 0, 0

    def one() -> None:
        nonlocal now, most
        with lane.place():
            with lock:
                now += 1
                most = max(most, now)
            run()
            with lock:
                now -= 1

    threads = [threading.Thread(target=one) for _ in range(runs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert now == 0
    return most


def waits(ended: threading.Event) -> None:
    ended.wait(0.5)


def test_few_runs_are_under_way_at_a_time_and_all_have_their_place() -> None:
    assert at_once(Lane(2, moment=60), 12, lambda: time.sleep(0.01)) == 2


def test_a_run_that_takes_long_or_waits_for_its_browser_keeps_nobody_waiting() -> None:
    lane, start, ended = Lane(1, moment=0.05), time.monotonic(), threading.Event()
    assert at_once(lane, 2, lambda: waits(ended)) == 2
    patient = Lane(1, moment=60)

    def run() -> None:
        patient.leave()
        ended.wait(0.2)

    assert at_once(patient, 3, run) == 3
    assert time.monotonic() - start < 30


def test_a_run_that_fails_gives_its_place_back() -> None:
    lane = Lane(1, moment=60)
    for _ in range(2):
        try:
            with lane.place():
                raise ValueError("a run that fails")
        except ValueError:
            pass
    assert at_once(lane, 1, lambda: None) == 1
