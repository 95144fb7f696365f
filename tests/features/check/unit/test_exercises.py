"""Exercises: the same seed gives the same, hints lead to the value, the sheet has the answers."""

import dataclasses
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.features.check.exercises.answer_sheet import answer_sheet, class_sheets
from attnviz.features.check.exercises.exercise import RESULTS, RUNGS, STEPS, Exercise, decoded, is_exercise, left_out
from attnviz.features.check.exercises.gradebook import sheet_to_hand_in
from attnviz.features.check.exercises.mistakes import choices, mistakes, rule_of, work_of
from attnviz.features.check.marking import Mark, Marking, verdict
from attnviz.features.check.marking.causes import SLIPS
from attnviz.features.check.marking.step import Candidate, Step
from attnviz.words import say
from tests.examples import examples

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


@given(exercises, st.booleans(), st.booleans())
def test_a_link_carries_an_exercise_and_whether_it_is_fair_and_the_same_one_has_the_same_numbers(
    exercise: Exercise, fair: bool, distinct: bool
) -> None:
    wanted = dataclasses.replace(exercise, fair=fair, distinct=distinct and fair)
    again = decoded(wanted.encoded())
    assert again == wanted
    assert is_exercise(wanted.encoded())
    assert wanted.encoded().removesuffix(".f").removesuffix(".d") == exercise.encoded()
    for name in ("x", "w_q", *RESULTS):
        np.testing.assert_array_equal(again.table(name), wanted.table(name))


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


