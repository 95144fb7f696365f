"""The license is MIT wherever it's said, and what comes from others has its license beside it."""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import yaml

from attnviz.features.language_models.inside.offering import ALONG, INCLUDED

ROOT = Path(__file__).parents[3]
HOLDERS = "the attnviz developers"
LICENCES = {"LICENSE", "LICENSE.txt", "OFL.txt"}
MINILM = ROOT / "attnviz/features/language_models/licenses/all-MiniLM-L6-v2.txt"


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


def test_the_included_model_has_the_license_that_its_makers_name() -> None:
    package = find_spec(ALONG[INCLUDED].package)
    assert package
    assert package.submodule_search_locations
    card = (Path(package.submodule_search_locations[0]) / ALONG[INCLUDED].inside / "README.md").read_text("utf-8")
    assert "\nlicense: apache-2.0\n" in card
    assert re.search(r"Apache License\s+Version 2\.0", MINILM.read_text("utf-8"))
    assert MINILM.stem == INCLUDED
    assert "\nCOPY attnviz attnviz\n" in (ROOT / "Dockerfile").read_text(), "the image holds the model and its license"
