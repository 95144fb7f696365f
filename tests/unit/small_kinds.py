"""Small models of transformers with unusual attention, made from configurations and a seed."""

from collections.abc import Callable
from typing import Any

import torch

from tests.unit.small_models import WORDS, _model

_SIZES = {"vocab_size": len(WORDS), "hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 4,
          "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "num_key_value_heads": 2}  # fmt: skip
SIZES = _SIZES | {"max_position_embeddings": 64}
_LINEAR = {"num_hidden_layers": 4, "head_dim": 8, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
           "linear_num_key_heads": 2, "linear_num_value_heads": 4,
           "layer_types": ["linear_attention"] * 3 + ["full_attention"]}  # fmt: skip
_EXPERTS = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
_MAMBA2 = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 4}


def of_kind(kind: str, config: str = "", /, **settings: Any) -> Any:
    """Return a model that scores the next token."""
    return _model(f"{kind}ForCausalLM", config or f"{kind}Config", **settings)


# Name -> (model, numbers of the layers with attention, what the others do).
HYBRIDS: dict[str, tuple[Callable[[], Any], tuple[int, ...], tuple[str, ...]]] = {
    "Qwen 3.5": (lambda: of_kind("Qwen3_5", "Qwen3_5TextConfig", **SIZES, **_LINEAR), (3,), ("linear",)),
    "Qwen 3 Next": (lambda: of_kind("Qwen3Next", **SIZES, **_LINEAR, **_EXPERTS, shared_expert_intermediate_size=16),
                    (3,), ("linear",)),
    "Jamba": (lambda: of_kind("Jamba", **SIZES, num_hidden_layers=4, attn_layer_period=2, attn_layer_offset=1,
                              num_experts=2, expert_layer_period=2, use_mamba_kernels=False, mamba_d_state=4,
                              mamba_d_conv=3, mamba_dt_rank=4), (1, 3), ("state_space",)),
    "LFM2": (lambda: of_kind("Lfm2", **SIZES, num_hidden_layers=4, layer_types=["conv", "full_attention"] * 2),
             (1, 3), ("convolution",)),
    "Zamba2": (lambda: of_kind("Zamba2", **SIZES | {"num_key_value_heads": 4}, num_hidden_layers=6,
                               attention_head_dim=16, layer_types=["mamba", "hybrid"] * 3, mamba_d_state=8,
                               mamba_headdim=8, n_mamba_heads=8, mamba_ngroups=1, chunk_size=4, num_mem_blocks=2,
                               adapter_rank=4, use_mem_rope=True, hybrid_layer_ids=[1, 3, 5]),
               (1, 3, 5), ("state_space",)),
    "Granite hybrid": (lambda: of_kind("GraniteMoeHybrid", **SIZES, **_MAMBA2, num_hidden_layers=3,
                                       layer_types=["mamba", "attention", "mamba"], num_local_experts=2,
                                       num_experts_per_tok=1, shared_intermediate_size=16), (1,), ("state_space",)),
    "Nemotron-H": (lambda: of_kind("NemotronH", **SIZES, layers_block_type=["mamba", "attention", "moe", "mamba"],
                                   head_dim=8, mamba_num_heads=8, mamba_head_dim=8, ssm_state_size=8, n_groups=1,
                                   chunk_size=4, n_routed_experts=2, num_experts_per_tok=1, moe_intermediate_size=16),
                   (1,), ("feed_forward", "state_space")),
    "Recurrent Gemma": (lambda: of_kind("RecurrentGemma", **_SIZES | {"num_key_value_heads": 1}, num_hidden_layers=3,
                                        lru_width=32, attention_window_size=16), (2,), ("recurrent",)),
}  # fmt: skip


def granite_swa(kind: str = "GraniteSWA") -> Any:
    """Return a model that multiplies contexts by what each head's sink leaves, and returns weights that sum to 1."""
    experts = {"num_local_experts": 2, "num_experts_per_tok": 1} if "Moe" in kind else {}
    model = of_kind(kind, **SIZES, **experts, num_hidden_layers=2, attention_multiplier=0.25, initializer_range=0.5)
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.sinks.copy_(torch.tensor([3.0, 0.0, 1.0, -2.0]))
    return model


def diff_llama() -> Any:
    """Return a model whose heads read by one softmax minus λ times another."""
    return of_kind("DiffLlama", **SIZES, num_hidden_layers=2)


def deepseek_v3() -> Any:
    """Return a model whose keys and values are made from a latent vector."""
    sizes = {"q_lora_rank": 16, "kv_lora_rank": 8, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8,
             "n_routed_experts": 4, "num_experts_per_tok": 1, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 2,
             "moe_intermediate_size": 16}  # fmt: skip
    return of_kind("DeepseekV3", **SIZES | {"num_key_value_heads": 4}, **sizes, num_hidden_layers=2)


def deepseek_v4() -> Any:
    """Return a model, some of whose keys are pooled from several tokens."""
    sizes = {"head_dim": 16, "q_lora_rank": 16, "o_groups": 2, "o_lora_rank": 16, "n_routed_experts": 4,
             "num_experts_per_tok": 1, "moe_intermediate_size": 16, "hc_mult": 2, "index_n_heads": 2,
             "index_head_dim": 16, "index_topk": 4, "sliding_window": 8}  # fmt: skip
    kinds = ["sliding_attention", "compressed_sparse_attention"]
    return of_kind("DeepseekV4", **SIZES | {"num_key_value_heads": 1}, **sizes, num_hidden_layers=2, layer_types=kinds)


def qwen3() -> Any:
    """Return a model that normalizes its queries and keys."""
    return of_kind("Qwen3", **SIZES, head_dim=8, num_hidden_layers=2)


def olmo2() -> Any:
    """Return a model that normalizes all heads' queries and keys together."""
    return of_kind("Olmo2", **SIZES, num_hidden_layers=2)
