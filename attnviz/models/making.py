"""A small decoder of GPT-2's architecture: made anew from a seed, and kept as transformers loads it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from attnviz.models.pretrained import transformers

SPREAD = 0.15
UNKNOWN = "<unk>"  # what a word becomes that isn't in the vocabulary


def new_decoder(n_entries: int, n_places: int, n_layers: int, n_heads: int, width: int, seed: int) -> Any:
    """Return a decoder with numbers drawn from a seed: tokens' vectors with a spread of 0.15, and all else as nn.Linear
    draws it, for GPT-2's own 0.02 makes a small one slow to learn. Places begin as waves, of as much length, since then
    one rotation leads from each to the one before.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.5, for the waves.
    """
    package, generator = transformers(), torch.Generator().manual_seed(seed)
    config = package.GPT2Config(
        vocab_size=n_entries, n_positions=n_places, n_embd=width, n_layer=n_layers, n_head=n_heads, resid_pdrop=0.0,
        embd_pdrop=0.0, attn_pdrop=0.0, activation_function="gelu_pytorch_tanh", bos_token_id=0, eos_token_id=0,
        attn_implementation="eager",
    )  # fmt: skip
    with torch.device("meta"):  # for it would draw from torch's own generator, which is everybody's
        model = package.GPT2LMHeadModel(config)
    model = model.to_empty(device="cpu")
    for name, parameter in model.named_parameters():
        if "wte" in name:
            torch.nn.init.normal_(parameter, 0.0, SPREAD, generator=generator)
        elif "wpe" in name:
            parameter.data = _waves(n_places, width)
        elif parameter.dim() == 2:
            bound = parameter.shape[0] ** -0.5
            torch.nn.init.uniform_(parameter, -bound, bound, generator=generator)
        else:
            torch.nn.init.constant_(parameter, float("ln_" in name and name.endswith("weight")))
    model.tie_weights()
    return model


def _waves(n_places: int, width: int) -> torch.Tensor:
    angles = torch.arange(n_places)[:, None] * 100.0 ** -(torch.arange(width // 2) / (width // 2))
    return torch.cat([angles.sin(), angles.cos()], dim=1) * SPREAD * 2**0.5


def tokenizer_of(vocabulary: Sequence[str], n_places: int) -> Any:
    """Return a tokenizer that cuts a text into the words of a vocabulary, in lower case; the first of these is put
    before every text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    begin = vocabulary[0]
    ids = {word: i for i, word in enumerate((*vocabulary, UNKNOWN))}
    cutter = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    cutter.normalizer = normalizers.Lowercase()
    cutter.pre_tokenizer = pre_tokenizers.Whitespace()
    cutter.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", pair=f"{begin} $A $B", special_tokens=[(begin, 0)]
    )
    return transformers().PreTrainedTokenizerFast(
        tokenizer_object=cutter, bos_token=begin, eos_token=begin, unk_token=UNKNOWN, model_max_length=n_places
    )


def keep(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model and its tokenizer into a folder, as transformers reads them."""
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
