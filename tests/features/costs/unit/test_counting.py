"""Counted costs: those of torch's own counter, of transformers' modules, and of published figures."""

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnviz import Scenario
from attnviz.core.rules.cellwise import FeatureMap
from attnviz.core.scenario import trace
from attnviz.features.costs.counting import BYTES, Layer
from attnviz.features.costs.of_scenario import costs_of
from attnviz.features.costs.published_models import PUBLISHED_MODELS

MODELS = {each.key: each.costs for each in PUBLISHED_MODELS}
MIB, GIB = 2**20, 2**30
TEXT = "the fluffy cat chased a mouse"


def layer(key: str, at: int) -> Layer:
    return MODELS[key].layers[at][1]


# ---- published figures


@pytest.mark.parametrize(
    ("key", "n", "published", "digits"),
    [
        # huggingface.co/blog/llama31, "Inference memory requirements": GiB, of 1,024, 16,000 and 128,000 tokens.
        ("llama", 1024, 0.125, 3),
        ("llama", 16_000, 1.95, 2),
        ("llama", 128_000, 15.62, 2),
        # vllm.ai/blog/deepseek-v4 and its readers' sums: 16 bit, 2^20 tokens.
        ("deepseek_v3_2", 2**20, 83.88, 2),
        ("deepseek_v4", 2**20, 6.72, 2),
    ],
)
def test_caches_are_as_large_as_published(key: str, n: int, published: float, digits: int) -> None:
    assert MODELS[key].cached_bytes(n) / GIB == pytest.approx(published, abs=0.51 * 10**-digits)


def test_a_latents_cache_is_that_of_deepseek_v3s_paper() -> None:
    """Zhao et al. 2025, Insights into DeepSeek-V3, table 1: 70.272 KB a token, before there was an indexer."""
    (count, latent), *others = MODELS["deepseek_v3_2"].layers
    of_indexer = 128
    assert not others
    assert BYTES * count * (latent.cached(1) - of_indexer) == 70_272


def test_kimi_keeps_a_quarter_of_what_latents_in_all_layers_would() -> None:
    """Kimi Team 2025, Kimi Linear, abstract: up to 75 % less."""
    per_layer = layer("kimi_linear", 0).cached(1)
    growth = MODELS["kimi_linear"].cached(2) - MODELS["kimi_linear"].cached(1)
    assert 1 - growth / (27 * per_layer) == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize(
    ("key", "bytes_per_token"),
    [
        ("gemma", 458_752),
        ("llama", 131_072),
        ("gemma_3", 81_920),
        ("gpt_oss", 36_864),
        ("deepseek_v3_2", 85_888),
        ("deepseek_v4", 6_880),
        ("qwen3_next", 24_576),
        ("kimi_linear", 8_064),
    ],
)
def test_beyond_windows_a_cache_grows_by_a_fixed_number_of_bytes(key: str, bytes_per_token: int) -> None:
    """2 bytes · layers · what each keeps, worked out by hand; over 128 tokens, since blocks hold up to 128."""
    costs = MODELS[key]
    assert costs.cached_bytes(4096 + 128) - costs.cached_bytes(4096) == 128 * bytes_per_token


# ---- transformers' modules


def _numbers(module: torch.nn.Module) -> int:
    """How many numbers its matrices and convolutions have; norms, sinks and biases by place are no matrices."""
    left_out = ("norm", "sinks", "bias", "A_log")
    return sum(each.numel() for name, each in module.named_parameters() if not any(part in name for part in left_out))


def _modules() -> dict[tuple[str, int], Any]:
    """Return functions that make each kind of layer with transformers' own classes and the models' own settings."""
    from transformers import (
        DeepseekV4Config,
        DeepseekV32Config,
        GemmaConfig,
        GptOssConfig,
        KimiLinearConfig,
        LlamaConfig,
        Qwen3NextConfig,
    )
    from transformers.models.deepseek_v4.modeling_deepseek_v4 import DeepseekV4Attention
    from transformers.models.deepseek_v32.modeling_deepseek_v32 import DeepseekV32Attention
    from transformers.models.gemma.modeling_gemma import GemmaAttention
    from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention
    from transformers.models.kimi_linear.modeling_kimi_linear import KimiLinearAttention, KimiLinearDeltaAttention
    from transformers.models.llama.modeling_llama import LlamaAttention
    from transformers.models.qwen3_next.modeling_qwen3_next import Qwen3NextAttention, Qwen3NextGatedDeltaNet

    kinds = ("sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention")
    v4 = DeepseekV4Config(num_hidden_layers=3, layer_types=[*kinds], mlp_layer_types=["moe"] * 3)
    llama = LlamaConfig(hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, num_hidden_layers=32)
    return {
        ("gemma", 0): lambda: GemmaAttention(GemmaConfig(), 0),
        ("llama", 0): lambda: LlamaAttention(llama, 0),
        ("gpt_oss", 0): lambda: GptOssAttention(GptOssConfig(), 1),
        ("gpt_oss", 1): lambda: GptOssAttention(GptOssConfig(), 0),
        ("deepseek_v3_2", 0): lambda: DeepseekV32Attention(DeepseekV32Config(), 0),
        **{("deepseek_v4", at): lambda at=at: DeepseekV4Attention(v4, at) for at in range(3)},
        ("qwen3_next", 0): lambda: Qwen3NextAttention(Qwen3NextConfig(), 3),
        ("qwen3_next", 1): lambda: Qwen3NextGatedDeltaNet(Qwen3NextConfig(), 0),
        ("kimi_linear", 0): lambda: KimiLinearAttention(KimiLinearConfig(), 4),
        ("kimi_linear", 1): lambda: KimiLinearDeltaAttention(KimiLinearConfig(), 0),
    }


