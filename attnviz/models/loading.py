"""Models of others, by a folder or by a name that transformers knows: safetensors alone, and no code of theirs."""

import os
from functools import cache
from typing import Any

from attnviz.core.limits import in_short
from attnviz.models.included import INCLUDED, included
from attnviz.models.pretrained import WATCHED, transformers

# How the class is called that has the head a model was trained with; any other is loaded without one.
_CLASSES = (("ForConditionalGeneration", "AutoModelForSeq2SeqLM"), ("ForCausalLM", "AutoModelForCausalLM"),
            ("LMHeadModel", "AutoModelForCausalLM"))  # fmt: skip


def load(name: str) -> tuple[Any, Any]:
    """Return a model and its tokenizer: those that come along, by their name, or those of a folder, or of a name that
    transformers knows and has fetched or may fetch.

    Raises ``ValueError`` with the reason where that can't be: no such folder, no network, a kind of model that
    transformers doesn't know, weights that are no safetensors.
    """
    if name == INCLUDED:
        return included()
    package = transformers()
    try:
        config = package.AutoConfig.from_pretrained(name, trust_remote_code=False)
        called = next(iter(getattr(config, "architectures", None) or ()), "")
        kind = next((auto for end, auto in _CLASSES if called.endswith(end)), "AutoModel")
        tokenizer = package.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model = getattr(package, kind).from_pretrained(
            name, trust_remote_code=False, use_safetensors=True, attn_implementation=WATCHED
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"the model {in_short(name)} can't be had, expected a folder or a name: {first}") from None
    return model.eval().requires_grad_(False), tokenizer


@cache
def offered() -> tuple[str, ...]:
    """Return the models that a server offers: the one that comes along, and those that whoever runs it named in
    ATTNVIZ_MODELS, with commas between them."""
    named = (name.strip() for name in os.environ.get("ATTNVIZ_MODELS", "").split(","))
    return tuple(dict.fromkeys((INCLUDED, *filter(None, named))))
