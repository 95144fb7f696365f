"""What tests of the whole app are told of models."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch

import attnviz
from attnviz import ModelTrace, look_into
from attnviz.core.attention import AttentionTrace
from attnviz.core.trace import Trace
from attnviz.documents import model_page
from attnviz.features.models.page import looked
from tests.pages.reader import Reader
from tests.unit.small_kinds import diff_llama, olmo2
from tests.unit.small_models import MODELS as SMALL
from tests.unit.small_models import TEXT, gemma2, gpt_oss, t5, tokenizer

# Texts that aren't said, by file: tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/models/commands.py": "writes a command line's help",
    "attnviz/features/models/model_code.py": "writes Python",
}
# What the page's components are sent, and where that is declared: tests/pages/session/test_sent_types.py.
TYPES = {
    "attnviz_model_head": ("Nothing", "attnviz/features/models/page/head.js"),
    "attnviz_model_heads": ("Data", "attnviz/features/models/page/heads.js"),
}


def readers() -> list[Reader]:
    """Readers who see each component of the page."""
    return [
        Reader("pages/model.py", model_text="a cat"),
        Reader("pages/model.py", model_text="a cat").set("model.order", "before"),
    ]


def held() -> list[object]:
    """What sessions share: tests/unit/server/test_server.py."""
    return [looked._shelf(), looked._kept()]


def traces() -> list[Trace]:
    """Traces that a board draws: tests/unit/rules/test_every_rule.py."""
    return [
        look_into(gemma2(), tokenizer(), "the cat sat").heads[1, 2],
        look_into(olmo2(), tokenizer(), "the cat sat").heads[1, 2],
        look_into(diff_llama(), tokenizer(), "the cat sat").heads[1, 1],
    ]


@cache
def kept() -> list[AttentionTrace | ModelTrace]:
    """Traces that the first language that asks for them makes: tests/unit/project/test_words.py."""
    edits = ["0.0.mask.1.3=0", "0.0.off", "1.0.q.0.0=1"]
    views = look_into(gpt_oss().bfloat16(), tokenizer(), TEXT, edits=edits), look_into(t5(), tokenizer(), TEXT)
    return [*views, *(view.heads[place] for view in views for place in ((0, 0), (1, 0)))]


def taken_home() -> dict[str, str]:
    """What is saved: tests/unit/project/test_words.py."""
    encoder = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    page = model_page(look_into(encoder, torch.ones(3, 8)))
    return {"model": re.sub(r"// .*|(?s:/\*.*?\*/)", "", page)}  # its scripts' comments


# Public calls: tests/unit/project/public_calls.py and test_wrong_types.py.
MODULES = ("attnviz.features.models.inside",)
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
