"""Questions in links: their names, and what links of before restore."""

import string

import pytest

from attnviz import Scenario
from attnviz.features.questions.parameters import example_from_text, question_of, start_of
from attnviz.features.questions.questions import QUESTIONS, Option
from attnviz.link.parameter import ReadContext
from attnviz.link.parameter_table import texts
from tests.golden import differences, golden_links, parameters_of

LINKS = golden_links()
SLUG = {*string.ascii_lowercase, *string.digits, "-", "_"}


def test_what_has_a_name_in_links_has_one_of_its_own() -> None:
    slugs = [question.slug for question in QUESTIONS]
    assert len({*slugs}) == len(slugs)
    assert all(set(slug) <= SLUG and not slug.isdigit() for slug in slugs)
    for question in QUESTIONS:
        names = [each.name for each in (*question.options, *question.controls)]
        assert len({*names}) == len(names)
        for option in question.options:
            if isinstance(option, Option):
                assert option.default in option.choices
                assert all(set(choice) <= SLUG and not choice.isdigit() for choice in option.choices)


@pytest.mark.parametrize("name", [name for name in LINKS if "question" in LINKS[name]["restores"]])
def test_a_link_of_before_restores_its_question(name: str) -> None:
    given, expected = parameters_of(LINKS[name]["query"]), LINKS[name]["restores"]["question"]
    slug = expected["slug"]
    assert texts()["question"].read(given["question"]) == (slug, None)
    question = question_of(slug)
    assert question is not None
    example, ignored = example_from_text(question, given.get("numbers", ""))
    assert ignored == []
    if "numbers" not in given:
        assert example == start_of(question)
        return
    assert differences(expected["scenario"], example.scenario) == []
    assert example.options.items() >= expected["options"].items()  # a question may ask for more today
    around = ReadContext(Scenario(), {"question": slug})
    assert texts()["numbers"].taken(given["numbers"], around, repr).message == ""
