"""The feed-forward step: torch's own functions, its explanation, its heatmap, its published example."""

import pytest
import torch

import attnviz


@pytest.mark.parametrize("n_tokens", [1, 64])  # torch computes few numbers another way than many
def test_the_gelu_of_a_number_far_above_0_is_that_number(n_tokens: int) -> None:
    context = torch.full((n_tokens, 1), 3e38)
    made = attnviz.feed_forward(context, torch.ones(1, 1), None, torch.ones(1, 1), None, activation="gelu")
    assert torch.equal(made.hidden, context)
    assert attnviz.explain(made, "hidden", 0, 0).value == context[0, 0]
