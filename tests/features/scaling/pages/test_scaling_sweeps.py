"""Sweeps of the scaling page: shown, shared, stopped, waited for, started on a click; each reader has their own."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Event, Thread
from typing import Any
from unittest.mock import Mock

import pytest

from attnviz import sweep_scaling
from attnviz.features.scaling.page import sweeps
from attnviz.words import say
from tests.features.scaling.pages.scaling_page import PROJECTIONS, SMALL, ScalingPage, sweep_of


@pytest.fixture
def scaling() -> ScalingPage:
    return ScalingPage()


# Long sweeps


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Mock:
    sweep = Mock(wraps=sweep_scaling)
    monkeypatch.setattr(sweeps, "sweep_scaling", sweep)
    return sweep


def test_what_one_session_swept_no_other_sweeps_again(counted: Mock) -> None:
    sweeps.shared().tables.forget(lambda _: True)
    one = ScalingPage()
    n_sweeps = counted.call_count
    assert n_sweeps == 1 + len(PROJECTIONS)
    other = ScalingPage()
    other.slide(8)
    one.run()
    assert counted.call_count == n_sweeps
    other.set("scaling.seed", 77)
    assert counted.call_count == n_sweeps + 1
    assert (one.run().settings, other.settings) == (SMALL, replace(SMALL, seed=77, dim=8)), "each has their own"
    other.set("scaling.seed", SMALL.seed)
    assert counted.call_count == n_sweeps + 1


def test_a_stopped_sweep_keeps_the_last_plot_and_can_be_run_again(scaling: ScalingPage, counted: Mock) -> None:
    wanted = replace(SMALL, seed=5)
    key = (5, wanted.dims, wanted.trials, wanted.keys, wanted.source, None, wanted.swept_scales(), "all")
    scaling.at.session_state["scaling.stopped"] = key
    scaling.set("scaling.seed", 5)
    assert say("scaling.sweep.stopped_others") in scaling.texts
    assert scaling.shows(sweep_of(SMALL))
    assert counted.call_count == 0
    scaling.press_key("scaling.again.normal.all")
    assert scaling.shows(sweep_of(wanted))


# Large sweeps


LARGE = "dims.2-4096*trials.10000*keys.64"


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    """Sweep something small in place of what is asked, and count how often."""
    sweep = Mock(side_effect=lambda dims, trials, seed, **more: sweep_scaling(dims, 2, seed, **more))
    monkeypatch.setattr(sweeps, "sweep_scaling", sweep)
    sweeps.shared().tables.forget(lambda _: True)
    yield sweep
    sweeps.shared().tables.forget(lambda _: True)


def main_sweeps(counted: Mock) -> int:
    return sum(call.kwargs["source"] == "normal" for call in counted.call_args_list)


def test_a_large_sweep_that_a_link_asks_for_starts_on_a_click(quickly: Mock) -> None:
    page = ScalingPage(LARGE)
    assert main_sweeps(quickly) == 0
    before, after = say("scaling.sweep.large", time="|").split("|")
    assert page.text(before).endswith(after)
    assert not [name for name in page.charts if name.startswith("curve.")]
    assert page.curves("classic")
    page.set("scaling.times", 3.0)  # what has nothing to do with it does not start it
    assert main_sweeps(quickly) == 0
    page.press(say("scaling.sweep.run"))
    assert main_sweeps(quickly) == 1
    assert "curve.variance" in page.charts
    assert not [text for text in page.texts if text.startswith(before)]


def test_a_small_sweep_of_a_link_and_a_large_one_of_the_readers_start_by_themselves(quickly: Mock) -> None:
    page = ScalingPage(SMALL)
    assert main_sweeps(quickly) == 1
    page.set("scaling.keys", 64).set("scaling.trials", 10_000).set("scaling.dims", "2, 4096")
    assert main_sweeps(quickly) == 4
    assert page.errors == []
    assert "curve.variance" in ScalingPage(page.settings).charts  # another has computed it: nothing to wait for


def test_after_a_link_the_readers_own_change_starts_a_large_sweep(quickly: Mock) -> None:
    page = ScalingPage(LARGE)
    assert main_sweeps(quickly) == 0
    page.set("scaling.seed", 5)
    assert main_sweeps(quickly) == 1
    assert "curve.variance" in page.charts


def test_what_the_page_shows_by_the_way_waits_for_a_click_too_where_it_is_large(quickly: Mock) -> None:
    page = ScalingPage(SMALL, text="the cat sat on the mat", embedding="stable", d_in="512")
    assert {call.kwargs["source"] for call in quickly.call_args_list} == {"normal"}
    assert page.text(say("scaling.sweep.large_more", time="|").partition("|")[0])
    page.press(say("scaling.sweep.run"))
    assert {call.kwargs["source"] for call in quickly.call_args_list} == {"normal", *PROJECTIONS}
    assert "broken" in page.charts


def test_a_sweep_that_takes_minutes_is_refused_with_a_way_out(quickly: Mock) -> None:
    page = ScalingPage(SMALL, text="a b c d e f", embedding="stable", d_in="1024")
    page.set("scaling.source", "normal-projections").set("scaling.trials", 10_000).set("scaling.dims", "4096")
    (error,) = page.errors
    assert "this page runs sweeps of up to 2 minutes" in error
    assert all(4096 not in call.kwargs["dims"] for call in quickly.call_args_list)


def test_a_large_sweep_waits_for_the_one_before_and_says_so(quickly: Mock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the reader stops waiting, nothing is computed and the place in the line is free."""
    monkeypatch.setattr(sweeps, "_SLOW", -1.0)
    told: list[str] = []
    original = sweeps._Told.waiting

    def note(self: Any, before: int) -> None:
        told.append(say("scaling.sweep.waiting", n=before))
        original(self, before)
        if len(told) == 3:
            first.set()

    monkeypatch.setattr(sweeps._Told, "waiting", note)
    first, has_its_turn = Event(), Event()

    def hold() -> None:
        with sweeps.shared().large.turn(lambda before: None):
            has_its_turn.set()
            first.wait(30)

    holder = Thread(target=hold)
    holder.start()
    assert has_its_turn.wait(30)
    page = ScalingPage(replace(SMALL, keys=64)).set("scaling.trials", 10_000)
    assert told == []  # small ones have a line of their own
    page.set("scaling.dims", "2, 4096")
    holder.join()
    assert told[:3] == ["Waiting: 1 sweep is before yours."] * 3
    assert "curve.variance" in page.charts
    assert sweeps.shared().large.length == 0
