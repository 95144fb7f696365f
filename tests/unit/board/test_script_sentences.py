"""The sentences that the page's scripts are given are those that they say."""

import json
import re
from pathlib import Path

import pytest

from attnviz.scripts import joined
from attnviz.words import catalogue
from tests.unit.board.test_joined_scripts import ENTRIES

AT_LEAST = {
    "in_app": {"explanation.made", "board.status.waiting", "summary.itself", "board.status.checked"},
    "model_page": {"models.view.most", "models.view.place"},
}
NEVER = {"in_app": {"lesson.heading", "what_if.title", "origins.number"}}
each_script = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.stem)


def given_and_code(entry: Path) -> tuple[dict[str, str | dict[str, str]], str]:
    text = joined(entry, {"CONSTANTS": {}, "FETCHED": {}, "FIGURES": {}, "STYLE": "", "LETTERS": ""})
    sent = re.search(r"^const \$sent = (.*);\n", text, re.M)
    if not sent:
        return {}, text
    rooms = json.loads(sent[1])["SENTENCES"]
    given = {f"{room}.{name}": each for room, of in rooms.items() for name, each in of.items()}
    return given, text.replace(sent[0], "")


@each_script
def test_a_script_has_every_sentence_that_it_says_and_they_are_the_catalogues(entry: Path) -> None:
    given, code = given_and_code(entry)
    said = set(re.findall(r"""["'`]([a-z_0-9]+(?:\.[a-z_0-9]+)+)["'`]""", code)) & set(catalogue())
    assert said <= set(given)
    assert AT_LEAST.get(entry.stem, set()) <= set(given)
    assert not NEVER.get(entry.stem, set()) & set(given), "sentences of other pages"
    called = set(re.findall(r"""\bsay\(\s*["'`]([a-z_0-9.]+)["'`]""", code))
    assert called <= set(given), "no key that the catalogue does not have"
    assert {key: catalogue()[key] for key in given} == given


@each_script
def test_of_keys_that_are_put_together_every_one_is_given_and_nothing_else(entry: Path) -> None:
    given, code = given_and_code(entry)
    starts = set(re.findall(r"say\(\s*`([a-z_0-9.]+\.[a-z_0-9.]*)\$\{", code))
    assert entry.stem != "in_app" or starts >= {"explanation.line.", "typed.", "board.reads."}
    for start in starts:
        assert any(key.startswith(start) for key in given), start
    assert all(key in code or key.rsplit(".", 1)[0] + "." in code or key.split(".")[0] + "." in code for key in given)


@each_script
def test_the_script_fills_plain_places_alone(entry: Path) -> None:
    for template in given_and_code(entry)[0].values():
        for form in [template] if isinstance(template, str) else template.values():
            assert not re.search(r"\{\{|\}\}", form), "the script knows no doubled braces"
