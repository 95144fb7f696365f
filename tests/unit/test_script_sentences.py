"""The sentences that the page's scripts are given are those that they say."""

import json
import re

import pytest

from attnviz.app.components.draggable import TOKEN_ORDER_SCRIPT
from attnviz.board.script import BOARD_SCRIPT
from attnviz.documents.model_pages import SCRIPT as HEADS_SCRIPT
from attnviz.words import catalogue

SCRIPTS = {"board": BOARD_SCRIPT, "token order": TOKEN_ORDER_SCRIPT, "heads": HEADS_SCRIPT}
AT_LEAST = {
    "board": {"explanation.made", "board.status.waiting", "summary.itself"},
    "token order": {"question_page.word_place"},
    "heads": {"models.grid.reads", "models.layer"},
}
each_script = pytest.mark.parametrize("name", SCRIPTS)


def given_to(name: str) -> dict[str, str | dict[str, str]]:
    return dict(json.loads(re.findall(r"^const \$\d+_sent = (.*);$", SCRIPTS[name], re.M)[0])["SENTENCES"])


def code_of(name: str) -> str:
    return re.sub(r"^const \$\d+_sent = .*$", "", SCRIPTS[name], flags=re.M)


@each_script
def test_a_script_has_every_sentence_that_it_says_and_they_are_the_catalogues(name: str) -> None:
    given = given_to(name)
    keys = set(re.findall(r"""["'`]([a-z_0-9]+(?:\.[a-z_0-9]+)+)["'`]""", code_of(name)))
    said = keys & set(catalogue())
    assert said >= AT_LEAST[name]
    assert said <= set(given)
    called = set(re.findall(r"""\bsay\(\s*["'`]([a-z_0-9.]+)["'`]""", code_of(name)))
    assert called <= set(given), "no key that the catalogue does not have"
    assert {key: catalogue()[key] for key in given} == given


def test_of_keys_that_are_put_together_every_one_is_given() -> None:
    starts = set(re.findall(r"say\(\s*`([a-z_0-9.]+\.)\$\{", code_of("board")))
    assert starts >= {"explanation.line.", "typed.", "board.reads."}
    for start in starts:
        wanted = {key for key in catalogue() if key.startswith(start)}
        assert wanted
        assert wanted <= set(given_to("board"))


@each_script
def test_the_script_fills_plain_places_alone(name: str) -> None:
    for template in given_to(name).values():
        for form in [template] if isinstance(template, str) else template.values():
            assert not re.search(r"\{\{|\}\}", form), "the script knows no doubled braces"
