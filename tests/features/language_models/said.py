"""Data about language models for tests of the whole app."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import attnviz
from attnviz import ModelTrace, look_into
from attnviz.core.attention import AttentionTrace
from attnviz.core.trace import Trace
from tests.unit.small_kinds import diff_llama, olmo2
from tests.unit.small_models import MODELS as SMALL
from tests.unit.small_models import TEXT, gemma2, gpt_oss, t5, tokenizer


def traces() -> list[Trace]:
    """Return traces that a board draws, for tests/unit/rules/test_every_rule.py."""
    return [
        look_into(gemma2(), tokenizer(), "the cat sat").heads[1, 2],
        look_into(olmo2(), tokenizer(), "the cat sat").heads[1, 2],
        look_into(diff_llama(), tokenizer(), "the cat sat").heads[1, 1],
    ]


@cache
def kept() -> list[AttentionTrace | ModelTrace]:
    """Return traces that are made once, in the first language that asks, for tests/unit/project/test_words.py."""
    edits = ["0.0.mask.1.3=0", "0.0.off", "1.0.q.0.0=1"]
    views = look_into(gpt_oss().bfloat16(), tokenizer(), TEXT, edits=edits), look_into(t5(), tokenizer(), TEXT)
    return [*views, *(view.heads[place] for view in views for place in ((0, 0), (1, 0)))]


# Modules and classes with public calls, for tests/unit/project/public_calls.py and test_wrong_types.py.
MODULES = ("attnviz.features.language_models.inside",)
RETURNED = {"Heads", "Layer", "ModelTrace", "OtherLayer", "Written"}


@cache
def view() -> Any:
    """One whose vectors are of a sentence, and one that writes."""
    return attnviz.look_into(SMALL["BERT"](), tokenizer(), TEXT)


@cache
def writer() -> Any:
    return attnviz.look_into(SMALL["GPT-2"](), tokenizer(), TEXT)


BY_NAME: Mapping[str, Callable[[], Any]] = {
    "model": lambda: writer().model,
    "one": view,
    "other": view,
    "view": view,
}
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "load": {"name": lambda: "stories"},
    "look_into": {"tokenizer": tokenizer, "text": lambda: TEXT},
    "only": {"kind": lambda: "decoder"},
    "write": {"view": writer},
}
HELD: Mapping[str, Callable[[], Any]] = {"ModelTrace": writer}
NAMED = {"look_into"}
