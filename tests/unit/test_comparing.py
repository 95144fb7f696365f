"""Comparing two scenarios: the difference is B - A, and the words say where it is largest."""

import math
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.compare.comparison import Comparison, about, changed_in_words, moved_most, other_words
from attnviz.core.scenario import traced
from attnviz.core.stages import EVERY_STAGE
from attnviz.figures import comparison_specs
from attnviz.teach.questions.seeing import in_float64
from attnviz.teach.replaced import dropout, one_matrix
from attnviz.words import say
from attnviz.words.numbers import written
from tests.unit.helpers import edits_of, every_way, setups
from tests.unit.test_exported_code import scenarios
from tests.unit.test_heatmaps import cells, strings


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Scenario, Scenario]:
    """Two scenarios of one sentence that differ in edits, seed, mask or temperature."""
    a = draw(setups(whole=True))
    b = replace(a, seed=draw(st.sampled_from((a.seed, 5))), causal=draw(st.booleans()), temperature=draw(st.just(2.0)))
    return a, replace(b, edits=draw(edits_of(b)))


@given(pairs())
def test_the_rows_of_attention_that_moved_most_are_named_with_their_share(pair: tuple[Scenario, Scenario]) -> None:
    comparison = Comparison(*map(traced, pair))
    difference = (comparison.b.attention_weights - comparison.a.attention_weights).double().numpy()
    # What a row gains is what it loses, for both sum to 1: the positive part is the whole way.
    shares = np.clip(difference, 0, None).sum(-1)
    said = [
        moved.groups()
        for words in moved_most(comparison, "attention_weights", 4)
        if (moved := re.search(r" moved (less than )?([\d.]+) % of its attention", words))
    ]
    expected = sorted((share for share in shares if share > 2e-6), reverse=True)[:3]
    for (less, told), share in zip(said[: len(expected)], expected, strict=True):
        assert (100 * share <= 0.1001) if less else abs(float(told) - 100 * share) < 0.06
        assert not less or told == "0.1"


def test_a_share_too_small_to_be_written_is_told_as_less() -> None:
    a, b = (Scenario("a b", x="identity", d_in=2, w_q=[[hot, 0], [0, 0]], w_k="identity") for hot in (0, 0.002))
    (words,) = moved_most(Comparison(trace(a), trace(b)), "attention_weights", 4)
    assert words.startswith("“a” moved less than 0.1 % of its attention: ")


@given(pairs())
def test_the_context_rows_that_moved_most_are_named_with_their_length(pair: tuple[Scenario, Scenario]) -> None:
    comparison = Comparison(*map(traced, pair))
    moved = (comparison.b.context - comparison.a.context).double().numpy()
    length = np.linalg.norm(moved, axis=-1).max()
    assume(length > 1e-3)
    told = re.search(r" moved by ([\d.]+)(e[+−]\d+)?\.$", moved_most(comparison, "context", 4)[0])
    assert told
    # A length half-way between two numbers as they are written may be told as either of them, or as a power of ten.
    told_length = float((told[1] + (told[2] or "")).replace("−", "-"))
    assert told_length == pytest.approx(length, abs=0.51e-4, rel=0.0051 if told[2] else 1e-6)


def test_a_known_move_in_words() -> None:
    a = Scenario("a b", x="identity", d_in=2, w_q="zeros", w_k="identity", w_v="identity")
    b = replace(a, w_q=[[100.0, 0.0], [0.0, 0.0]])
    comparison = Comparison(trace(a), trace(b))
    assert moved_most(comparison, "attention_weights", 2) == [
        "“a” moved 50.0 % of its attention: “a” gained most (0.50), “b” lost most (0.50)."
    ]
    assert moved_most(comparison, "context", 2) == ["The context of “a” moved by 0.71."]
    assert moved_most(Comparison(trace(a), trace(a)), "context", 2) == ["No row of the context vectors moved."]


def test_matrices_of_other_shapes_have_no_difference_and_it_is_said() -> None:
    comparison = Comparison(trace(Scenario("a b")), trace(Scenario("a b c", d_out=4)))
    assert comparison.difference("attention_weights") is None
    assert moved_most(comparison, "attention_weights", 2) == [
        say("compare.moved.shapes", matrix="attention weights", a="2×2", b="3×3")
    ]
    assert list(comparison_specs(comparison, "context")) == ["A", "B"]
    assert other_words(comparison) == ""


