"""How a handout is read and what is said of it: right is not called wrong, wrong not excused, and a slip is named."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.masks import MASKS, Masked
from attnviz.features.check.marking import ENTERS, NOT_RIGHT, Mark, Marking, Printed, mark_pipeline, verdict
from attnviz.features.check.marking.causes import SLIPS
from attnviz.features.tables.reading import read_table
from attnviz.words import catalogue, plural, say
from tests.features.check.unit.handouts.counting import Count, counted
from tests.features.check.unit.handouts.one_head import ORDER, right_handout, step, wrong_handout
from tests.features.check.unit.handouts.one_head import SLIPS as PLANTED

Numbers = dict[str, np.ndarray]


def computed(seed: int, n: int = 4, d: int = 3, digits: int = 12, *, causal: bool = False) -> Numbers:
    rng = np.random.default_rng(seed)
    tables = {"x": rng.uniform(-1.5, 1.5, (n, d)).round(digits)}
    tables |= {name: rng.uniform(-1.5, 1.5, (d, d)).round(digits) for name in ("w_q", "w_k", "w_v")}
    return computed_from(tables, causal=causal)


def computed_from(inputs: Numbers, *, causal: bool = False) -> Numbers:
    tables = dict(inputs)
    for name in ORDER:
        tables[name] = step(name, tables, causal=causal)
    return tables


def printed(tables: Numbers, decimals: int) -> dict[str, Printed]:
    return {name: Printed.of(table.round(decimals), decimals) for name, table in tables.items()}


def wrong_cells(marking: Marking) -> list[tuple[str, int, int]]:
    return [(table.stage.name, i, j) for table in marking.tables for i, j in np.argwhere(table.at(*ENTERS)).tolist()]


# Right numbers aren't called wrong


@given(st.integers(0, 10**6), st.sampled_from((2, 3)), st.integers(4, 6), st.integers(3, 5))
def test_a_spreadsheet_that_shows_few_decimals_is_right_and_said_to_be_one(
    seed: int, decimals: int, n: int, d: int
) -> None:
    marking = mark_pipeline(printed(computed(seed, n, d), decimals))
    assert marking.n_not_right == 0
    if marking.count(Mark.HIDDEN):
        assert marking.reading.inputs == "rounded"
        assert say("marking.reading.inputs", decimals=plural(decimals, "decimal")) in verdict(marking).reading


@pytest.mark.parametrize(("n", "d", "most"), [(2, 2, 0.1), (2, 1, 0.4), (3, 1, 0.25)])
def test_of_the_smallest_spreadsheets_nothing_is_called_wrong_and_few_are_in_doubt(n: int, d: int, most: float) -> None:
    """So few numbers may not tell a spreadsheet from one wrong number: then both are said."""
    markings = [mark_pipeline(printed(computed(seed, n, d), 2)) for seed in range(40)]
    assert [marking.n_not_right for marking in markings] == [0] * 40
    assert sum(marking.first_doubtful is not None for marking in markings) <= most * 40


def test_what_is_in_doubt_is_said_in_both_readings_and_settled_by_either() -> None:
    spreadsheet = printed(computed(68, 2, 2), 2)
    marking = mark_pipeline(spreadsheet)
    assert marking.count(Mark.DOUBTFUL) == 1
    assert marking.first_wrong is None
    assert marking.wrong == ()
    says = verdict(marking, ("the", "cat"))
    assert say("marking.part.doubtful", n=1) in says.summary
    assert says.doubt == (
        say("marking.doubt.exact", cell="a number of “the”, V[0, 1]", given="−1.57", right="−1.56"),
        say("marking.doubt.otherwise", decimals=plural(2, "decimal")),
    )
    assert verdict(marking).doubt[0] in str(marking)
    assert mark_pipeline(spreadsheet, rounded_inputs=True).n_not_right == 0
    assert mark_pipeline(spreadsheet, rounded_inputs=False).wrong == (("v", 0, 1),)


@pytest.mark.parametrize("seed", range(6))
def test_digits_that_were_cut_off_are_told_so_and_not_called_wrong(seed: int) -> None:
    tables = computed(seed, digits=1)
    cut = {name: Printed.of(np.trunc(table * 1000) / 1000, 3) for name, table in tables.items() if name in ORDER}
    marking = mark_pipeline({name: table for name, table in tables.items() if name not in ORDER} | cut)
    assert marking.reading.results == "cut"
    assert marking.n_not_right == 0
    # A tie may be rounded either way.
    off = {name: np.abs(np.trunc(tables[name] * 1000) / 1000 - tables[name]) > 0.0005 + 1e-6 for name in ORDER}
    assert {table.stage.name: table.count(Mark.CUT) for table in marking.tables} == {
        name: int(cells.sum()) for name, cells in off.items()
    }
    assert say("marking.reading.cut", n=marking.count(Mark.CUT)) in verdict(marking).reading


@pytest.mark.parametrize("hidden", ["-1e9", "-10000", "-INF", "-infinity", "−∞", "x", "-inf"])
@pytest.mark.parametrize("switched", [None, True])
def test_masked_cells_are_read_however_they_are_printed(hidden: str, switched: bool | None) -> None:
    tables = computed(5, digits=1, causal=True)
    lines = [
        " ".join(hidden if math.isinf(value) else f"{value:.3f}" for value in row) for row in tables["scaled_scores"]
    ]
    given: dict[str, Any] = {each: tables[each] for each in ("x", "w_q", "w_k", "w_v")}
    results = printed({each: tables[each] for each in ORDER}, 3)
    given |= results | {"scaled_scores": read_table("\n".join(lines), infinite=True, blanks=True)}
    marking = mark_pipeline(given, causal=switched)
    assert marking.n_not_right == 0
    assert marking.settings.masked == Masked(MASKS["causal"])
    assert (say("marking.reading.masked") in verdict(marking).reading) == (switched is None)


@given(st.integers(0, 10**6))
def test_a_number_printed_short_counts_to_the_decimals_of_its_table(seed: int) -> None:
    tables = computed(seed, digits=1)
    weights = [[f"{value:.2f}" for value in row] for row in tables["attention_weights"]]
    row, column = divmod(seed % 16, 4)
    right = weights[row][column]
    weights[row][column] = "0.5"
    given: dict[str, Any] = {each: tables[each] for each in ("x", "w_q", "w_k", "w_v")}
    marking = mark_pipeline(given | {"attention_weights": read_table("\n".join(map(" ".join, weights)))})
    assert wrong_cells(marking) == ([] if right == "0.50" else [("attention_weights", row, column)])


# Wrong numbers aren't excused


_SPOILED = ("q", "scores", "attention_weights", "context")


@given(st.integers(0, 10**6), st.sampled_from(_SPOILED), st.sampled_from((-1, 1)))
def test_ten_units_of_the_last_place_are_found_at_four_decimals(seed: int, name: str, sign: int) -> None:
    tables = computed(seed)
    given = printed(tables, 4) | {"x": Printed.of(tables["x"].round(2), 4)}
    tables = computed_from({each: given[each].array if each == "x" else tables[each] for each in INPUTS})
    given |= printed({each: tables[each] for each in ORDER}, 4)
    assert mark_pipeline(given).n_not_right == 0
    row, column = seed % 4, seed % tables[name].shape[1]
    moved = given[name].array
    moved[row, column] = round(moved[row, column] + sign * 0.001, 4)
    spread = next(t for t in mark_pipeline(given).tables if t.stage.name == name).spread
    assert spread is not None
    if 4 * spread[row, column] < 0.0009:  # else rounding may well have moved it so far
        assert (name, row, column) in wrong_cells(mark_pipeline(given | {name: Printed.of(moved, 4)}))


INPUTS = ("x", "w_q", "w_k", "w_v")


@pytest.mark.parametrize("seed", [201, 222])
def test_a_table_made_with_the_wrong_w_is_not_excused_in_part_by_another_reading(seed: int) -> None:
    handout = wrong_handout("other_factor", seed)
    assert handout
    marking = mark_pipeline(handout.tables, **handout.settings)
    assert marking.reading.inputs == "exact"
    (table,) = (each for each in marking.tables if each.stage.name == handout.stage)
    assert table.at(*NOT_RIGHT)[handout.traces > 2].all()


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


def test_three_slips_that_give_the_same_numbers_are_all_named() -> None:
    """At temperature ½ and d_k = 2, ln 2, 1/√2 and both left out make nearly one factor of the scores."""
    q, k = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.4, 1.0], [0.2, -0.6]])
    scaled = q @ k.T / math.sqrt(2) / 0.5
    powers = 2.0**scaled
    given: dict[str, Any] = {"q": q, "k": k, "scores": q @ k.T, "scaled_scores": Printed.of(scaled.round(2), 2)}
    given["attention_weights"] = Printed.of((powers / powers.sum(1, keepdims=True)).round(2), 2)
    (said,) = verdict(mark_pipeline(given, temperature=0.5)).slips
    for slip in ("before they were divided by √d_k", "a second time", "powers of 2"):
        assert slip in said
    assert said.endswith("Each of the three would give these numbers.")


OF_NUMBERS_AND_SOFTMAX = ("base_two", "dropped_out", "cells_exchanged", "point", "comma")


@pytest.mark.parametrize("slip", OF_NUMBERS_AND_SOFTMAX)
def test_a_slip_that_leaves_a_trace_is_named(slip: str) -> None:
    count = Count()
    for seed in range(12):
        if handout := wrong_handout(slip, seed):
            count.take(handout)
    assert count.traced[slip] >= 8
    assert count.named[slip] >= 0.8 * count.traced[slip]
    assert not count.misnamed
    assert count.alarms == 0


@pytest.mark.parametrize("seed", range(40))
def test_the_arithmetic_below_the_first_error_adds_up(seed: int) -> None:
    tables = computed(seed, 3, 3, digits=2)
    tables["q"][0, 0] += 1
    lines = verdict(mark_pipeline(tables, decimals=2)).arithmetic
    terms, result = (line.lstrip("=≈ ").replace("−", "-").replace(" ", "").replace("+-", "-") for line in lines[-2:])
    numbers = [
        float(sign + digits)
        for sign, digits in re.findall(r"([-+]?)\(?([0-9.]+(?:e-?[0-9]+)?)", terms.replace("(-", "-"))
    ]
    assert len(numbers) == 3
    assert sum(numbers) == pytest.approx(float(result), abs=1e-9), lines


def test_every_slip_has_its_sentence_and_is_planted_in_the_bench() -> None:
    named = {slip.name for slip in SLIPS} - {"divided_otherwise", "scaled_early", "power_of_ten", "written_wrongly"}
    assert {f"marking.slip.{name}" for name in named} <= set(catalogue())
    assert all(any(wrong_handout(slip, seed) for seed in range(100)) for slip in PLANTED)
