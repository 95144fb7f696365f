"""The sentences that the page's script is given are those that it says."""

import json
import re

from attnviz.app.components.board import BOARD_SCRIPT
from attnviz.words import catalogue

GIVEN = json.loads(BOARD_SCRIPT.partition("\n")[0].removeprefix("const SENTENCES = ").removesuffix(";"))
CODE = BOARD_SCRIPT.partition("\n")[2]


def test_the_script_has_every_sentence_that_it_says_and_they_are_the_catalogues() -> None:
    keys = set(re.findall(r"""["'`]([a-z_0-9]+(?:\.[a-z_0-9]+)+)["'`]""", CODE))
    said = keys & set(catalogue())
    assert said >= {"explanation.made", "board.status.checked", "summary.reads.undefined"}
    assert said <= set(GIVEN)
    called = set(re.findall(r"""\bsay\(\s*["'`]([a-z_0-9.]+)["'`]""", CODE))
    assert called <= set(GIVEN), "no key that the catalogue does not have"
    assert {key: catalogue()[key] for key in GIVEN} == GIVEN


def test_of_keys_that_are_put_together_every_one_is_given() -> None:
    starts = set(re.findall(r"say\(\s*`([a-z_0-9.]+\.)\$\{", CODE))
    assert starts >= {"explanation.line.", "typed.", "summary.reads."}
    for start in starts:
        wanted = {key for key in catalogue() if key.startswith(start)}
        assert wanted
        assert wanted <= set(GIVEN)


def test_the_script_fills_plain_places_alone() -> None:
    for template in GIVEN.values():
        for form in [template] if isinstance(template, str) else template.values():
            assert not re.search(r"\{\{|\}\}", form), "the script knows no doubled braces"
