"""The documents name files that are there, docs/ARCHITECTURE.md every room; no line is too long, no sign an emoji."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.unit.project.test_words import ROOT, SOURCES

TEXT = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
DOCUMENTS = (
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md",
    *(f"docs/{name}.md" for name in (
        "ARCHITECTURE", "COMMANDS", "DEPLOYMENT", "GUIDE", "LIBRARY", "LIMITS", "RELEASING", "WORDS",
    )),
    *(f"docs/decisions/{each.name}" for each in (ROOT / "docs/decisions").glob("*.md")),
)  # fmt: skip
MADE = ("/attnviz/site/", "/sbom.json", "/app.py")  # in a wheel, by make, at the root
FOLDERS = ("attnviz", "pages", "tests", "docs", "deploy", "benchmarks", ".ci", ".streamlit")
HELD = [
    f"/{each.relative_to(ROOT).as_posix()}{'/' if each.is_dir() else ''}"
    for folder in FOLDERS
    for each in (ROOT / folder, *(ROOT / folder).rglob("*"))
] + [*MADE, *(f"/{each.name}" for each in ROOT.glob("*.*"))]


def named_in(document: str) -> list[str]:
    """What stands there in code letters and is a path; NAME stands for the reader's own."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [each for each in re.findall(r"`([\w.][\w./]*(?:/|\.(?:py|js|json|toml|md)))`", text) if "NAME" not in each]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_and_folder_that_is_named_is_there(document: str) -> None:
    assert len(named_in("docs/ARCHITECTURE.md")) > 40
    assert [each for each in named_in(document) if not any(held.endswith(f"/{each}") for held in HELD)] == []


def test_no_line_of_a_script_is_longer_than_120_characters() -> None:
    scripts = [each for folder in FOLDERS for ending in ("js", "ts") for each in (ROOT / folder).rglob(f"*.{ending}")]
    assert len(scripts) > 100
    lines = (
        (each.name, at, line) for each in scripts for at, line in enumerate(each.read_text("utf-8").splitlines(), 1)
    )
    assert [f"{name}:{at}" for name, at, line in lines if len(line) > 120] == []


def test_no_folder_has_more_than_twenty_files_but_those_of_pictures() -> None:
    files = (each for folder in ("attnviz", "pages", "tests", "benchmarks") for each in (ROOT / folder).rglob("*"))
    kept = (each for each in files if each.is_file() and not {"pictures", "__pycache__"} & {*each.parts})
    folders = Counter(each.parent.relative_to(ROOT) for each in kept)
    assert {folder: n for folder, n in folders.items() if n > 20} == {}


def test_every_room_has_its_line() -> None:
    rooms = {each.parent.name for each in (ROOT / "attnviz").glob("*/__init__.py")}
    assert {room for room in rooms if f"{room}/`" not in TEXT} == set()


EMOJI = re.compile("[\U0001f000-\U0001faff\ufe0f]")
OF_SIGNS = ROOT / "attnviz/core/tokens.py"  # tables of signs, by which tokens are told apart


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_page_draws_an_emoji(file: Path) -> None:
    """Icons come with the app: an emoji stands as an empty box wherever its font is missing."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "icon" and isinstance(node.value, ast.Constant):
            assert str(node.value.value).startswith(":material/"), f"line {node.value.lineno}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and file != OF_SIGNS:
            assert not EMOJI.search(node.value), f"line {node.lineno}: {node.value[:60]!r}"


def test_no_style_is_of_all_within_what_is_known_by_a_part_of_its_class() -> None:
    """With each class that a cell gets, all of a board was dressed anew: an edit took half as long again."""
    within = re.compile(r"\[class\*=[^{}]*(?:\{[^{}]*)?[\s>](?:\*\s*[,{]|:(?!is))")
    assert [each.name for each in (ROOT / "attnviz").rglob("*.css") if within.search(each.read_text("utf-8"))] == []


def test_no_style_asks_what_the_whole_board_has() -> None:
    """It would ask for the style of every cell again wherever a hand points: 8 ms in place of 1, of twelve words."""
    asks = re.compile(r"\.(?:board|spine)[^\s,{>]*:has\(")
    looks = [*(ROOT / "attnviz/board/looks").glob("*.css")]
    assert looks
    assert [each.name for each in looks if asks.search(each.read_text("utf-8"))] == []
