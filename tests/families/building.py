"""Small models of every kind that transformers knows, made only from its configurations."""

import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from tests.unit.small_models import TEXT, WORDS, tokenizer

# _SIZES has a small model's sizes, by all names that configurations have for them. A configuration takes those that it
# knows.
TARGET = "der kater"  # text of the decoder, in a model with an encoder
_HEAD = 8
_HIDDEN = 32
_MOST_NUMBERS = 2**22  # numbers of a model that counts as small
_SIZES: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "hidden_dim", "emb_dim", "embedding_size", "emb_size",
                     "word_embed_proj_dim", "ffn_hidden_size", "dense_intermediate_size",
                     "shared_intermediate_size"), _HIDDEN),
    **dict.fromkeys(("intermediate_size", "d_ff", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "n_inner", "d_inner",
                     "moe_intermediate_size", "shared_expert_intermediate_size", "block_ff_dim"), _HIDDEN),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers",
                     "num_decoder_layers", "num_encoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
                     "decoder_attention_heads"), 4),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads", "n_head_kv"), 2),
    **dict.fromkeys(("head_dim", "d_kv", "v_head_dim", "attention_head_dim", "qk_head_dim", "kv_channels"), _HEAD),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_target_positions",
                     "max_source_positions"), 64),
    "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "rotary_dim": 4,
    "n_routed_experts": 4, "num_local_experts": 4, "num_experts": 4, "moe_num_experts": 4, "n_shared_experts": 1,
    "num_experts_per_tok": 2, "moe_topk": 2, "num_experts_per_token": 2, "n_group": 1, "topk_group": 1, "n_groups": 1,
    "index_topk": 3, "index_head_dim": 8, "index_n_heads": 2, "index_block_size": 2, "index_topk_blocks": 1,
    "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
    "first_k_dense_replace": 1, "sliding_window": 3, "window_size": 3, "attention_window": 4, "type_vocab_size": 2,
    "vocab_size": len(WORDS), "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2,
}  # fmt: skip


@dataclass(frozen=True)
class Family:
    """A kind of model: `kind` is its name in a configuration, `folder` the place of its code."""

    kind: str
    folder: str
    config: str
    model: str


def families() -> Iterator[Family]:
    """Yield each kind of model that transformers loads by its configuration, if possible with an output layer."""
    from transformers.models.auto import configuration_auto, modeling_auto

    heads = ("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM", "MODEL_FOR_CAUSAL_LM", "MODEL")
    tables = [getattr(modeling_auto, f"{head}_MAPPING_NAMES") for head in heads]
    for kind, config in configuration_auto.CONFIG_MAPPING_NAMES.items():
        model = next((table[kind] for table in tables if kind in table), None)
        if model is not None:
            folder = configuration_auto.model_type_to_module_name(kind)
            yield Family(kind, folder, config, model if isinstance(model, str) else model[0])


# Settings that are tried in order, until a model can be built and computes something for a text.
_VARIANTS: tuple[dict[str, Any], ...] = (
    {}, {"num_key_value_heads": 4}, {"num_key_value_heads": 4, "head_dim": 4}, {"num_key_value_heads": 1},
    # In a hybrid, the fourth layer may be the first one with attention.
    {"num_hidden_layers": 4}, {"num_hidden_layers": 4, "num_key_value_heads": 4},
    {"num_hidden_layers": 4, "layer_types": ["mamba", "attention"] * 2, "mamba_n_heads": 4, "mamba_d_head": 16},
    {"num_hidden_layers": 4, "attn_layer_indices": [1, 3], "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8},
    {"num_hidden_layers": 4, "attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False},
    {"num_hidden_layers": 4, "layer_types": ["conv", "full_attention"] * 2},
    {"num_hidden_layers": 4, "layers_block_type": ["mamba", "hybrid"] * 2, "num_key_value_heads": 4, "n_mamba_heads": 4,
     "mamba_headdim": 16, "mamba_ngroups": 1, "use_mamba_kernels": False},
)  # fmt: skip


class NotBuiltError(Exception):
    """No small model of a family computes something for a text."""


def built(family: Family, **settings: Any) -> Any:
    """Return a small model of a family, with numbers large enough to make a difference.

    Raises :class:`NotBuiltError` with what transformers said of the first try.
    """
    first: Exception | None = None
    for variant in _VARIANTS:
        try:
            model = _built(family, variant | settings)
            computed(model)
        except Exception as error:  # a model that needs other sizes says so by any error
            first = first or error
        else:
            return model
    raise NotBuiltError(f"{type(first).__name__}: {first}")


def computed(model: Any, **more: Any) -> Any:
    """Return what a model itself computes for the text with plain attention."""
    plain = copy.deepcopy(model)
    for each in (plain, *plain.modules()):  # parts such as T5's stacks have configurations of their own
        if (config := getattr(each, "config", None)) is not None:
            config._attn_implementation = "eager"
    inputs = {"input_ids": torch.tensor([tokenizer()(TEXT)["input_ids"]])}
    if model.config.is_encoder_decoder:
        start = getattr(model.config, "decoder_start_token_id", None)
        start = getattr(model.config, "bos_token_id", None) if start is None else start
        more_ids = tokenizer()(TARGET, add_special_tokens=False)["input_ids"]
        inputs["decoder_input_ids"] = torch.tensor([[*([] if start is None else [start]), *more_ids]])
    with torch.no_grad():
        return plain(**inputs, **more)


def _built(family: Family, settings: dict[str, Any]) -> Any:
    import transformers

    config = getattr(transformers, family.config)
    taken = inspect.signature(config.__init__).parameters
    known = {*taken, *getattr(config, "__annotations__", {}), *getattr(config, "attribute_map", {})}
    sizes = {name: value for name, value in (_SIZES | settings).items() if name in known}
    kind, made = getattr(transformers, family.model), config(**sizes)
    with torch.device("meta"):  # where a tensor has a shape and no numbers
        n_numbers = sum(each.numel() for each in kind(copy.deepcopy(made)).parameters())
    if n_numbers > _MOST_NUMBERS:
        raise ValueError(f"{n_numbers:,} numbers, though all known sizes are small")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = kind(made).eval()
        enlarge(model)
    return model


def enlarge(model: Any) -> None:
    """Change weights so much that attention isn't even, and biases and scales aren't 0 and 1."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.is_floating_point():
                weight.add_(torch.randn(weight.shape), alpha=0.1 if weight.dim() < 2 else 0.3)
