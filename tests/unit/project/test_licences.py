"""The license is MIT wherever it's said, and what comes from others has its license beside it."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
HOLDERS = "the attnviz developers"
LICENCES = {"LICENSE", "LICENSE.txt", "OFL.txt"}


def test_all_who_say_the_license_say_the_same() -> None:
    first, _, copyright_line, *_ = (ROOT / "LICENSE").read_text().splitlines()
    assert first == "MIT License"
    assert copyright_line.endswith(HOLDERS)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (project["license"], project["authors"]) == ("MIT", [{"name": HOLDERS}])
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (cited["license"], cited["authors"]) == ("MIT", [{"name": HOLDERS}])
    assert re.findall(r'image\.licenses="(\w+)"', (ROOT / "Dockerfile").read_text()) == ["MIT"]
    assert "MIT" in (ROOT / "README.md").read_text()
    assert HOLDERS in (ROOT / "README.md").read_text()


def test_what_comes_from_others_has_its_license_beside_it() -> None:
    bundled = [each for ending in ("*.woff2", "*.min.js.gz") for each in (ROOT / "attnviz").rglob(ending)]
    assert bundled
    for each in bundled:
        assert LICENCES & {beside.name for beside in each.parent.iterdir()}, each
