"""The feed-forward step: torch's own functions, its explanation, its heatmap, its published example."""

import pytest
import torch

import attnviz
from attnviz.published import worked_example


@pytest.mark.parametrize("n_tokens", [1, 64])  # torch computes few numbers another way than many
def test_the_gelu_of_a_number_far_above_0_is_that_number(n_tokens: int) -> None:
    context = torch.full((n_tokens, 1), 3e38)
    made = attnviz.feed_forward(context, torch.ones(1, 1), None, torch.ones(1, 1), None, activation="gelu")
    assert torch.equal(made.hidden, context)
    assert attnviz.explain(made, "hidden", 0, 0).value == context[0, 0]


def test_the_explanation_reads_like_the_formula() -> None:
    example = worked_example("love-ai").feed_forward
    assert example is not None
    context = torch.tensor([[2.0, 2.265], [2.364, 2.364], [2.42, 2.575]])
    trace = attnviz.feed_forward(
        context, torch.tensor(example.w_1), torch.tensor(example.b_1), torch.tensor(example.w_2), None
    )
    made = attnviz.explain(trace, "preactivations", 0, 1, digits=3)
    assert made.symbols == "Z[0, 1] = C[0, :] · W_1[:, 1] + b_1[1]"
    assert made.numbers == "2.000 × (−1.000) + 2.265 × 1.000 + 0.000 = −2.000 + 2.265 + 0.000 = 0.265"
    relu = attnviz.explain(trace, "hidden", 0, 1, digits=3)
    assert (relu.symbols, relu.numbers) == ("H[0, 1] = max(0, Z[0, 1])", "max(0, 0.265) = 0.265")
    assert r"\max(0, {Z}_{0,1})" in relu.latex
    assert attnviz.explain(trace, "context", 0, 1).rule == "given"
    assert attnviz.explain(trace, "b_1", 0, 1).symbols == "b_1[1]"