def test_each_layer_multiplies_once_with_every_number_of_its_matrices() -> None:
    """Those of transformers' modules, built without memory, count them."""
    pytest.importorskip("transformers")
    for (key, at), make in _modules().items():
        with torch.device("meta"):
            module = make()
        assert layer(key, at).weights == _numbers(module), (key, at)


# ---- set-ups of the app


SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"d_in": 5, "d_out": 4, "d_v": 3},
    {"d_out": 4, "n_heads": 2, "output": True},
    {"d_in": 4, "d_out": 8, "n_heads": 4, "n_kv_heads": 2, "output": True, "causal": True},
    {"d_in": 4, "d_out": 4, "n_layers": 3, "n_heads": 2, "positions": "rotary"},
    {"reads": "second", "second": "der Hund schläft"},
    {"reads": "kept", "second": "der Hund", "causal": True},
)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_set_ups_multiplications_are_those_that_torch_counts(settings: dict[str, Any]) -> None:
    """A table computes all rows at once: the last token's work, once for each token."""
    scenario = Scenario(TEXT, **settings)
    with FlopCounterMode(display=False) as counter:
        computed = trace(scenario)
        assert computed.tokens
    n, costs = len(scenario.tokens), costs_of(scenario)
    counted = n * costs.multiplications(n)
    # K and V of the other tokens are made once, before the first token.
    counted += len(scenario.second_tokens) * scenario.d_in * (scenario.width_of_keys + scenario.shape_of("w_v")[1])
    assert counter.get_total_flops() == 2 * counted


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_set_ups_cache_is_as_large_as_its_keys_and_values(settings: dict[str, Any]) -> None:
    scenario = Scenario(TEXT, **settings)
    computed = trace(scenario)
    layers = computed.layers if scenario.n_layers > 1 else [computed]
    kept = sum(each["k"].numel() + each["v"].numel() for each in layers)
    assert costs_of(scenario).cached(len(scenario.tokens)) == kept


def test_with_a_window_no_more_is_kept_and_read_than_it_holds() -> None:
    windowed, plain = costs_of(Scenario(TEXT, masking="window", mask_size=3)), costs_of(Scenario(TEXT))
    for n in (1, 2, 3, 4, 100):
        assert windowed.cached(n) == plain.cached(min(n, 3))
        assert windowed.multiplications(n) == plain.multiplications(min(n, 3))


def test_linear_attention_keeps_a_table_and_multiplies_as_its_other_order_does() -> None:
    """Katharopoulos et al. 2020, equation 5: torch's counter counts φ(Q) (φ(K)ᵀ V) and what it's divided by."""
    scenario = Scenario(TEXT, weighting="linear", d_in=4, d_out=6, d_v=9, n_heads=3, output=True)
    costs, n = costs_of(scenario), len(scenario.tokens)
    computed = trace(scenario)
    with FlopCounterMode(display=False) as counter:
        x = computed.x
        q, k, v = x @ computed.w_q, x @ computed.w_k, x @ computed.w_v
        contexts, tables = [], 0
        for part in range(3):
            one, other, values = (each.chunk(3, -1)[part] for each in (q, k, v))
            mapped_q, mapped_k = FeatureMap().compute(one), FeatureMap().compute(other)
            table, total = mapped_k.mT @ values, mapped_k.sum(0)[:, None]
            contexts.append(mapped_q @ table / (mapped_q @ total))
            tables += table.numel() + total.numel()
        output = torch.cat(contexts, -1) @ computed["w_o"]
    torch.testing.assert_close(output + computed["b_o"], computed["output"])
    assert counter.get_total_flops() == 2 * n * costs.multiplications(n)
    assert costs.cached(n) == costs.cached(10**6) == tables
