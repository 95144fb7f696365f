"""Small models of transformers, made from configurations and a seed, without any network."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

TEXT = "the cat sat on the mat because it was tired"
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", *dict.fromkeys(TEXT.split()), "der", "kater")
_SIZES = {"vocab_size": len(WORDS), "hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 2,
          "num_attention_heads": 4, "max_position_embeddings": 64}  # fmt: skip
_DECODER = _SIZES | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


@cache
def tokenizer() -> Any:
    """Return a tokenizer that cuts at spaces and frames a text, as BERT's does; it knows WORDS."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]",
        model_max_length=64,
    )  # fmt: skip


def saved(model: Any, folder: Path) -> Path:
    """Write the files of a model into a folder, as people store theirs."""
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def _model(kind: str, config: str, **settings: Any) -> Any:
    import transformers

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(len(kind) + len(settings))
        return getattr(transformers, kind)(getattr(transformers, config)(**settings)).eval()


MODELS: dict[str, Callable[[], Any]] = {
    "BERT": lambda: _model("BertModel", "BertConfig", **_SIZES),
    "GPT-2": lambda: _model(
        "GPT2LMHeadModel", "GPT2Config", vocab_size=len(WORDS), n_embd=24, n_layer=2, n_head=4, n_positions=64
    ),
    "Llama": lambda: _model("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=2, **_DECODER),
    "Mistral": lambda: _model("MistralModel", "MistralConfig", num_key_value_heads=2, sliding_window=3, **_DECODER),
    "Gemma": lambda: _model("GemmaModel", "GemmaConfig", num_key_value_heads=1, head_dim=8, **_DECODER),
    "GPT-NeoX": lambda: _model("GPTNeoXModel", "GPTNeoXConfig", rotary_pct=0.5, **_DECODER | {"hidden_size": 32}),
    "DistilBERT": lambda: _model(
        "DistilBertModel", "DistilBertConfig", vocab_size=len(WORDS), dim=24, hidden_dim=32, n_layers=2, n_heads=4,
        max_position_embeddings=64,
    ),
    "Qwen2": lambda: _model("Qwen2Model", "Qwen2Config", num_key_value_heads=2, **_DECODER),
}  # fmt: skip

# Models that write, which differ in how they treat keys and positions.
DECODERS: dict[str, Callable[[], Any]] = {
    "GPT-2": MODELS["GPT-2"],
    "Llama": MODELS["Llama"],
    "Mistral": lambda: _model(
        "MistralForCausalLM", "MistralConfig", num_key_value_heads=2, sliding_window=3, **_DECODER
    ),
    "GPT-NeoX": lambda: _model("GPTNeoXForCausalLM", "GPTNeoXConfig", rotary_pct=0.5, **_DECODER | {"hidden_size": 32}),
    "Bloom": lambda: _model(
        "BloomForCausalLM", "BloomConfig", vocab_size=len(WORDS), hidden_size=24, n_layer=2, n_head=4
    ),
}


def bart() -> Any:
    """Return a model with an encoder and a decoder that reads it."""
    return _model(
        "BartModel", "BartConfig", vocab_size=len(WORDS), d_model=24, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32,
        max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2,
    )  # fmt: skip


def t5(kind: str = "T5Model") -> Any:
    """Return a model whose scores aren't divided, and have a bias for each distance added."""
    return _model(
        kind, "T5Config", vocab_size=len(WORDS), d_model=24, d_kv=6, d_ff=32, num_layers=2, num_heads=4,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=2,
    )  # fmt: skip


def _named(kind: str, **settings: Any) -> Any:
    """Return the model of a kind with its configuration, whose name has the same beginning."""
    return _model(f"{kind}Model", f"{kind}Config", **settings)


_GPT = {"vocab_size": len(WORDS), "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "rotary_dim": 4,
        "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
_FALCON = {name: _SIZES[name] for name in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")}
# Models that write their attention out, instead of using transformers' attention interface.
WRITTEN_OUT: dict[str, Callable[[], Any]] = {
    "Falcon": lambda: _named("Falcon", **_FALCON),
    "Falcon, ALiBi": lambda: _named("Falcon", alibi=True, **_FALCON),
    "Falcon, shared keys": lambda: _named("Falcon", num_kv_heads=2, new_decoder_architecture=True, **_FALCON),
    "Bloom": lambda: _named("Bloom", vocab_size=len(WORDS), hidden_size=24, n_layer=2, n_head=4),
    "MPT": lambda: _named(
        "Mpt", vocab_size=len(WORDS), d_model=24, n_layers=2, n_heads=4, max_seq_len=64, expansion_ratio=2
    ),
    "GPT-J": lambda: _named("GPTJ", **_GPT),
    "CodeGen": lambda: _named("CodeGen", **_GPT),
    "GPT-Neo": lambda: _named(
        "GPTNeo", vocab_size=len(WORDS), hidden_size=24, num_layers=2, attention_types=[[["global", "local"], 1]],
        num_heads=4, window_size=3, max_position_embeddings=64, bos_token_id=1, eos_token_id=2,
    ),
    "RoFormer": lambda: _named("RoFormer", **_SIZES),
    "MPNet": lambda: _named("MPNet", **_SIZES),
}  # fmt: skip
_VISION = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
# Name -> (model that attends in another way or reads no text, words of the refusal that say how).
OTHERWISE: dict[str, tuple[Callable[[], Any], str]] = {
    "DeBERTa": (lambda: _named("Deberta", relative_attention=True, pos_att_type=["c2p"], **_SIZES), "sum of three"),
    "DeBERTa 2": (lambda: _named("DebertaV2", relative_attention=True, pos_att_type=["c2p"], **_SIZES), "sum of three"),
    "XLNet": (lambda: _named("XLNet", vocab_size=len(WORDS), d_model=24, n_layer=2, n_head=4, d_inner=32), "streams"),
    "Longformer": (lambda: _named("Longformer", attention_window=4, **_SIZES), "window"),
    "LongT5": (lambda: _named("LongT5", vocab_size=len(WORDS), d_model=24, d_kv=6, d_ff=32, num_layers=1, num_heads=4,
                              decoder_start_token_id=0), "window"),
    "FNet": (lambda: _named("FNet", **_SIZES), "has no attention"),
    "Funnel": (lambda: _named("Funnel", vocab_size=len(WORDS), d_model=24, block_sizes=[1, 1], n_head=4, d_head=6,
                              d_inner=32), "can't be seen"),
    "ViT": (lambda: _named("ViT", image_size=32, patch_size=16, **_VISION), "pictures or sound"),
    "Whisper": (lambda: _named("Whisper", vocab_size=len(WORDS), d_model=24, encoder_layers=1, decoder_layers=1,
                               encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=32,
                               decoder_ffn_dim=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                               decoder_start_token_id=2), "pictures or sound"),
    "CLIP": (lambda: _named("CLIP", text_config=_SIZES | {"eos_token_id": 2}, vision_config=_VISION | {
        "image_size": 32, "patch_size": 16}), "pictures or sound"),
}  # fmt: skip


def scaled_by_layer() -> Any:
    """Return a GPT-2 that divides the scores of each layer also by the layer's number."""
    return _model("GPT2Model", "GPT2Config", scale_attn_by_inverse_layer_idx=True, vocab_size=len(WORDS), n_embd=32,
                  n_layer=3, n_head=4, n_positions=64)  # fmt: skip


def gemma2(cap: float | None = 0.5) -> Any:
    """Return a model that divides by another number than √d_k, and caps its scores, which are large to show that."""
    model = _named("Gemma2", **_DECODER | {"num_key_value_heads": 2, "head_dim": 8, "query_pre_attn_scalar": 5,
                                          "attn_logit_softcapping": cap, "initializer_range": 0.5})  # fmt: skip
    return model


def gpt_oss() -> Any:
    """Return a model with attention sinks: in its softmax, each head has a learned number beside the scores."""
    model = _named("GptOss", **_DECODER | {"num_key_value_heads": 2, "head_dim": 8, "num_local_experts": 2,
                                          "num_experts_per_tok": 1,
                                          "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}})  # fmt: skip
    with torch.no_grad():
        for i, layer in enumerate(model.layers):
            layer.self_attn.sinks.copy_(torch.tensor([-3.0, 0.0, 3.0, 6.0]) + i)
    return model
