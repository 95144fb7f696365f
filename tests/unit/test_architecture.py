"""docs/ARCHITECTURE.md names files that are there, and every room."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
# What is named in code letters and is a path; NAME stands for the reader's own.
NAMED = [each for each in re.findall(r"`([\w./]+(?:/|\.(?:py|js|json|toml|md)))`", TEXT) if "NAME" not in each]
HELD = [
    f"/{each.relative_to(ROOT).as_posix()}{'/' if each.is_dir() else ''}"
    for folder in ("attnviz", "pages", "tests", "docs")
    for each in (ROOT / folder, *(ROOT / folder).rglob("*"))
] + ["/app.py", "/deploy/", "/pages/", "/attnviz/site/"]  # the last in a wheel alone


def test_every_file_and_folder_that_is_named_is_there() -> None:
    assert len(NAMED) > 40
    assert [each for each in NAMED if not any(held.endswith(f"/{each}") for held in HELD)] == []


def test_every_room_has_its_line() -> None:
    rooms = {each.parent.name for each in (ROOT / "attnviz").glob("*/__init__.py")}
    assert {room for room in rooms if f"{room}/`" not in TEXT} == set()
