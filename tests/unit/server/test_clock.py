"""A run that uses a processor for too long is ended wherever it is; one that waits is not; and few run at a time."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.app.keeper import figures
from attnviz.app.keeper.runs import CLOCK, Clock, Lane, RunTooLongError
from attnviz.words import say
from tests.unit.helpers import most_at_once

FOREVER = 60.0  # seconds: nothing here comes near it
tells_time = pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="the system tells no thread's time")


def busy(seconds: float = FOREVER) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class Run:
    """Something that a thread does within a clock."""

    def __init__(self, clock: Clock, does: Callable[[], None]) -> None:
        self.ended: list[str] = []
        self._clock, self._does = clock, does
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            with self._clock.timed():
                self._does()
            self.ended.append("well")
        except RunTooLongError:
            self.ended.append("late")

    def looked_after(self, seconds: float = FOREVER / 2) -> int:
        """Look at the clock until it ends; return how often that ended something."""
        ended, over = 0, time.monotonic() + seconds
        while self.thread.is_alive() and time.monotonic() < over:
            ended += self._clock.end_late()
            time.sleep(0.02)
        self.thread.join(0 if ended else FOREVER)
        return ended


def test_what_is_busy_for_too_long_is_ended_and_counted() -> None:
    before = figures.ENDED_LATE._value.get()
    run = Run(Clock(0.2), busy)
    assert run.looked_after() >= 1
    assert run.ended == ["late"]
    assert figures.ENDED_LATE._value.get() > before


@tells_time
def test_what_waits_and_what_is_quick_ends_by_itself() -> None:
    for does in (lambda: time.sleep(1.0), lambda: busy(0.1)):
        run = Run(Clock(0.5), does)
        assert run.looked_after() == 0
        assert run.ended == ["well"]


def _page() -> None:
    import time

    import streamlit as st

    from attnviz.app.keeper.runs import watched_run

    with watched_run() as run:
        run.page = "clocked"
        st.text("before")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass
    st.text("after")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of this process, which looks often and allows little."""
    monkeypatch.setattr(CLOCK, "_most", 0.3)
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            CLOCK.end_late()

    looking = threading.Thread(target=look)
    looking.start()
    yield
    over.set()
    looking.join()


@pytest.mark.usefixtures("impatient")
def test_a_page_that_takes_too_long_says_so_and_no_more_comes_of_it() -> None:
    start = time.monotonic()
    at = AppTest.from_function(_page, default_timeout=FOREVER).run()
    assert time.monotonic() - start < FOREVER / 2
    assert [each.value for each in at.error] == [say("app.too_long")]
    assert [each.value for each in at.text] == ["before", "after"]
    assert figures.RUNS.labels("clocked", "failed")._value.get() >= 1


def _in_trouble(text: str) -> None:
    import streamlit as st

    from attnviz.app.keeper.runs import RunTooLongError
    from attnviz.app.shell.messages import tell

    st.query_params.from_dict({"text": text, "seed": "7"})
    for error in (RunTooLongError(), ValueError("of nobody's business")):
        assert tell(error)
    st.query_params.from_dict({"text": text})
    assert tell(ValueError())


@pytest.mark.parametrize("text", ["a small cat", '"><script>alert(1)</script>'])
def test_where_a_run_or_a_part_of_one_fails_a_sentence_says_so_and_leads_on_with_the_text(text: str) -> None:
    at = AppTest.from_function(_in_trouble, args=(text,), default_timeout=FOREVER).run()
    assert [each.value for each in at.error] == [say("app.too_long"), say("app.trouble"), say("app.trouble")]
    links = [each.proto.body for each in at.get("html")]
    shown = say("app.start_anew")
    assert links == [f'<p><a href="?{query}" target="_self">{shown}</a></p>'
                     for query in (urlencode({"text": text}), urlencode({"text": text}), "")]  # fmt: skip


# The lane of runs: few at a time, and none that takes long holds others up


def test_few_runs_are_under_way_at_a_time_and_all_have_their_place() -> None:
    assert most_at_once(Lane(2, moment=60).place, 12, lambda: time.sleep(0.01)) == 2


def test_a_run_that_takes_long_or_waits_for_its_browser_keeps_nobody_waiting() -> None:
    lane, start, ended = Lane(1, moment=0.05), time.monotonic(), threading.Event()
    assert most_at_once(lane.place, 2, lambda: ended.wait(0.5)) == 2
    patient = Lane(1, moment=60)

    def run() -> None:
        patient.leave()
        ended.wait(0.2)

    assert most_at_once(patient.place, 3, run) == 3
    assert time.monotonic() - start < 30


def test_a_run_that_fails_gives_its_place_back() -> None:
    lane = Lane(1, moment=60)
    for _ in range(2):
        with suppress(ValueError), lane.place():
            raise ValueError("a run that fails")
    assert most_at_once(lane.place, 1, lambda: None) == 1


@pytest.mark.parametrize(("patience", "expected"), [(0.2, ["run", "run", "edit"]), (60.0, ["run", "edit", "run"])])
def test_edits_go_before_a_run_that_has_not_begun_for_a_while(patience: float, expected: list[str]) -> None:
    lane, order = Lane(1, patience=patience), list[str]()

    def run() -> None:
        with lane.place():
            order.append("run")

    run()
    with lane.edit():
        waiting = threading.Thread(target=run)
        waiting.start()
        waiting.join(0.3 if patience > 1 else 60)
        order.append("edit")
    waiting.join()
    assert order == expected
