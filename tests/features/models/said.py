"""Data about the page of models for tests of the whole app."""

import re

import torch

from attnviz import look_into
from attnviz.documents import model_page
from attnviz.features.models.page import result_cache
from tests.pages.reader import Reader

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/models/commands.py": "writes a command line's help",
    "attnviz/features/models/model_code.py": "writes Python",
}
# Component -> (type of its data, file that declares it), for tests/pages/session/test_sent_types.py.
TYPES = {
    "attnviz_model_head": ("Nothing", "attnviz/features/models/page/head.js"),
    "attnviz_model_heads": ("Data", "attnviz/features/models/page/heads.js"),
}


def readers() -> list[Reader]:
    """Return readers who see each component of the page."""
    return [
        Reader("pages/model.py", model_text="a cat"),
        Reader("pages/model.py", model_text="a cat").set("model.order", "before"),
    ]


def held() -> list[object]:
    """Return objects that sessions share, for tests/unit/server/test_server.py."""
    return [result_cache._shelf(), result_cache._kept()]


def taken_home() -> dict[str, str]:
    """Return files that readers save, for tests/unit/project/test_words.py."""
    encoder = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    page = model_page(look_into(encoder, torch.ones(3, 8)))
    return {"model": re.sub(r"// .*|(?s:/\*.*?\*/)", "", page)}  # without its scripts' comments
