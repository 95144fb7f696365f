"""The cause of a wrong table: each known slip is named where it was made, and nothing else is."""

from typing import Any

import numpy as np
import pytest

from attnviz.marking import Printed, mark_pipeline, verdict
from attnviz.marking.causes import SLIPS
from attnviz.words import catalogue
from benchmarks.handouts.one_head import ORDER, right_handout, wrong_handout
from benchmarks.handouts.one_head import SLIPS as PLANTED
from benchmarks.marking import counted
from tests.unit.marking.test_readings import INPUTS, computed


def test_a_sample_of_the_bench_has_no_misses_few_false_alarms_and_the_right_causes() -> None:
    count = counted(range(100, 101))
    traced = sum(count.traced.values())
    assert count.cells > 1500
    assert count.missed["typed"] == 0
    assert count.alarms <= 3, count.alarmed
    assert sum(count.named.values()) >= 0.85 * traced > 12
    assert sum(count.misnamed.values()) <= 0.03 * traced, count.misnamed


@pytest.mark.parametrize("seed", range(100, 106))
def test_a_right_handout_has_no_cause_and_no_mark(seed: int) -> None:
    handout = right_handout(seed)
    marking = mark_pipeline(handout.tables, **handout.settings)
    assert marking.n_not_right == 0
    assert verdict(marking).slips == ()


def handed_in(name: str, table: np.ndarray, **settings: Any) -> tuple[str, ...]:
    """What is said of a handout of three decimals with another table in one place, and the right ones elsewhere."""
    tables = computed(7, n=3, d=3, digits=1)
    given: dict[str, Any] = {each: tables[each] for each in INPUTS}
    given |= {each: Printed.of((table if each == name else tables[each]).round(3), 3) for each in ORDER}
    return verdict(mark_pipeline(given, **settings), ("the", "cat", "sat")).slips


def test_causes_are_said_with_the_readers_words_and_numbers() -> None:
    tables = computed(7, n=3, d=3, digits=1)
    q, s = tables["q"], tables["scores"]
    another = q.copy()
    another[1] = q[2]
    assert handed_in("q", another) == ("Q, queries: the numbers of “cat” are those of “sat”.",)
    assert handed_in("scaled_scores", s) == ("Scaled scores: the scores weren't divided by √d_k = 1.732.",)
    assert handed_in("v", tables["x"] @ tables["w_k"]) == ("V, values: W_k was taken in place of W_v.",)
    signed = s.copy()
    signed[0, 1] *= -1
    assert handed_in("scores", signed) == ("Scores: S[0, 1] has the wrong sign.",)


def test_every_slip_has_its_sentence_and_is_planted_in_the_bench() -> None:
    named = {slip.name for slip in SLIPS} - {"divided_otherwise", "scaled_early", "power_of_ten", "written_wrongly"}
    assert {f"marking.slip.{name}" for name in named} <= set(catalogue())
    assert all(any(wrong_handout(slip, seed) for seed in range(100)) for slip in PLANTED)
