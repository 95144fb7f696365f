"""Models whose heads aren't X times W alone: what stands between is told, or they're refused with the reason."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from attnviz import explain, look_into
from attnviz.core.limits import RefusedError
from attnviz.core.rules.rows import RmsNorm
from attnviz.features.language_models.inside.writing import appended
from attnviz.words import say
from attnviz.words.numbers import written
from tests.unit.small_kinds import SIZES, deepseek_v3, deepseek_v4, diff_llama, of_kind, olmo2, qwen3
from tests.unit.small_models import DECODERS, TEXT, tokenizer

pytest.importorskip("transformers")


def of_unknown_difference() -> Any:
    """One that doesn't hold what its second softmax is multiplied by as we know it."""
    model = diff_llama()
    for layer in model.model.layers:
        layer.self_attn.lambda_init = torch.tensor(layer.self_attn.lambda_init)
    return model


@pytest.mark.parametrize(("make", "why"), [(of_unknown_difference, "differential"), (deepseek_v4, "compressed")])
def test_attention_that_is_not_of_heads_over_tokens_is_refused(make: Callable[[], Any], why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        look_into(make(), tokenizer(), TEXT)
    assert say(f"models.otherwise.{why}") in str(refused.value)


def gemma3() -> Any:
    """One whose gains are 1 + what it learned."""
    return of_kind("Gemma3", "Gemma3TextConfig", **SIZES, head_dim=8, num_hidden_layers=2)


def normed(make: Callable[[], Any]) -> Any:
    """A model whose gains are drawn, for those of a new one are all alike."""
    model, generator = make(), torch.Generator().manual_seed(3)
    with torch.no_grad():
        for layer in model.model.layers:
            for norm in (layer.self_attn.q_norm, layer.self_attn.k_norm):
                norm.weight.add_(torch.randn(norm.weight.shape, generator=generator) / 2)
    return model


def own_numbers(model: Any, ids: list[int], layer: int) -> dict[str, Tensor]:
    """What the model computes by itself, with its own attention: products and norms of queries and keys, weights."""
    seen: dict[str, Tensor] = {}
    module = model.model.layers[layer].self_attn
    hooks = [
        getattr(module, name).register_forward_hook(lambda _, __, made, name=name: seen.update({name: made[0]}))
        for name in ("q_proj", "k_proj", "q_norm", "k_norm")
    ]
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    with torch.no_grad():
        weights = model(torch.tensor([ids]), output_attentions=True).attentions[layer][0]
    model.set_attn_implementation(before)
    for hook in hooks:
        hook.remove()
    by_token = {name: made if len(made) == len(ids) else made.transpose(0, 1) for name, made in seen.items()}
    return {name: made.reshape(len(ids), -1) for name, made in by_token.items()} | {"weights": weights}


@pytest.mark.parametrize(("make", "of_all"), [(qwen3, False), (gemma3, False), (olmo2, True)])
def test_a_norm_between_w_and_queries_is_shown_with_the_models_own_numbers(make: Any, of_all: bool) -> None:
    model = normed(make)
    view = look_into(model, tokenizer(), TEXT)
    own = own_numbers(model, view.cut["input_ids"], 1)
    for head in range(4):
        trace = view.heads[1, head]
        assert not trace.notices
        for part, at in (("q", head), ("k", head // 2)):
            columns = slice(8 * at, 8 * at + 8)
            assert {f"w_{part}", f"gamma_{part}", f"{part}_norm", f"{part}_rotated"} <= set(trace.stages)
            assert (f"rest_{part}" in trace.stages) == of_all
            torch.testing.assert_close(trace[part], own[f"{part}_proj"][:, columns], rtol=0, atol=0)
            torch.testing.assert_close(trace.x @ trace[f"w_{part}"], trace[part], rtol=1e-5, atol=1e-6)
            torch.testing.assert_close(trace[f"{part}_norm"], own[f"{part}_norm"][:, columns], rtol=3e-6, atol=1e-6)
            stage = trace.stages[f"{part}_norm"]
            assert stage.rule is not None
            made = stage.rule.compute(*(trace[source].double() for source in stage.sources))
            torch.testing.assert_close(made, trace[f"{part}_norm"].double(), rtol=3e-6, atol=1e-6)
        torch.testing.assert_close(trace.attention_weights, own["weights"][head], rtol=1e-5, atol=1e-6)


def test_the_words_of_a_norm_say_the_root_that_divides() -> None:
    trace = look_into(normed(olmo2), tokenizer(), TEXT).heads[1, 2]
    told = explain(trace, "q_norm", 4, 3, digits=6)
    q, rest = trace["q"][4].double(), trace["rest_q"][4, 0].double()
    rule = trace.stages["q_norm"].rule
    assert isinstance(rule, RmsNorm)
    root = ((q.square().sum() + 24 * rest**2) / 32 + rule.epsilon).sqrt().item()
    assert f"s = {written(root, 6)}" in told.words
    assert "24 numbers" in told.words
    assert "24 numbers" not in explain(look_into(qwen3(), tokenizer(), TEXT).heads[1, 2], "q_norm", 4, 3).words


def test_a_changed_query_is_changed_before_its_norm() -> None:
    trace = look_into(qwen3(), tokenizer(), TEXT, edits=["1.2.q.3.1=2.5"]).heads[1, 2]
    assert trace.q[3, 1] == 2.5
    row = trace.q[3] / (trace.q[3].square().mean() + 1e-6).sqrt()
    torch.testing.assert_close(trace["q_norm"][3], row)


@pytest.mark.parametrize("make", [qwen3, olmo2])
def test_rows_of_written_tokens_are_normed_as_all_others(make: Any) -> None:
    view = look_into(make(), tokenizer(), TEXT)
    written_on, anew = (appended(view, [7, 9], cache=cache).heads[1, 2] for cache in (True, False))
    assert "q_norm" in written_on.stages
    for name in ("q_norm", "k_norm", "k_rotated"):
        assert len(written_on[name]) == len(view.tokens) + 2
        torch.testing.assert_close(written_on[name], anew[name], rtol=1e-4, atol=1e-5)


def test_queries_of_another_norm_stand_as_given_with_the_reason() -> None:
    model = of_kind("Phi", **SIZES, num_hidden_layers=2, qk_layernorm=True)
    trace = look_into(model, tokenizer(), TEXT).heads[1, 2]
    assert "w_q" not in trace.stages
    assert any("Q and K" in each and "QK-norm" in each for each in trace.notices)
    torch.testing.assert_close(trace.x @ trace.w_v + trace["b_v"], trace.v)


def test_what_is_made_of_a_latent_vector_is_not_said_to_be_made_of_the_layers_input() -> None:
    view = look_into(deepseek_v3(), tokenizer(), TEXT)
    trace = view.heads[0, 0]
    assert trace.stages["k"].sources == ("kc", "kr_rotated")
    assert trace.stages["kc"].sources == (*trace.stages["v"].sources[:1], "w_kc") == ("c_kv_norm", "w_kc")
    assert any("latent" in each for each in trace.notices)
    torch.testing.assert_close(trace.attention_weights @ trace.v, trace.context)


def test_latent_vectors_that_are_made_otherwise_leave_the_parts_as_given() -> None:
    model = deepseek_v3()
    for layer in model.model.layers:
        layer.self_attn.kv_a_layernorm = torch.nn.LayerNorm(8)
    trace = look_into(model, tokenizer(), TEXT).heads[0, 0]
    assert trace.stages["q"].rule is not None
    assert trace.stages["k"].rule is trace.stages["v"].rule is None
    assert any("K and V" in each and "latent" in each for each in trace.notices)


def test_where_all_is_made_of_x_nothing_is_told() -> None:
    assert not look_into(DECODERS["Llama"](), tokenizer(), TEXT).heads[0, 0].notices
