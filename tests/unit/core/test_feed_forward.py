"""The feed-forward step: torch's own functions, its explanation, its heatmap, its published example."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz.published import worked_example

sizes = st.integers(1, 5)


def drawn(
    n_tokens: int, d_v: int, d_ff: int, d_model: int, bias: bool = True, activation: str = "relu"
) -> attnviz.FeedForwardTrace:
    generator = torch.Generator().manual_seed(1000 * n_tokens + 100 * d_v + 10 * d_ff + d_model)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    b1, b2 = (draw(d_ff), draw(d_model)) if bias else (None, None)
    layers = draw(d_v, d_ff), b1, draw(d_ff, d_model), b2
    return attnviz.feed_forward(draw(n_tokens, d_v), *layers, activation=activation)


@pytest.mark.parametrize(("activation", "curve"), [("relu", F.relu), ("gelu", F.gelu)])
@given(sizes, sizes, sizes, sizes, st.booleans())
def test_the_same_as_torchs_linear_and_activation(
    activation: str, curve: Callable[[torch.Tensor], torch.Tensor],
    n_tokens: int, d_v: int, d_ff: int, d_model: int, bias: bool,
) -> None:  # fmt: skip
    trace = drawn(n_tokens, d_v, d_ff, d_model, bias, activation)
    before = F.linear(trace.context, trace.w_1.T, trace.b_1)
    torch.testing.assert_close(trace.preactivations, before)
    torch.testing.assert_close(trace.hidden, curve(before))
    torch.testing.assert_close(trace.feed_forward, F.linear(curve(before), trace.w_2.T, trace.b_2))


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
