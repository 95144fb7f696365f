"""One head of a model: its scores are torch's own, and it reads whole tokens."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.scaling.draws import D_MODEL, N_TOKENS, drawn_scores, head_scores
from attnviz.scaling.experiment import softmax_row
from attnviz.scaling.row_statistics import tokens_read
from attnviz.scaling.settings import HEADS
from tests.examples import examples


@pytest.mark.parametrize("n_heads", HEADS)
def test_the_scores_are_those_of_torchs_own_first_head(n_heads: int) -> None:
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(N_TOKENS, D_MODEL, generator=generator)
    w_q, w_k = (torch.randn(D_MODEL, D_MODEL, generator=generator) / D_MODEL**0.5 for _ in range(2))
    layer = torch.nn.MultiheadAttention(D_MODEL, n_heads, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight[: 2 * D_MODEL] = torch.cat((w_q.T, w_k.T))
        _, weights = layer(x[None], x[None], x[None], average_attn_weights=False)
    d_k = D_MODEL // n_heads
    np.testing.assert_allclose(softmax_row(head_scores(n_heads, 7), d_k**-0.5), weights[0, 0, 0].numpy(), atol=1e-5)


@pytest.mark.parametrize("n_heads", [0, 3, 1024, 2.0])
def test_heads_that_do_not_divide_the_width_are_named(n_heads: int) -> None:
    with pytest.raises(ValueError, match=f"{n_heads} can't be n_heads|n_heads is {n_heads}, expected a divisor"):
        head_scores(n_heads, 0)


@given(st.sampled_from((1, 2, 64, 255, 256, 257, 1024)), st.integers(0, 1000))
@settings(max_examples=examples(30), deadline=None)
def test_scores_that_are_drawn_are_as_wide_as_theory_says(d_k: int, seed: int) -> None:
    scores = drawn_scores(d_k, 1000, seed)
    assert scores.shape == (1000,)
    assert np.array_equal(scores, drawn_scores.__wrapped__(d_k, 1000, seed))
    assert drawn_scores(d_k, 1000, seed) is scores  # a page that is drawn again draws no numbers
    assert abs(scores.mean()) < 6 * (d_k / 1000) ** 0.5
    assert (scores**2).mean() == pytest.approx(d_k, rel=6 * (8 / 1000) ** 0.5)  # of a product, the square varies most


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=12))
@settings(max_examples=examples(60), deadline=None)
def test_tokens_that_are_read_in_effect_are_torchs_perplexity(scores: list[float]) -> None:
    weights = softmax_row(scores)
    entropy = torch.special.entr(torch.from_numpy(weights)).sum()
    read = tokens_read(weights)
    assert read == pytest.approx(float(entropy.exp()), rel=1e-6)
    assert 1 - 1e-9 <= read <= len(scores) + 1e-9
    assert tokens_read(np.full(len(scores), 1 / len(scores))) == pytest.approx(len(scores))
