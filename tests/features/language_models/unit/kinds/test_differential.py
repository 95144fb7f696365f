"""A differential head is one softmax minus λ times another, as the model computes it."""

from typing import Any

import pytest
import torch
from torch import Tensor

from attnviz import ModelTrace, explain, look_into
from attnviz.features.language_models.inside.edits import ModelEdit
from tests.families.building import Family, built, computed, families
from tests.families.checking import beyond, unequal
from tests.unit.small_models import TEXT, tokenizer


def diff_llama(**settings: Any) -> Any:
    family: Family = next(each for each in families() if each.kind == "diffllama")
    return built(family, **settings)


MODELS: dict[str, dict[str, Any]] = {
    "a key for each query": {},
    "shared keys": {"num_key_value_heads": 2},
    "biases": {"attention_bias": True},
}


@pytest.fixture(params=MODELS, scope="module")
def read(request: Any) -> tuple[Any, ModelTrace]:
    model = diff_llama(**MODELS[request.param])
    return model, look_into(model, tokenizer(), TEXT)


def factor(attention: Any) -> float:
    """λ by equation 2 of the paper, in float64."""
    q1, k1, q2, k2 = (getattr(attention, f"lambda_{name}").detach().double() for name in ("q1", "k1", "q2", "k2"))
    return float(torch.exp(q1 @ k1) - torch.exp(q2 @ k2)) + attention.lambda_init


def test_heads_are_half_as_many_and_their_weights_the_difference_of_those_handed_out(
    read: tuple[Any, ModelTrace],
) -> None:
    model, view = read
    own = computed(model, output_attentions=True)
    assert view.n_layers == model.config.num_hidden_layers
    for layer, block, handed in zip(view.layers, model.model.layers, own.attentions, strict=True):
        assert layer.n_heads == model.config.num_attention_heads // 2
        first, second = handed[0].double().chunk(2)
        by = factor(block.self_attn)
        torch.testing.assert_close(layer.weights.double(), first - by * second, rtol=0, atol=1e-6)
        for head in range(layer.n_heads):
            trace = view.heads[layer.number, head]
            torch.testing.assert_close(trace["weights_1"].double(), first[head], rtol=0, atol=1e-6)
            torch.testing.assert_close(trace["weights_2"].double(), second[head], rtol=0, atol=1e-6)
            sums = trace.attention_weights.double().sum(-1)
            torch.testing.assert_close(sums, torch.full_like(sums, 1 - by), rtol=0, atol=1e-5)
            told = float(next(each for each in trace.notices if "λ =" in each).split("λ = ")[1].split(":")[0])
            assert told == pytest.approx(by, rel=1e-5)


def test_each_matrix_is_what_its_rule_makes_and_every_cell_is_explained(read: tuple[Any, ModelTrace]) -> None:
    _, view = read
    for trace in view.heads.values():
        assert {"w_q", "q", "w_k", "w_v", "w_q_2", "q_2", "k_rotated_2", "scores_2", "weights_2"} <= {*trace.stages}
        assert not list(unequal(trace))
        assert not list(beyond(trace))
    told = explain(trace, "attention_weights", 3, 1)
    assert "A₁[3, 1], minus" in str(told)
    assert "times A₂[3, 1]" in str(told)


def test_contexts_normed_and_scaled_are_what_w_o_multiplies(read: tuple[Any, ModelTrace]) -> None:
    model, view = read
    seen: list[Tensor] = []
    hooks = [each.self_attn.o_proj.register_forward_pre_hook(lambda _, x: seen.append(x[0][0])) for each in
             model.model.layers]  # fmt: skip
    computed(model)
    for hook in hooks:
        hook.remove()
    for layer, into, block in zip(view.layers, seen, model.model.layers, strict=True):
        contexts = torch.cat([view.heads[layer.number, head].context.double() for head in range(layer.n_heads)], -1)
        rows = contexts.view(len(into), layer.n_heads, -1)
        normed = rows / (rows.square().mean(-1, keepdim=True) + block.self_attn.groupnorm.eps).sqrt()
        scaled = (1 - block.self_attn.lambda_init) * normed.flatten(1)
        torch.testing.assert_close(scaled, into.double(), rtol=0, atol=1e-5)


def test_a_head_that_is_off_gives_w_o_nothing(read: tuple[Any, ModelTrace]) -> None:
    model, view = read
    changed = look_into(model, tokenizer(), TEXT, edits=["1.1.off"])
    attention = model.model.layers[1].self_attn
    width = attention.o_proj.in_features // view.n_heads

    def without(_: Any, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        x = given[0].clone()
        x[..., width : 2 * width] = 0.0
        return (x,)

    hook = attention.o_proj.register_forward_pre_hook(without)
    own = computed(model)
    hook.remove()
    torch.testing.assert_close(changed.result.logits, own.logits, rtol=0, atol=1e-5)
    assert not bool(changed.heads[1, 1].context.any())
    assert any("switched off" in each for each in changed.heads[1, 1].notices)


def test_numbers_masks_and_even_heads_are_changed_in_both_softmaxes(read: tuple[Any, ModelTrace]) -> None:
    model, view = read
    value = view.heads[0, 1].v.shape[1] - 1  # of the values' second half
    edits = [
        ModelEdit(0, 1, "v", 2, value, 2.5),
        ModelEdit(0, 1, "q", 4, 1, -1.5),
        ModelEdit(1, 0, "mask", 5, 2, -torch.inf),
    ]
    changed = look_into(model, tokenizer(), TEXT, edits=edits)
    first, other = changed.heads[0, 1], changed.heads[1, 0]
    assert float(first.v[2, value]) == 2.5
    assert float(first.q[4, 1]) == -1.5
    for name in ("weights_1", "weights_2", "attention_weights"):
        assert float(other[name][5, 2]) == 0
    for trace in changed.heads.values():
        assert not list(unequal(trace))
    even = look_into(model, tokenizer(), TEXT, edits=["1.even"]).heads[1, 0]
    by = factor(model.model.layers[1].self_attn)
    expected = (1 - by) * torch.ones_like(even.attention_weights).tril() / torch.arange(1, 13)[:, None]
    torch.testing.assert_close(even.attention_weights, expected, rtol=0, atol=1e-5)


def test_words_that_are_written_read_the_cache_of_both_softmaxes(read: tuple[Any, ModelTrace]) -> None:
    _, view = read
    cached, anew = (view.write(3, temperature=0, cache=cache)[-1].view for cache in (True, False))
    assert len(cached.tokens) == len(anew.tokens) == len(view.tokens) + 2
    for place, trace in anew.heads.items():
        for name in trace.stages:
            torch.testing.assert_close(cached.heads[place][name], trace[name], rtol=0, atol=1e-4, msg=name)


def test_weights_below_0_have_colours_of_their_own(read: tuple[Any, ModelTrace]) -> None:
    from attnviz.colours.shading import colour_limits

    _, view = read
    trace = next(each for each in view.heads.values() if float(each.attention_weights.min()) < 0)
    low, high = colour_limits(trace, "attention_weights")
    assert low == -high < 0
