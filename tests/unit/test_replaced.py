"""What if one matrix stood in the place of others: the laws of each."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.scenario import traced
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.teach.few_bits import DTYPES, in_few_bits
from attnviz.teach.replaced import dropout, equal_projections, factors, one_matrix, rank_of_match, row_plus, times


@st.composite
def usual(draw: st.DrawFn) -> Scenario:
    d_in, d_out = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    return Scenario(
        "the cat sat down", d_in=d_in, d_out=d_out, init=draw(st.sampled_from(("uniform", "normal", "linear"))),
        seed=draw(st.integers(0, 30)), causal=draw(st.booleans()), scale=draw(st.booleans()),
        positions=draw(st.sampled_from(("none", "sinusoidal", "seeded", "alibi", "relative"))),
        output=draw(st.booleans()),
        edits=[("w_q", 0, 0, 0.5)] * draw(st.integers(0, 1)),
    )  # fmt: skip


@given(usual())
@settings(max_examples=40, deadline=None)
def test_one_matrix_makes_the_same_attention(scenario: Scenario) -> None:
    made = one_matrix(scenario)
    assert made is not None
    before, after = trace(scenario), trace(made)
    for name in ("scores", "scaled_scores", "attention_weights", "context"):
        torch.testing.assert_close(getattr(after, name), getattr(before, name), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(after.w_q, before.w_q @ before.w_k.T, rtol=1e-5, atol=1e-5)
    assert rank_of_match(scenario) <= min(scenario.d_in, scenario.d_out)
    assert scenario_from_query(query_of(made)) == (made, [])


@pytest.mark.parametrize("others", [{"n_heads": 2}, {"bias": True}, {"positions": "rotary"}, {"n_layers": 2},
                                    {"weighting": "linear"}])  # fmt: skip
def test_there_is_no_one_matrix_where_scores_are_more_than_a_product(others: dict[str, object]) -> None:
    assert one_matrix(Scenario(d_in=2, d_out=2, **others)) is None  # type: ignore[arg-type]


@given(usual(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_equal_projections_make_symmetric_scores(scenario: Scenario, bias: bool) -> None:
    made = equal_projections(Scenario("a b c", d_in=scenario.d_in, d_out=scenario.d_out, seed=scenario.seed, bias=bias))
    assert made is not None
    scores = trace(made).scores
    torch.testing.assert_close(scores, scores.T)


@given(usual(), st.sampled_from((-1.0, 0.5, 2.0, 10.0)))
@settings(max_examples=25, deadline=None)
def test_x_times_c_makes_queries_c_times_and_scores_c_squared_times_as_large(scenario: Scenario, c: float) -> None:
    by = factors(traced(scenario), traced(times(scenario, c)))
    for name, expected in (("q", c), ("k", c), ("v", c), ("scores", c * c)):
        assert by[name] == pytest.approx(expected, rel=1e-3)


@given(usual(), st.integers(0, 3), st.floats(-20, 20))
@settings(max_examples=25, deadline=None)
def test_a_number_added_to_a_row_of_scores_changes_no_attention_weight(scenario: Scenario, row: int, c: float) -> None:
    added = row_plus(scenario, row, c)
    assert added is not None
    before, after = trace(scenario), trace(added)
    torch.testing.assert_close(after.attention_weights, before.attention_weights, rtol=1e-4, atol=1e-5)
    moved = (after.scaled_scores - before.scaled_scores)[row][~torch.from_numpy(before.is_hidden[row])]
    torch.testing.assert_close(moved, torch.full_like(moved, c), rtol=1e-4, atol=1e-3)


@given(usual(), st.sampled_from((0.0, 0.1, 0.5)), st.integers(0, 5))
@settings(max_examples=25, deadline=None)
def test_dropout_is_a_draw_over_the_attention_weights(scenario: Scenario, p: float, seed: int) -> None:
    made = dropout(scenario, p, seed)
    assert (made is None) == scenario.causal
    if made is None:
        return
    kept = torch.rand(4, 4, generator=torch.Generator().manual_seed(seed)) >= p
    wanted = traced(scenario).attention_weights * kept / (1 - p)
    torch.testing.assert_close(traced(made).attention_weights, wanted, rtol=1e-4, atol=1e-6)
    assert scenario_from_query(query_of(made)) == (made, [])


@given(usual(), st.sampled_from((0.1, 1.0, 6.0, 60.0)), st.booleans(), st.sampled_from(tuple(DTYPES)))
@settings(max_examples=40, deadline=None)
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
