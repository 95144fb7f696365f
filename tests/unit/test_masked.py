"""A painted mask in four ways: what PyTorch computes of each, and what of it still goes to what is hidden."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attnviz import Scenario
from attnviz.core.scenario import traced
from attnviz.teach.masked import SHAPES, in_each_way, leaked, shaped

TEXT = "the cat sat on the mat"
N = 6
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


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_hides_no_token_from_itself(shape: str) -> None:
    hidden = shaped(shape, N, N)
    assert not hidden.diagonal().any()
    assert bool(hidden.any()) == (shape != "nothing")
