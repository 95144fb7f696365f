"""Icons come with the app: an emoji stands as an empty box wherever its font is missing."""

import ast
import re
from pathlib import Path

import pytest

from tests.unit.project.test_words import ROOT, SOURCES

EMOJI = re.compile("[\U0001f000-\U0001faff\ufe0f]")
# Tables of signs, by which tokens are told apart.
OF_SIGNS = ("attnviz/core/tokens.py",)


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_page_draws_an_emoji(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "icon" and isinstance(node.value, ast.Constant):
            assert str(node.value.value).startswith(":material/"), f"line {node.value.lineno}"
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and str(file.relative_to(ROOT)) not in OF_SIGNS
        ):
            assert not EMOJI.search(node.value), f"line {node.lineno}: {node.value[:60]!r}"
