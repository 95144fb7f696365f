"""What tests of the whole app are told of the page of models."""

import re

import torch

from attnviz import look_into
from attnviz.documents import model_page
from attnviz.features.models.page import looked
from tests.pages.reader import Reader

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


def taken_home() -> dict[str, str]:
    """What is saved: tests/unit/project/test_words.py."""
    encoder = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    page = model_page(look_into(encoder, torch.ones(3, 8)))
    return {"model": re.sub(r"// .*|(?s:/\*.*?\*/)", "", page)}  # its scripts' comments
