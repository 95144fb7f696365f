"""A painted mask in four ways: what PyTorch computes of each, and what of it still goes to what is hidden."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attnviz import Scenario
from attnviz.core.scenario import traced
from attnviz.core.seeding import POSITIONS
from attnviz.teach.masked import SHAPES, in_each_way, leaked, of_ways, painted, shaped

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


@pytest.mark.parametrize("n_kept", [0, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_hides_no_token_from_itself_and_leaves_each_something(shape: str, n_kept: int) -> None:
    hidden = shaped(shape, N, N + n_kept, n_kept)
    assert not hidden.diagonal(n_kept).any()
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