def test_zeros_in_an_answer_are_no_mask_that_the_exercise_had() -> None:
    exercise = Exercise(267, n_tokens=2, blank=left_out(2), fair=True)
    (weights,) = exercise.mark({"attention_weights": np.array([[1.0, 0.0], [1.0, 0.0]])}).tables
    assert weights.count(Mark.WRONG) == 4


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seed": -1}, "-1 can't be seed: take a whole number from 0 to"),
        ({"n_tokens": 6}, "6 can't be n_tokens: take a whole number from 2 to 5"),
        ({"d_k": 0}, "0 can't be d_k: take a whole number from 1 to 4"),
        ({"blank": ("x",)}, "'x' can't be blank. Take one of these: q, k, v"),
    ],
)
def test_what_is_no_exercise_is_an_error(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Exercise(**fields)


# The ladder


def test_each_rung_leaves_out_the_last_steps_and_no_more() -> None:
    order = [name for step in STEPS for name in step]
    assert order == list(RESULTS)
    for rung in RUNGS:
        assert left_out(rung) == tuple(order[len(order) - sum(map(len, STEPS[len(STEPS) - rung :])) :])
        exercise = Exercise(blank=left_out(rung), fair=True)
        assert exercise.rung == rung
        assert len([name for name in RESULTS if name in exercise.printed]) + len(left_out(rung)) == len(RESULTS)
    assert Exercise().rung is None


def of_rung(seed: int, rung: int) -> Exercise:
    return Exercise(seed, n_tokens=2 + seed % 3, d_in=2 + seed % 2, d_k=2, blank=left_out(rung), fair=True)


def answered(exercise: Exercise, **other: np.ndarray) -> Marking:
    return exercise.mark({name: exercise.table(name) for name in exercise.blank} | other)


def shows(planted: np.ndarray, exercise: Exercise, name: str) -> np.ndarray:
    """Which cells are off by more than any way to round explains."""
    return np.minimum(np.abs(planted - exercise.table(name)), np.abs(planted - exercise.carried[name])) > 0.011


def slips_of(exercise: Exercise, name: str) -> list[np.ndarray]:
    """Every table that a slip of the marking's own list makes of a step, and that shows in the printed digits."""
    marking = answered(dataclasses.replace(exercise, blank=RESULTS))
    right = exercise.table(name)
    step = Step(marking, marking.stages[name], marking.before, right, np.zeros(right.shape, bool), 0.005)
    with np.errstate(all="ignore"):
        made = [each for slip in SLIPS if slip.may_be(step.rule, name) for each in slip.ways(step)]
    tables = [np.asarray(each.values if isinstance(each, Candidate) else each).round(2) for each in made]
    return [each for each in tables if each.shape == right.shape and np.isfinite(each).all()
            and shows(each, exercise, name).any()]  # fmt: skip


@settings(max_examples=examples(100))
@given(st.data(), st.integers(0, 500), st.sampled_from(RUNGS[1:]))
def test_every_slip_that_is_planted_is_found(data: st.DataObject, seed: int, rung: int) -> None:
    exercise = of_rung(seed, rung)
    name = data.draw(st.sampled_from(exercise.blank))
    planted = data.draw(st.sampled_from(slips_of(exercise, name)))
    (table,) = [table for table in answered(exercise, **{name: planted}).tables if table.stage.name == name]
    off = shows(planted, exercise, name)
    assert table.at(Mark.WRONG)[off].all() or table.unit > 1  # all of a table in thousandths is told, and no slip


@settings(max_examples=examples(15))
@given(st.integers(0, 10**6), st.sampled_from(RESULTS))
def test_on_a_fair_sheet_each_mistaken_rule_is_named_for_what_it_is(seed: int, name: str) -> None:
    exercise = of_rung(seed, RUNGS[-1])
    for mistake in mistakes(exercise.trace, name, 2):
        (slip,) = verdict(answered(exercise, **{name: mistake.values})).slips[:1]
        assert mistake.said in slip


def made(seed: int, *, to_hand_in: bool) -> Exercise:
    like = Exercise(seed, fair=True, blank=RESULTS)
    return sheet_to_hand_in(like, b"a secret") if to_hand_in else like


@pytest.mark.parametrize("to_hand_in", [False, True])
def test_fair_sheets_have_no_numbers_in_which_a_mistake_hides(to_hand_in: bool) -> None:
    words = set()
    for seed in range(examples(1000)):
        exercise = made(seed, to_hand_in=to_hand_in)
        trace = exercise.trace
        words.add(exercise.check_word)
        assert len(set(map(tuple, trace.x.tolist()))) == len(trace.x)
        assert len({tuple(w.flatten().tolist()) for w in (trace.w_q, trace.w_k, trace.w_v)}) == 3
        assert not torch.equal(trace.scores, trace.scores.T)
        assert float((trace.attention_weights.max(-1).values - trace.attention_weights.min(-1).values).min()) >= 0.05
        if to_hand_in:
            assert 0.5 <= work_of(trace) <= 0.65
            for one, other in combinations((trace.q, trace.k, trace.v), 2):  # a number miscopied changes a line alone
                assert min(int((one != other).any(axis).sum()) for axis in (0, 1)) > 1
        for name in RESULTS:
            tables = [mistake.values for mistake in mistakes(trace, name, 2)]
            tables.append(exercise.table(name))
            assert not any(np.array_equal(*pair) for pair in combinations(tables, 2)), (seed, name)
    assert len(words) >= 0.99 * examples(1000)  # beside the number, which is another on each


def test_who_does_not_know_the_secret_makes_neither_the_numbers_nor_the_check_word() -> None:
    ours, theirs = (sheet_to_hand_in(Exercise(7), secret) for secret in (b"a secret", b"another"))
    assert ours == sheet_to_hand_in(Exercise(7), b"a secret")
    assert ours.numbers != theirs.numbers
    assert ours.check_word != theirs.check_word
    assert decoded(ours.encoded()) == ours
    assert is_exercise(ours.encoded())
    assert not decoded(ours.encoded()[:-1]).to_hand_in  # with a number too few
    with pytest.raises(ValueError, match="no fair sheet has d_in = 1 and d_k = 1"):
        sheet_to_hand_in(Exercise(7, d_in=1, d_k=1), b"a secret")


def test_the_choices_of_a_rule_give_other_numbers_and_say_what_they_would_give() -> None:
    exercise = Exercise(7, fair=True)
    for name in RESULTS:
        others = choices(exercise.trace, name, 2)
        assert 1 <= len(others) <= 3
        assert len({rule_of(exercise.trace, name), *(each.symbols for each in others)}) == len(others) + 1
        assert all(not np.array_equal(each.values, exercise.table(name)) for each in others)
    first, *_ = choices(exercise.trace, "context", 2)
    turned = exercise.trace.attention_weights.T @ exercise.trace.v
    np.testing.assert_array_equal(first.values, turned.numpy().round(2))
    assert "With Aᵀ V, C[" in first.gives("context", exercise.table("context"), 2)


# On paper and on the page


def test_the_sheet_has_the_blanks_first_and_the_answers_after() -> None:
    exercise = Exercise(seed=7)
    first, second = map(cells_of, _sections(answer_sheet(exercise)))
    blanks = sum(exercise.table(name).size for name in exercise.blank)
    assert first.count("") == blanks > 0
    assert "" not in second
    assert len(first) == len(second)
    assert f"exercise {exercise.encoded()}" in answer_sheet(exercise)


def cells_of(section: str) -> list[str]:
    """The texts of a section's cells, but those beside the tables."""
    return ["".join(cell.itertext()) for cell in ElementTree.fromstring(section).iter("td") if not cell.get("class")]


def _sections(page: str) -> list[str]:
    return [f"<div>{part.partition('</section>')[0]}</div>" for part in page.split("<section>")[1:]]


@given(exercises)
def test_correct_work_with_rounding_is_marked_right_and_stands_in_the_key(exercise: Exercise) -> None:
    for made in (exercise.table, exercise.carried.__getitem__):
        marking = exercise.mark({name: made(name) for name in exercise.blank})
        assert tuple(table.stage.name for table in marking.tables) == exercise.blank
        assert marking.count(Mark.RIGHT, Mark.CARRIED) == sum(table.n_cells for table in marking.tables)
    shown = [cell.split("≈")[-1].strip() for cell in cells_of(_sections(answer_sheet(exercise))[1])]
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
    assert sum(cells_of(section).count("") for section in _sections(sheets)) == blanks
