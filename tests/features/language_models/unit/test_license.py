"""The model that the image holds has the license of its makers with it."""

import re
from importlib.util import find_spec
from pathlib import Path

from attnviz.features.language_models.inside.available_models import ALONG, INCLUDED

ROOT = Path(__file__).parents[4]
LICENSE = ROOT / f"attnviz/features/language_models/licenses/{INCLUDED}.txt"


def test_the_included_model_has_the_license_that_its_makers_name() -> None:
    package = find_spec(ALONG[INCLUDED].package)
    assert package
    assert package.submodule_search_locations
    card = (Path(package.submodule_search_locations[0]) / ALONG[INCLUDED].inside / "README.md").read_text("utf-8")
    assert "\nlicense: apache-2.0\n" in card
    assert re.search(r"Apache License\s+Version 2\.0", LICENSE.read_text("utf-8"))
    assert "\nCOPY attnviz attnviz\n" in (ROOT / "Dockerfile").read_text(), "the image holds the model and its license"
