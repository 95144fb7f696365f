"""Small models of transformers, made from configurations and a seed, without any network."""

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

TEXT = "the cat sat on the mat because it was tired"
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", *dict.fromkeys(TEXT.split()), "der", "kater")
_SIZES = {"vocab_size": len(WORDS), "hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 2,
          "num_attention_heads": 4, "max_position_embeddings": 64}  # fmt: skip
_DECODER = _SIZES | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


@cache
def tokenizer() -> Any:
    """One that cuts at blanks and frames a text, as BERT's does; it knows the words of the text above."""
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


def without_frame() -> Any:
    """The same without a frame: what a decoder is given is the text alone."""
    made = copy.deepcopy(tokenizer())
    made.backend_tokenizer.post_processor = None
    return made


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


def bart() -> Any:
    """One with an encoder and a decoder that reads it."""
    return _model(
        "BartModel", "BartConfig", vocab_size=len(WORDS), d_model=24, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32,
        max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2,
    )  # fmt: skip


def t5(kind: str = "T5Model") -> Any:
    """One whose scores are not divided, and to which a bias for each distance is added."""
    return _model(
        kind, "T5Config", vocab_size=len(WORDS), d_model=24, d_kv=6, d_ff=32, num_layers=2, num_heads=4,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=2,
    )  # fmt: skip
