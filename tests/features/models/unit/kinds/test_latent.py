"""Multi-head latent attention: each step from X to Q, K and V is the model's own."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from attnviz import ModelTrace, look_into
from attnviz.features.language_models.inside.edits import PARTS
from attnviz.features.models.page.changing import changeable, why_not_all
from tests.families.building import Family, built, families
from tests.families.checking import beyond, unequal
from tests.unit.small_models import TEXT, tokenizer

_STEPS = {"x", "w_dkv", "c_kv", "gamma_dkv", "c_kv_norm", "w_kc", "kc", "w_kr", "kr", "kr_rotated", "w_v"}
_Q_STEPS = {"w_dq", "c_q", "gamma_dq", "c_q_norm", "w_qc", "qc", "w_qr", "qr", "qr_rotated"}


def of_kind(kind: str, **settings: Any) -> Any:
    family: Family = next(each for each in families() if each.kind == kind)
    return built(family, **settings)


# Queries of latent vectors and of X; pairs that are neighbours, and that lie half of the columns apart.
MODELS: dict[str, Callable[[], Any]] = {
    "DeepSeek-V3": lambda: of_kind("deepseek_v3"),
    "queries of X": lambda: of_kind("deepseek_v3", q_lora_rank=None),
    "halves": lambda: of_kind("deepseek_v3", rope_interleave=False),
    "MiniCPM 3": lambda: of_kind("minicpm3"),
}


@pytest.fixture(params=MODELS, scope="module")
def read(request: Any) -> tuple[Any, ModelTrace]:
    model = MODELS[request.param]()
    return model, look_into(model, tokenizer(), TEXT)


def test_every_step_is_what_its_rule_makes_and_every_cell_is_explained(read: tuple[Any, ModelTrace]) -> None:
    model, view = read
    steps = _STEPS | (_Q_STEPS if model.config.q_lora_rank else _Q_STEPS - {"w_dq", "c_q", "gamma_dq", "c_q_norm"})
    for trace in view.heads.values():
        assert steps <= {*trace.stages}
        assert all(trace.stages[name].rule is not None for name in "qkv")
        assert not list(unequal(trace))
    assert not list(beyond(view.heads[0, 0]))
    assert not list(beyond(view.heads[1, view.n_heads - 1]))


def test_the_page_says_why_no_w_can_be_changed_and_each_matrix_that_it_offers_can(
    read: tuple[Any, ModelTrace],
) -> None:
    model, view = read
    trace = view.heads[0, 0]
    said = why_not_all(view.attending_at(0), 0, trace)
    assert said.startswith("Not W_q, W_k, W_v: several matrices make queries, keys and values here")
    offered = changeable(view.attending_at(0), 0, trace)
    assert offered == ["q", "k", "v", "mask"]
    for name in (*PARTS,):
        changed = look_into(model, tokenizer(), TEXT, edits=[f"0.0.{name}.0.0=1.5"])
        assert changed.heads[0, 0][name][0, 0] == 1.5, name


def normed(x: Tensor, norm: Any) -> Tensor:
    epsilon = norm.variance_epsilon
    return x / (x.square().mean(-1, keepdim=True) + epsilon).sqrt() * norm.weight.detach().double()


def test_latent_vectors_are_those_of_the_models_weights(read: tuple[Any, ModelTrace]) -> None:
    model, view = read
    for layer, block in zip(view.layers, model.model.layers, strict=True):
        own, trace = block.self_attn, view.heads[layer.number, 1]
        rank = own.kv_lora_rank
        made = trace.x.double() @ own.kv_a_proj_with_mqa.weight.detach().double().T
        latent = normed(made[:, :rank], own.kv_a_layernorm)
        torch.testing.assert_close(trace["c_kv_norm"].double(), latent, rtol=0, atol=1e-5)
        d = own.qk_nope_head_dim + own.v_head_dim
        weights = own.kv_b_proj.weight.detach().double().T[:, d : 2 * d]  # of head 1
        both = latent @ weights
        torch.testing.assert_close(trace["kc"].double(), both[:, : own.qk_nope_head_dim], rtol=0, atol=1e-5)
        torch.testing.assert_close(trace.v.double(), both[:, own.qk_nope_head_dim :], rtol=0, atol=1e-5)
        # Turning keeps the length of what is turned, whatever the order of its columns.
        torch.testing.assert_close(trace["kr"].double().norm(dim=-1), made[:, rank:].norm(dim=-1), rtol=1e-5, atol=0)
        torch.testing.assert_close(trace["kr_rotated"], view.heads[layer.number, 0]["kr_rotated"], rtol=0, atol=0)


def test_what_the_cache_keeps_is_told_and_shown(read: tuple[Any, ModelTrace]) -> None:
    model, view = read
    own, trace = model.model.layers[0].self_attn, view.heads[0, 0]
    cached = own.kv_lora_rank + own.qk_rope_head_dim
    every = model.config.num_attention_heads * (own.qk_head_dim + own.v_head_dim)
    assert any(f"keeps {cached} numbers a token" in each and f"in place of {every} " in each for each in trace.notices)
    past = view.result.past_key_values.layers[0]
    kept = [each[0, 0] for each in (past.keys, past.values) if each.shape[1] == 1]
    if kept:  # others keep all heads' keys and values
        assert any(torch.equal(each, trace["c_kv_norm"]) for each in kept)
        assert any(torch.equal(each, trace["kr_rotated"]) for each in kept)


def test_words_that_are_written_show_the_steps_of_all_rows(read: tuple[Any, ModelTrace]) -> None:
    _, view = read
    cached, anew = (view.write(3, temperature=0, cache=cache)[-1].view for cache in (True, False))
    for place in ((0, 0), (1, 1)):
        one, other = cached.heads[place], anew.heads[place]
        assert [*one.stages] == [*other.stages]
        for name in one.stages:
            torch.testing.assert_close(one[name], other[name], rtol=0, atol=1e-4, msg=name)


def test_a_changed_part_stands_as_it_was_set(read: tuple[Any, ModelTrace]) -> None:
    _, view = read
    changed = look_into(view.model, tokenizer(), TEXT, edits=["0.1.q.3.0=2.5"]).heads[0, 1]
    assert float(changed.q[3, 0]) == 2.5
    assert not list(unequal(changed))
