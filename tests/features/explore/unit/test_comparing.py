"""Comparing two scenarios: the difference is B - A, and the words say where it is largest."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.attention import AttentionTrace, execute
from attnviz.core.scenario import traced
from attnviz.core.stages import EVERY_STAGE
from attnviz.core.what_if import SWITCHES
from attnviz.explanation.comparing import Comparison
from attnviz.explanation.origins import setting_in_words
from attnviz.features.explore.compared import changed_in_words, moved_most
from attnviz.figures import comparison_specs
from attnviz.words import say
from attnviz.words.numbers import significant, written
from tests.examples import examples
from tests.unit.board.test_heatmaps import cells, strings
from tests.unit.helpers import anything, edited, every_way, setups


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Scenario, Scenario]:
    """Two scenarios of one sentence that differ in edits, seed, mask or temperature."""
    a = draw(setups(whole=True))
    b = replace(a, seed=draw(st.sampled_from((a.seed, 5))), causal=draw(st.booleans()), temperature=draw(st.just(2.0)))
    return a, draw(edited(st.just(b)))


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


@given(every_way(), st.data())
def test_a_cell_is_told_with_the_numbers_that_both_have(a: Scenario, data: st.DataObject) -> None:
    b = data.draw(edited(st.just(replace(a, edits=()))).filter(lambda b: b.edits))
    told = changed_in_words(a, b)
    for matrix, row, column, _ in b.edits[:1]:
        numbers = [each.matrix(matrix)[row, column].item() for each in (a, b)]
        before, after = (written(each, 2) for each in numbers)
        if before == after:
            before, after = (significant(each, 9) for each in numbers)
        is_told = any(each.endswith(f", row {row}, column {column}: {before} → {after}") for each in told)
        assert is_told == (numbers[0] != numbers[1]) or len(told) > 4


def test_a_number_typed_as_it_was_is_no_change_and_a_small_one_has_its_digits() -> None:
    a = Scenario("a b", w_q=[[1, 2]] * 3)
    assert changed_in_words(a, replace(a, edits=(("w_q", 0, 1, 2.0),))) == []
    assert changed_in_words(a, replace(a, edits=(("w_q", 0, 1, 2.00001),))) == ["W_q, row 0, column 1: 2 → 2.00001001"]


def in_float64(computed: AttentionTrace) -> AttentionTrace:
    """Compute the same from what it was made of, in float64."""
    given = {name: computed[name].double() for name, stage in computed.stages.items() if stage.rule is None}
    return execute(computed.stages, given, computed.tokens)


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
        assert next(iter(specs)) == "B − A", "what moved is seen first"
        assert all(specs["B − A"]["layout"]["width"] >= specs[label]["layout"]["width"] for label in "AB")
        layouts = [specs[label]["layout"] for label in "AB"]
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


@given(anything(), st.data())
@settings(max_examples=examples(100))
def test_one_edit_is_told_where_it_changes_something(a: Scenario, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([each for each in a.editable if each != "mask"]))
    b = replace(a, edits=(*a.edits, (name, 0, 0, data.draw(st.sampled_from((-1.0, 0.25, 2.0))))))
    assert bool(changed_in_words(a, b)) == (a != b)


@pytest.mark.parametrize("text", [f"{name}:{way}" for name, switch in SWITCHES.items() for way in switch.settings])
def test_a_switch_that_is_on_is_told_as_what_attention_doesnt_do(text: str) -> None:
    on = Scenario("a b c", d_in=3, d_out=3, n_heads=3 if text.startswith("cut") else 1, what_if=text)
    usual = replace(on, what_if="")
    for a, b in ((on, usual), (usual, on)):
        (told,) = changed_in_words(a, b)
        assert setting_in_words("what_if", text) in told
        assert say("what_if.usual") not in told
