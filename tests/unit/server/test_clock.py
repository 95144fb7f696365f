"""Long work is ended where it reports its progress; what waits is not; and few runs are under way at a time."""

import threading
import time
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.app.operations import metrics
from attnviz.app.operations.run_queue import CLOCK, Clock, Lane, RunTooLongError
from attnviz.words import say
from tests.unit.helpers import most_at_once

FOREVER = 60.0  # seconds: nothing here comes near it
tells_time = pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="the system tells no thread's time")


def busy(seconds: float) -> None:
    """Use a processor for so many seconds, however busy the machine is."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_work_that_is_busy_for_too_long_is_ended_where_it_reports_and_counted() -> None:
    before, clock = metrics.ENDED_LATE._value.get(), Clock(0.05)
    with clock.timed():
        clock.check()
        busy(0.2)
        with pytest.raises(RunTooLongError):
            clock.check()
    assert metrics.ENDED_LATE._value.get() > before
    clock.check()  # outside of a run nothing is timed
    assert not clock.times_any


@tells_time
def test_work_that_waits_is_not_ended() -> None:
    clock = Clock(0.2)
    with clock.timed():
        time.sleep(0.5)
        clock.check()


@pytest.mark.parametrize("error", [RunTooLongError, KeyboardInterrupt])
def test_a_run_that_ends_by_an_exception_is_timed_no_more(error: type[BaseException]) -> None:
    clock = Clock()
    with suppress(error), clock.timed():
        raise error
    assert not clock.times_any


def _page() -> None:
    import time

    import streamlit as st

    from attnviz.app.operations.run_queue import CLOCK, watched_run

    with watched_run() as run:
        run.page = "clocked"
        st.text("before")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            CLOCK.check()
    st.text("after")


def test_a_page_that_takes_too_long_says_so_and_no_more_comes_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CLOCK, "_most", 0.3)
    at = AppTest.from_function(_page, default_timeout=FOREVER).run()
    assert [each.value for each in at.error] == [say("app.too_long")]
    assert [each.value for each in at.text] == ["before", "after"]
    assert metrics.RUNS.labels("clocked", "failed")._value.get() >= 1


def _in_trouble(text: str) -> None:
    import streamlit as st

    from attnviz.app.operations.run_queue import RunTooLongError
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