def test_rows_without_numbers_are_not_said_to_have_stood_still() -> None:
    broken = traced(Scenario("a b c", causal=True, edits=[("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)]))
    (words,) = moved_most(Comparison(trace(Scenario("a b c", causal=True)), broken), "context", 2)[-1:]
    assert words == say("compare.moved.not_finite", n=3)


def test_other_words_at_the_same_places_are_named() -> None:
    words = other_words(Comparison(trace(Scenario("the cat sat")), trace(Scenario("a dog sat"))))
    assert words == ("Rows are compared by their place: where A has “the”, B has “a”, and 1 other place differs.")


@given(scenarios())
def test_a_scenario_does_not_differ_from_itself(scenario: Scenario) -> None:
    assert changed_in_words(scenario, scenario) == []


def test_what_differs_is_said_in_the_words_of_the_page() -> None:
    a = Scenario("a b", causal=True, w_v="identity", edits=[("w_q", 0, 0, 1.0)])
    b = Scenario("a c", seed=7, d_v=4, w_k="random:3", edits=[("w_q", 0, 0, 2.0), ("x", 1, 2, 0.5)])
    assert changed_in_words(a, b) == [
        "Sentence “a b” → “a c”", "d_v as d_out → 4", "Seed 123 → 7", "Causal mask on → off",
        "W_k as set up → random, from seed 3", "W_v the identity matrix → as set up",
        "W_q[0, 0] 1.0000 → 2.0000", f"X[1, 2] {written(a.matrix('x')[1, 2].item(), 4)} → 0.5000",
    ]  # fmt: skip


@given(every_way(), st.data())
def test_a_cell_is_told_with_the_numbers_that_both_have(a: Scenario, data: st.DataObject) -> None:
    b = data.draw(edits_of(a).map(lambda edits: replace(a, edits=edits)).filter(lambda b: b.edits))
    told = changed_in_words(a, b)
    for matrix, row, column, value in b.edits[:1]:
        before = written(a.matrix(matrix)[row, column].item(), 4)
        assert any(each.endswith(f"[{row}, {column}] {before} → {written(value, 4)}") for each in told) or len(told) > 4


def test_of_a_matrix_made_by_hand_the_number_is_told_that_it_has() -> None:
    a = Scenario("the fluffy cat chased a mouse", x="example:fluffy-cat", w_q="example:fluffy-cat")
    b = replace(a, edits=[("w_q", 1, 0, 9.0)])
    assert changed_in_words(a, b) == [f"W_q[1, 0] {written(a.matrix('w_q')[1, 0].item(), 4)} → 9.0000"]


@pytest.mark.parametrize("text", ["the fluffy cat chased a mouse", "a b", "a"])
@pytest.mark.parametrize("seed", range(4))
def test_dropout_is_called_so_and_who_gains_is_not_said_to_lose(text: str, seed: int) -> None:
    a = Scenario(text)
    for p in (0.1, 0.5, 0.9):
        b = dropout(a, p, seed)
        assert b is not None
        pair = Comparison(trace(a), trace(b))
        dropped = not bool(torch.isinf(b.matrix("mask")).all())
        assert (
            changed_in_words(a, b)
            == [
                say(
                    "compare.changes.setting",
                    label="M",
                    before=say("compare.changes.not_there"),
                    after=say("compare.changes.dropout", p=f"{p:g}"),
                )
            ]
        ) == dropped
        assert (about(pair, "attention_weights") == say("compare.dropout", p=f"{p:g}")) == dropped
        for said in moved_most(pair, "attention_weights", 4):
            assert "(−" not in said
            assert " in all, and not 1.0000" in said


def test_a_mask_that_does_something_else_is_not_called_dropout() -> None:
    for mask in ([[0.0, -math.inf], [0.0, 0.0]], [[0.5, 0.25], [0.0, 0.0]], [[-0.5, -0.5], [-0.5, -0.5]]):
        b = Scenario("a b", mask=mask, mask_use="zeroed")
        pair = Comparison(trace(Scenario("a b")), trace(b))
        assert about(pair, "attention_weights") == b.stage("attention_weights").plain
        assert not [each for each in changed_in_words(Scenario("a b"), b) if "dropout" in each]


@pytest.mark.parametrize("init", ["uniform", "linear", "normal"])
@pytest.mark.parametrize("seed", range(3))
def test_rounding_is_no_difference(init: str, seed: int) -> None:
    """One matrix in place of W_q and W_k, or another order of adding up, leaves all as it was."""
    a = Scenario("the fluffy cat chased a mouse", init=init, seed=seed, d_in=6, d_out=3)
    b = one_matrix(a)
    assert b is not None
    pair = Comparison(trace(a), trace(b))
    for name in pair.names:
        difference = pair.difference(name)
        assert difference is not None
        assert not difference.any()
        called = say(f"compare.moved.rows_of.{name}")
        assert moved_most(pair, name, 4) == [say("compare.moved.rounded", matrix=called)]
    assert any("so scores are divided by 1.73205 in both" in each for each in changed_in_words(a, b))
    assert not any("so scores" in each for each in changed_in_words(a, replace(a, temperature=0.5)))


@given(pairs())
def test_what_is_shown_of_a_difference_is_there_in_float64(pair: tuple[Scenario, Scenario]) -> None:
    comparison = Comparison(*map(traced, pair))
    exact = [in_float64(each).attention_weights.numpy() for each in (comparison.a, comparison.b)]
    shown = comparison.difference("attention_weights")
    assert shown is not None
    apart = exact[1] - exact[0]
    scores = max(1.0, *(float(each.scaled_scores[each.scaled_scores.isfinite()].abs().max()) for each in
                        (comparison.a, comparison.b)))  # fmt: skip
    assert (np.abs(apart[shown.numpy() == 0]) <= 1e-6 * scores).all()
    assert (np.abs(apart - shown.double().numpy()) <= 1e-6 * scores).all()


# Figures


@given(pairs())
def test_a_and_b_share_their_colours_and_the_difference_is_drawn(pair: tuple[Scenario, Scenario]) -> None:
    comparison = Comparison(*map(traced, pair))
    for name in comparison.names:
        specs = comparison_specs(comparison, name, query=0)
        for spec in specs.values():
            go.Figure(spec)
        layouts = [spec["layout"] for spec in specs.values()]
        assert len({layout["margin"]["t"] for layout in layouts}) == 1, "they stand on one line"
        assert len({layout["height"] for layout in layouts}) == 1
        assert len({(cells(specs[label])["zmin"], cells(specs[label])["zmax"]) for label in "AB"}) == 1
        difference = comparison.difference(name)
        assert difference is not None
        drawn = cells(specs["B − A"])
        np.testing.assert_array_equal(np.nan_to_num(drawn["z"]), np.nan_to_num(difference.numpy()))
        assert drawn["zmin"] == -drawn["zmax"] == -cells(specs["A"])["zmax"], "the same ink is the same amount"
        told = {label: " ".join(re.findall(r"<span[^>]*>([^<]*)", spec["layout"]["title"]["text"]))
                for label, spec in specs.items()}  # fmt: skip
        assert not any(EVERY_STAGE[name].plain in each for each in told.values()), "the page says it once, above"
        assert say("compare.difference") in told["B − A"]
        if name != "attention_weights":  # of these, what rows give that may read one word alone lies beyond
            assert drawn["zmax"] >= difference.abs().max().item() - 1e-6


@given(pairs())
def test_a_cell_of_the_difference_is_masked_where_both_mask_it_and_is_never_infinite(
    pair: tuple[Scenario, Scenario],
) -> None:
    comparison = Comparison(*map(traced, pair))
    spec = comparison_specs(comparison, "attention_weights")["B − A"]
    assert not any("∞" in text for text in strings(spec))
    masked = [each for each in spec["data"] if "masked" in each.get("hovertemplate", "")]
    both = comparison.a.is_hidden & comparison.b.is_hidden
    assert sum(np.isfinite(each["z"]).sum() for each in masked) == both.sum()


def test_no_token_is_markup_in_a_comparison() -> None:
    comparison = Comparison(trace(Scenario("<b>x</b> y")), trace(Scenario("<img/src=x> y")))
    for spec in comparison_specs(comparison, "context").values():
        assert not any(raw in text for text in strings(spec) for raw in ("<b>x", "<img"))
