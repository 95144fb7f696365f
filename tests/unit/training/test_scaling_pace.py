"""The time that is left is that of the last seconds' pace."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.app.keeper.runs import SPAN, Pace


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
