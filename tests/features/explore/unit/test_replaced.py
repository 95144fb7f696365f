"""What if one matrix stood in the place of others, or a mask were put in otherwise: the laws of each."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attnviz import Scenario, trace
from attnviz.core.dropout import dropout
from attnviz.core.scenario import traced
from attnviz.core.seeding import POSITIONS
from attnviz.explanation.comparing import Comparison
from attnviz.explanation.factors import factors, factors_of, times
from attnviz.explanation.masking import mask_notes
from attnviz.features.explore.compared import about, moved_most
from attnviz.features.explore.mask_experiments import (
    DTYPES,
    SHAPES,
    in_each_way,
    in_few_bits,
    leaked,
    of_ways,
    painted,
    shaped,
)
from attnviz.features.explore.replacements import (
    can_be_equal,
    equal_projections,
    equal_weights,
    of_other,
    one_matrix,
    rank_of_match,
    row_plus,
    shares_moved,
)
from attnviz.link.set_up import query_of, scenario_from_query
from tests.examples import examples


@st.composite
def usual(draw: st.DrawFn) -> Scenario:
    d_in, d_out = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    return Scenario(
        "the cat sat down", d_in=d_in, d_out=d_out, init=draw(st.sampled_from(("uniform", "normal", "linear"))),
        seed=draw(st.integers(0, 30)), causal=draw(st.booleans()), scale=draw(st.booleans()),
        positions=draw(st.sampled_from(("none", "sinusoidal", "learned", "alibi", "relative"))),
        output=draw(st.booleans()),
        edits=[("w_q", 0, 0, 0.5)] * draw(st.integers(0, 1)),
    )  # fmt: skip


@given(usual())
@settings(max_examples=examples(40), deadline=None)
def test_one_matrix_makes_the_same_attention(scenario: Scenario) -> None:
    made = one_matrix(scenario)
    assert made is not None
    before, after = trace(scenario), trace(made)
    for name in ("scores", "scaled_scores", "attention_weights", "context"):
        torch.testing.assert_close(getattr(after, name), getattr(before, name), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(after.w_q, before.w_q @ before.w_k.T, rtol=1e-5, atol=1e-5)
    assert rank_of_match(scenario) <= min(scenario.d_in, scenario.d_out)
    assert scenario_from_query(query_of(made)) == (made, [])


@pytest.mark.parametrize(
    "others", [{"n_heads": 2}, {"bias": True}, {"positions": "rotary"}, {"n_layers": 2}, {"weighting": "linear"}]
)
def test_there_is_no_one_matrix_where_scores_are_more_than_a_product(others: dict[str, object]) -> None:
    assert one_matrix(Scenario(d_in=2, d_out=2, **others)) is None  # type: ignore[arg-type]


@given(usual(), st.sampled_from(("one_matrix", "equal", "times", "row", "dropout")), st.floats(-3, 3))
@settings(max_examples=examples(40), deadline=None)
def test_what_is_predicted_of_a_change_is_right_by_its_numbers(scenario: Scenario, name: str, c: float) -> None:
    ways: dict[str, Callable[[Scenario], Scenario | None]] = {
        "one_matrix": one_matrix, "equal": equal_projections, "times": lambda s: times(s, c),
        "row": lambda s: row_plus(s, 1, c), "dropout": lambda s: dropout(s, 0.5, 3),
    }  # fmt: skip
    made = ways[name](scenario)
    assume(made is not None)  # dropout takes a mask's place
    assert made is not None
    both = [np.asarray(trace(each).attention_weights.tolist()) for each in (scenario, made)]
    gap = float(np.abs(both[0] - both[1]).max())
    moved, row = shares_moved(trace(scenario), trace(made))
    asked, seen = of_other(name, moved), np.abs(both[0] - both[1])[row].max()
    claims = {"same": seen < 0.005, "little": seen < 0.095, "much": seen >= 0.095, "lost": np.isnan(seen)}
    claims["little"] &= not claims["same"]
    if min(abs(gap - 0.005), abs(gap - 0.095)) > 1e-4:
        assert asked.right == ("same" if gap < 0.005 else "little" if gap < 0.095 else "much")
        assert not [each for each in asked.wrong if claims[each]], "the row that is opened shows that it isn't so"
    assert len(asked.choices) == 4
    assert {*asked.wrong} == {*asked.choices} - {asked.right}
    assert of_other("bits", float("nan")).right == "lost"


@given(usual(), st.booleans())
@settings(max_examples=examples(25), deadline=None)
def test_equal_projections_make_symmetric_scores(scenario: Scenario, bias: bool) -> None:
    made = equal_projections(Scenario("a b c", d_in=scenario.d_in, d_out=scenario.d_out, seed=scenario.seed, bias=bias))
    assert made is not None
    scores = trace(made).scores
    torch.testing.assert_close(scores, scores.T)


@given(usual(), st.sampled_from(("the cat sat down", "a", "a a a", "b b")))
@settings(max_examples=examples(40), deadline=None)
def test_whether_attention_weights_become_symmetric_too_is_what_comes_of_it(scenario: Scenario, text: str) -> None:
    scenario = replace(scenario, text=text)
    made = equal_projections(scenario)
    assert made is not None
    weights = traced(made).attention_weights
    assert equal_weights(traced(scenario)) == torch.allclose(weights, weights.T, rtol=1e-4, atol=1e-6)


def test_of_another_sentence_there_is_one_matrix_and_no_equal_projections() -> None:
    scenario = Scenario("a b", reads="second", second="der Hund schläft", w_q="zeros")
    assert not can_be_equal(scenario)
    one = one_matrix(scenario)
    assert one is not None
    torch.testing.assert_close(traced(one).attention_weights, traced(scenario).attention_weights)


@pytest.mark.parametrize("others", [{}, {"n_layers": 3}, {"positions": "learned", "embedding_factor": True},
                                    {"n_heads": 2, "norm": "pre"}, {"reads": "second", "second": "d e"},
                                    {"reads": "kept", "second": "d e", "n_layers": 2, "positions": "learned"}],
)  # fmt: skip
def test_factors_are_those_of_the_scenario_with_x_times_c_in_each_layer(others: dict[str, object]) -> None:
    usual = Scenario("a b c", d_in=4, d_out=4, init="normal", **others)  # type: ignore[arg-type]
    before, after = traced(usual), traced(times(usual, 3.0))
    found = [factors_of(usual, before, 3.0, layer) for layer in range(usual.n_layers)]
    assert found == [
        {name: each if each is None else pytest.approx(each, rel=1e-3) for name, each in of_layer.items()}
        for of_layer in (factors(before, after, layer) for layer in range(usual.n_layers))
    ]
    if usual.reads_others:  # of which keys and values are: X alone is multiplied
        kept = [name for name in before.stages if name.startswith("kept.")]
        assert all(torch.equal(before.matrices[name], after.matrices[name]) for name in kept)
        assert torch.equal(before.layers[0].y, after.layers[0].y)  # type: ignore[arg-type]
        assert found[0]["q"] == pytest.approx(3)
        assert found[0]["k"] == (pytest.approx(1) if usual.reads == "second" else None)
    elif usual.n_layers > 1:
        assert found[0]["scores"] == pytest.approx(9)
        assert found[1]["scores"] != found[0]["scores"]


@given(usual(), st.integers(0, 3), st.floats(-20, 20))
@settings(max_examples=examples(25), deadline=None)
def test_a_number_added_to_a_row_of_scores_changes_no_attention_weight(scenario: Scenario, row: int, c: float) -> None:
    added = row_plus(scenario, row, c)
    assert added is not None
    before, after = trace(scenario), trace(added)
    torch.testing.assert_close(after.attention_weights, before.attention_weights, rtol=1e-4, atol=1e-5)
    moved = (after.scaled_scores - before.scaled_scores)[row][~torch.from_numpy(before.is_hidden[row])]
    torch.testing.assert_close(moved, torch.full_like(moved, c), rtol=1e-4, atol=1e-3)


@given(usual(), st.sampled_from((0.0, 0.1, 0.5)), st.integers(0, 5))
@settings(max_examples=examples(25), deadline=None)
def test_dropout_is_a_draw_over_the_attention_weights(scenario: Scenario, p: float, seed: int) -> None:
    made = dropout(scenario, p, seed)
    assert (made is None) == scenario.causal
    if made is None:
        return
    kept = torch.rand(4, 4, generator=torch.Generator().manual_seed(seed)) >= p
    wanted = traced(scenario).attention_weights * kept / (1 - p)
    torch.testing.assert_close(traced(made).attention_weights, wanted, rtol=1e-4, atol=1e-6)
    assert scenario_from_query(query_of(made)) == (made, [])
    told = " ".join((*mask_notes(traced(made)), made.table["attention_weights"].plain))
    assert "lost" not in told  # what is dropped: the others are divided by 1 − p
    assert "Nothing may be read" not in told
    assert ("Dropout, as while a model trains" in told) == (p > 0 and not bool(kept.all()))
    comparison = Comparison(traced(scenario), traced(made))
    for moved in moved_most(comparison, "attention_weights", 4):
        assert "(−" not in moved  # what gained isn't said to have lost
    assert ("probability" in about(comparison, "attention_weights")) == (p > 0)


@given(usual(), st.sampled_from((0.1, 1.0, 6.0, 60.0)), st.booleans(), st.sampled_from(tuple(DTYPES)))
@settings(max_examples=examples(40), deadline=None)
def test_what_16_bits_lose_is_what_torch_loses(scenario: Scenario, size: float, shifted: bool, dtype: str) -> None:
    made = traced(times(scenario, size))
    found, bits = in_few_bits(made, DTYPES[dtype], shifted), DTYPES[dtype]
    scores = (made.x.to(bits) @ made.w_q.to(bits)) @ (made.x.to(bits) @ made.w_k.to(bits)).T
    if scenario.positions == "none" and not scenario.causal and scores.isfinite().all():
        scaled = scores / made.divisor
        powers = scaled.exp()
        weights = torch.softmax(scaled, -1) if shifted else powers / powers.sum(-1, keepdim=True)
        n_broken = int((made.attention_weights.isfinite() & ~weights.isfinite()).sum())
        expected = ("attention_weights", n_broken) if n_broken else None
        assert (found.broken and found.broken[:2]) == expected
        assert not (shifted and n_broken)


# A painted mask in four ways: what PyTorch computes of each, and what of it still goes to what is hidden


TEXT = "the cat sat on the mat"
N = 6
WAYS = ["infinite", "large", "zeroed", "factor"]
# No row is hidden as a whole.
MASKS = st.lists(st.lists(st.booleans(), min_size=N, max_size=N), min_size=N, max_size=N).map(
    lambda rows: torch.tensor(rows).fill_diagonal_(False)
)


@given(MASKS, st.integers(0, 50))
def test_each_way_is_what_torch_computes(hidden: torch.Tensor, seed: int) -> None:
    scenario = Scenario(TEXT, seed=seed)
    usual, found = traced(scenario), in_each_way(scenario, hidden)
    for way, added in (("infinite", -torch.inf), ("large", -1e9)):
        mask = torch.where(hidden, added, 0.0)
        wanted = scaled_dot_product_attention(usual.q[None], usual.k[None], usual.v[None], attn_mask=mask[None])[0]
        torch.testing.assert_close(found[way].context, wanted)
    weights = usual.attention_weights
    torch.testing.assert_close(found["zeroed"].attention_weights, weights.masked_fill(hidden, 0.0))
    scores = usual.scaled_scores.masked_fill(hidden, 0.0)
    torch.testing.assert_close(found["factor"].attention_weights, scores.softmax(-1))
    shares = {way: leaked(trace.attention_weights, hidden) for way, trace in found.items()}
    assert shares["infinite"] == shares["large"] == shares["zeroed"] == 0
    assert (shares["factor"] > 0) == bool(hidden.any())


@given(st.lists(st.integers(0, 2**N - 1), min_size=N, max_size=N), st.sampled_from(("none", "alibi")))
def test_what_is_predicted_of_the_ways_is_right_by_what_is_hidden(rows: list[int], positions: str) -> None:
    hidden = torch.tensor([[bool(row >> at & 1) for at in range(N)] for row in rows])
    found = in_each_way(Scenario(TEXT, positions=positions), hidden)
    leaking = bool(hidden.any()) * (positions == "none") + bool(hidden.all(1).any())
    asked = of_ways({way: trace.attention_weights for way, trace in found.items()}, hidden)
    assert asked.right == ("none", "one", "more")[leaking]
    assert {*asked.wrong} == {*asked.choices} - {asked.right}


@pytest.mark.parametrize("n_memory", [0, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_hides_no_token_from_itself_and_leaves_each_something(shape: str, n_memory: int) -> None:
    hidden = shaped(shape, N, N + n_memory, n_memory)
    assert not hidden.diagonal(n_memory).any()
    assert bool(hidden.any()) == (shape != "nothing")
    assert not shaped("blocks", N, 2).all(1).any()  # of another sentence


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_mask_is_seen_in_every_way_that_its_positions_allow(positions: str) -> None:
    scenario = Scenario(TEXT, positions=positions)
    biased = POSITIONS[positions].biases
    assert [*in_each_way(scenario, shaped("triangle", N, N))] == WAYS[: 3 if biased else 4]


def test_what_was_typed_into_a_mask_does_not_outlive_a_painting_of_it() -> None:
    typed = Scenario(TEXT, masking="painted", edits=(("mask", 0, 1, -torch.inf), ("w_q", 0, 0, 2.0)))
    clean = painted(typed, shaped("nothing", N, N))
    assert not clean.matrix("mask").any()
    assert [edit.matrix for edit in clean.edits] == ["w_q"]
