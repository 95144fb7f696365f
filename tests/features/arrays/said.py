"""Data about arrays for tests of the whole app."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import attnviz
from attnviz.documents import model_page

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/arrays/commands.py": "writes a command line's help",
    "attnviz/features/arrays/layers_of.py": "names shapes in errors",
}
# Public calls, for tests/unit/project/public_calls.py and test_wrong_types.py.
BY_NAME: Mapping[str, Callable[[], Any]] = {"weights": lambda: np.eye(2)}
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {"show_attention": {"tokens": lambda: ("a", "cat")}}
NAMED = {"show_attention"}
WRONG: Mapping[str, Callable[[], Any]] = {
    "tokens is 'ab', expected several texts in order": lambda: attnviz.show_attention(np.eye(2), "ab"),
    "weights is None, expected an array": lambda: attnviz.show_attention(None, ["a"]),
}


def taken_home() -> dict[str, str]:
    """Return files that readers save, for tests/unit/project/test_words.py."""
    page = model_page(attnviz.show_attention(np.eye(2), ["a", "cat"]))
    return {"array": re.sub(r"// .*|(?s:/\*.*?\*/)", "", page)}  # without its scripts' comments
