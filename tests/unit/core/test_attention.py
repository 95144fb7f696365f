"""attend and SelfAttention, with PyTorch's own attention and float64 as referees."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

import attnviz
from attnviz import Scenario, SelfAttention, UndefinedAttentionError, attend

STAGE_NAMES = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


def test_gradients_are_those_of_pytorch() -> None:
    module = SelfAttention(3, 2, init="linear", seed=4, bias=True)
    x = torch.randn(6, 3, generator=torch.Generator().manual_seed(0), requires_grad=True)
    leaves = [x, *module.parameters()]
    ours = torch.autograd.grad(module(x).square().sum(), leaves)
    assert module.b_q is not None
    assert module.b_k is not None
    assert module.b_v is not None
    q, k, v = x @ module.w_q + module.b_q, x @ module.w_k + module.b_k, x @ module.w_v + module.b_v
    theirs = torch.autograd.grad(F.scaled_dot_product_attention(q, k, v).square().sum(), leaves)
    assert len(ours) == 7
    for our, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(our, their, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("init", ["uniform", "linear", "normal"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("settings", [{}, {"causal": True, "scale": False, "temperature": 2.0}])
def test_module_and_scenario_of_one_seed_agree(init: str, bias: bool, settings: dict[str, Any]) -> None:
    scenario = Scenario(text="a cat sat", d_in=4, d_out=3, init=init, seed=11, bias=bias, **settings)
    expected = attnviz.trace(scenario)
    trace = SelfAttention(4, 3, init=init, seed=11, bias=bias, **settings).trace(expected.x)
    for name in STAGE_NAMES:
        assert torch.equal(getattr(trace, name), getattr(expected, name)), name


# Errors


def test_row_without_finite_score_is_an_error_that_names_it_and_keeps_the_trace() -> None:
    x = torch.tensor([[1.0], [1e30], [1.0]])
    one = torch.ones(1, 1)
    with pytest.raises(UndefinedAttentionError, match=r"no finite value in row 2 \('b'\)|row 1 \('b'\)") as caught:
        attend(x, one * -1e30, one, one, tokens=("a", "b", "c"))
    assert isinstance(caught.value, ValueError)
    trace = caught.value.trace
    assert caught.value.rows == tuple((~torch.isfinite(trace.scaled_scores)).all(-1).nonzero()[:, 0].tolist())
    assert 1 in caught.value.rows
    assert torch.isnan(trace.attention_weights[1]).all()


def zeros(*shape: int) -> torch.Tensor:
    return torch.zeros(shape)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": zeros(3)}, r"x has shape \(3,\), expected \(n_tokens, d_in\)"),
        ({"x": zeros(0, 3)}, r"x has shape \(0, 3\), expected \(n_tokens, d_in\)"),
        ({"x": zeros(4, 2)}, r"w_q has shape \(3, 2\), expected \(2, d_k\) to fit x \(4, 2\)"),
        ({"w_q": zeros(3)}, r"w_q has shape \(3,\), expected \(3, d_k\)"),
        ({"w_q": zeros()}, r"w_q has shape \(\), expected \(3, d_k\)"),
        ({"w_q": zeros(3, 0)}, r"w_q has shape \(3, 0\), expected \(3, d_k\)"),
        ({"w_k": zeros(3, 3)}, r"w_k has shape \(3, 3\), expected \(3, 2\) like w_q"),
        ({"w_v": zeros(2, 2)}, r"w_v has shape \(2, 2\), expected \(3, d_v\)"),
        ({"w_v": zeros(3, 0)}, r"w_v has shape \(3, 0\), expected \(3, d_v\)"),
        ({"b_q": zeros(3)}, r"b_q has shape \(3,\), expected \(2,\)"),
        ({"b_k": zeros(1, 2)}, r"b_k has shape \(1, 2\), expected \(2,\)"),
        ({"b_v": zeros(2)}, r"b_v has shape \(2,\), expected \(5,\)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(change: dict[str, Any], message: str) -> None:
    inputs = {"x": zeros(4, 3), "w_q": zeros(3, 2), "w_k": zeros(3, 2), "w_v": zeros(3, 5)}
    with pytest.raises(ValueError, match=message):
        attend(**inputs | change)


# The feed-forward step


@pytest.mark.parametrize("n_tokens", [1, 64])  # torch computes few numbers another way than many
def test_the_gelu_of_a_number_far_above_0_is_that_number(n_tokens: int) -> None:
    context = torch.full((n_tokens, 1), 3e38)
    made = attnviz.feed_forward(context, torch.ones(1, 1), None, torch.ones(1, 1), None, activation="gelu")
    assert torch.equal(made.hidden, context)
    assert attnviz.explain(made, "hidden", 0, 0).value == context[0, 0]
