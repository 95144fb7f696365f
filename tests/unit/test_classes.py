"""What `make bench-load` measures of a class: everything that it names is done, and what fails is counted."""

import re
from types import SimpleNamespace

import pytest

from attnviz import Edit, Scenario
from attnviz.link.set_up import query_of
from benchmarks import classes
from benchmarks.loading import EDIT
from benchmarks.rows import Row
from tests.whole import WHOLE, dear


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    if not WHOLE:
        pytest.skip("make test-all")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes, "LEFT", (0,))
        patch.setattr(classes, "PACE", 0.5)
        return classes.classes(1, [3], 2)


def values(rows: list[Row], end: str) -> list[str]:
    return [row.value for row in rows if row.measure.endswith(end)]


def test_of_a_small_class_nothing_fails(rows: list[Row]) -> None:
    assert values(rows, "failed or wrong") == ["0"] * 6
    assert values(rows, "of these opens failed") == ["0"]
    assert values(rows, "that one's failed, or ended early") == ["0", "0"]


@pytest.mark.parametrize(
    "what",
    [
        "one link opened by all at once", "heatmaps, another seed, the page's run",
        "board, a number edited, torch's numbers", "a real model, another sentence, the page's run",
        "board, a number edited, the rest of the page, once the hand rests", "board, a token picked, the page's run",
        "beside a training, torch's numbers", "beside a reader of a real model, torch's numbers",
        "beside a reader of a real model: that one's p95",
    ],
)  # fmt: skip
def test_each_of_them_is_timed(rows: list[Row], what: str) -> None:
    told = [row for row in rows if f"{what}: p95 (" in row.measure or f"{what} (" in row.measure]
    assert len(told) == 1, [row.measure for row in rows]
    assert re.fullmatch(r"[\d.]+ m?s", told[0].value)


def test_the_memory_of_one_and_of_those_who_left_is_told(rows: list[Row]) -> None:
    assert len(values(rows, "memory of one session")) == len(classes.CONTROLS)
    assert len(values(rows, "is left of them after 0 s")) == 1


def test_what_a_change_costs_the_processor_is_told(rows: list[Row]) -> None:
    told = values(rows, "processor of a change")
    assert len(told) == 6
    assert all(re.fullmatch(r"[\d.]+ ms", each) and float(each.split()[0]) > 0 for each in told)


def test_a_picked_word_asks_for_the_rest_of_its_page_once_at_most(rows: list[Row]) -> None:
    asked = [re.search(r"of (\d+)\)", row.measure) for row in rows if "picked, the rest" in row.measure]
    assert all(each and int(each[1]) <= 3 for each in asked)


@dear
def test_a_part_is_measured_alone_and_what_has_no_time_is_named() -> None:
    only = classes.classes(1, [2], 1, ["picks"])
    assert only
    assert all(row.measure.startswith("2 clients on 1 copy, board, a token picked") for row in only)
    (late,) = classes.classes(1, [2], 30, ["edits", "picks"], most=0.5)
    assert late == Row("2 clients on 1 copy, not measured within 0.5 s: edits, picks", "left out")


@pytest.mark.parametrize("value", [1, 8, 9, 3003, 59_001, 59_019, 299_007])
def test_an_edit_is_seen_in_the_address_with_all_its_digits(value: int) -> None:
    told = query_of(Scenario(edits=[Edit("w_q", value % 3, 0, value / 8)]))
    client = SimpleNamespace(told=told)
    assert EDIT.shows(client, value)  # type: ignore[arg-type]
    assert not EDIT.shows(client, value + 3)  # type: ignore[arg-type]
