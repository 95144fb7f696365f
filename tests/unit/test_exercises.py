"""Exercises: the same seed gives the same, hints lead to the value, the sheet has the answers."""

import html.parser
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz.exercises.answer_sheet import answer_sheet, class_sheets
from attnviz.exercises.exercise import RESULTS, Exercise, decoded
from attnviz.marking import Mark
from attnviz.words import say

exercises = st.builds(
    Exercise,
    seed=st.integers(0, 2**32 - 1),
    n_tokens=st.integers(2, 5),
    d_in=st.integers(1, 4),
    d_k=st.integers(1, 4),
    integers=st.booleans(),
    scale=st.booleans(),
    blank=st.sets(st.sampled_from(RESULTS)).map(lambda names: tuple(name for name in RESULTS if name in names)),
)


@given(exercises)
def test_a_link_carries_an_exercise_and_the_same_exercise_has_the_same_numbers(exercise: Exercise) -> None:
    again = decoded(exercise.encoded())
    assert again == exercise
    for name in ("x", "w_q", *RESULTS):
        np.testing.assert_array_equal(again.table(name), exercise.table(name))


@given(st.text(max_size=60) | st.text("0123456789.isduqkvac", max_size=40))
def test_any_text_of_a_link_is_an_exercise(text: str) -> None:
    assert decoded(decoded(text).encoded()) == decoded(text)


@given(exercises)
def test_the_numbers_are_those_of_attention_and_easy_to_reckon_with(exercise: Exercise) -> None:
    trace = exercise.trace
    again = attnviz.attend(trace.x, trace.w_q, trace.w_k, trace.w_v, scale=exercise.scale)
    for name in RESULTS:
        torch.testing.assert_close(getattr(again, name), getattr(trace, name))
    for name in ("x", "w_q", "w_k", "w_v"):
        times = 1 if exercise.integers else 10
        whole = getattr(trace, name) * times
        torch.testing.assert_close(whole, whole.round())
    if exercise.integers:
        assert torch.equal(trace.scores, trace.scores.round())


@given(exercises)
def test_the_rounded_answers_are_all_right(exercise: Exercise) -> None:
    marking = exercise.mark({name: exercise.table(name) for name in exercise.blank})
    assert tuple(table.stage.name for table in marking.tables) == exercise.blank
    assert all(table.n_differing == 0 for table in marking.tables)


def test_an_answer_reckoned_from_a_wrong_one_follows() -> None:
    exercise = Exercise(seed=7)
    answers = {name: exercise.table(name).copy() for name in exercise.blank}
    answers["q"][0, 0] += 1
    answers["scores"] = answers["q"] @ answers["k"].T
    marking = exercise.mark({"q": answers["q"], "k": answers["k"], "scores": answers["scores"]})
    q, k, scores = marking.tables
    assert (q.count(Mark.WRONG), k.n_differing, scores.count(Mark.WRONG)) == (1, 0, 0)
    assert scores.count(Mark.FOLLOWS) == np.count_nonzero(answers["k"][:, 0])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seed": -1}, "-1 can't be seed: take a whole number from 0 to"),
        ({"n_tokens": 6}, "6 can't be n_tokens: take a whole number from 2 to 5"),
        ({"d_k": 0}, "0 can't be d_k: take a whole number from 1 to 4"),
        ({"blank": ("x",)}, "'x' cannot be left blank, expected some of q, k, v"),
    ],
)
def test_what_is_no_exercise_is_an_error(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Exercise(**fields)


# On paper and on the page


class Reader(html.parser.HTMLParser):
    """Collects the texts of the cells, and the tags that stay open."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.cells[-1] += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def test_the_sheet_has_the_blanks_first_and_the_answers_after() -> None:
    exercise = Exercise(seed=7)
    first, second = (read(part).cells for part in _sections(answer_sheet(exercise)))
    blanks = sum(exercise.table(name).size for name in exercise.blank)
    assert first.count("") == blanks > 0
    assert "" not in second
    assert len(first) == len(second)
    assert f"exercise {exercise.encoded()}" in answer_sheet(exercise)


def _sections(page: str) -> list[str]:
    read(page.removeprefix("<!DOCTYPE html>\n"))
    return [part.partition("</section>")[0] for part in page.split("<section>")[1:]]


@given(exercises)
def test_correct_work_with_rounding_is_marked_right_and_stands_in_the_key(exercise: Exercise) -> None:
    answers = {name: exercise.carried[name] for name in exercise.blank}
    assert exercise.mark(answers).n_not_right == 0
    key = read(_sections(answer_sheet(exercise))[1])
    shown = [cell.split("≈")[-1].strip() for cell in key.cells]
    tables = ("x", "w_q", "w_k", "w_v", *RESULTS)
    expected = [value for name in tables for value in exercise.carried[name].flatten().tolist()]
    assert [float(text.replace("−", "-")) for text in shown] == expected


def test_the_sheets_of_a_class_have_names_room_links_and_codes_and_no_answers() -> None:
    class_of = [Exercise(seed=seed) for seed in range(7, 10)]
    sheets, keys = class_sheets(class_of, lambda exercise: f"https://example.org/check?check={exercise.seed}&x=<")
    assert sheets.count("<section>") == keys.count("<section>") == 3
    for words in ("sheet_name", "sheet_date", "sheet_room", "sheet_link"):
        assert sheets.count(say(f"exercises.{words}")) == 3
    assert sheets.count("<svg") == 3
    assert "?check=8&amp;x=&lt;" in sheets
    assert "<svg" not in keys
    assert "break-inside: avoid" in sheets
    blanks = sum(exercise.table(name).size for exercise in class_of for name in exercise.blank)
    assert read(sheets.partition("<body>")[2].partition("</body>")[0]).cells.count("") == blanks
