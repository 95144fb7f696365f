"""Links of before restore what they always did: read by the code of links, without a browser."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from attnviz import Scenario
from attnviz.exercises.exercise import Exercise, decoded, is_exercise
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS
from attnviz.link.codecs import unpack
from attnviz.link.model_texts import Compared
from attnviz.link.parameter import Around
from attnviz.link.parameter_table import texts
from attnviz.link.question_text import example_as_written, example_from_text, question_of, start_of
from attnviz.link.set_up import parameters, read_controls, scenario_from_query, with_example
from attnviz.link.state import state_of
from attnviz.scaling.settings import decode_settings
from attnviz.teach.questions import Exponent
from tests.golden import differences, golden_links, parameters_of

LINKS = golden_links()
# What the numbers in these links stand for: written down when they were made, and never changed.
STEPS_THEN = ("tokens", "embeddings", "projections", "one-score", "all-scores", "scale", "softmax", "mix", "context")
QUESTIONS_THEN = (
    "values", "sum", "biases", "sizes", "root", "which-d", "where", "axis", "symmetry", "self", "learned", "order",
)  # fmt: skip
PLACES_THEN = {
    ("sizes", "w_k"): ("fitting", "wider"), ("which-d", "divisor"): ("d_k", "d_in"),
    ("where", "place"): ("queries", "both", "scores"), ("axis", "axis"): ("rows", "columns", "whole"),
}  # fmt: skip


def _of(part: str) -> list[str]:
    """Return the names of the links that restore this part."""
    return [name for name, link in LINKS.items() if part in link["restores"]]


def _given(name: str) -> dict[str, str]:
    return parameters_of(LINKS[name]["query"])


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_the_corpus_is_as_large_as_it_was() -> None:
    assert len(LINKS) >= 200
    assert max(len(link["query"]) for link in LINKS.values()) >= 100_000
    written = {name for link in LINKS.values() for name in parameters_of(link["query"])}
    assert written >= {*parameters()} | {"edits", "query", "view", "cell", "pinned", "sweep", "step"}
    assert written >= {"question", "numbers", "hide", "check", "tables", "example"}
    younger = {"query", "cell", "written", "top_p", "seed", "cache", "why", "from", "place"}  # than the corpus
    assert written >= {name for name in texts() if name.startswith("model")} - {f"model_{each}" for each in younger}


@pytest.mark.parametrize("name", [name for name, link in LINKS.items() if "only_on_pages" not in link])
def test_a_link_restores_its_scenario(name: str) -> None:
    given = _given(name)
    query = urlencode(with_example(given)) if "example" in given else LINKS[name]["query"]
    scenario, ignored = scenario_from_query(query)
    foreign = LINKS[name]["restores"].get("foreign", [])
    assert [each for each in ignored if not any(other in each for other in foreign)] == []
    assert differences(LINKS[name]["restores"]["scenario"], scenario) == []
    assert state_of(LINKS[name]["query"] or "example=published").scenario == scenario, "bare, it opened this one"


@pytest.mark.parametrize("name", _of("digits"))
def test_a_link_restores_the_digits(name: str) -> None:
    given = _given(name)
    values, refused = read_controls(given)
    assert refused == {}
    assert values["digits"] == LINKS[name]["restores"]["digits"]


@pytest.mark.parametrize("name", _of("pinned"))
def test_a_link_restores_what_is_kept_as_a(name: str) -> None:
    scenario, ignored = scenario_from_query(unpack(_given(name)["pinned"], MAX_CHANGES_CHARACTERS))
    assert ignored == []
    assert differences(LINKS[name]["restores"]["pinned"], scenario) == []


@pytest.mark.parametrize("name", _of("step"))
def test_a_link_opens_its_step(name: str) -> None:
    step, error = texts()["step"].read(_given(name)["step"])
    assert error is None
    assert step == STEPS_THEN[LINKS[name]["restores"]["step"] - 1]


@pytest.mark.parametrize("name", _of("question"))
def test_a_link_opens_its_question_and_its_example(name: str) -> None:
    given, expected = _given(name), LINKS[name]["restores"]["question"]
    slug, error = texts()["question"].read(given["question"])
    assert error is None
    assert slug == QUESTIONS_THEN[expected["number"] - 1]
    question = question_of(slug)
    assert question is not None
    example, ignored = example_as_written(question, given.get("numbers", ""))
    assert ignored == []
    if "numbers" not in given:
        assert example == start_of(question)
        return
    assert differences(expected["scenario"], example.scenario) == []
    options = example.options
    kinds = {option.name: option for option in question.options}
    assert options.keys() >= {each["name"] for each in expected["options"]}  # a question may ask for more today
    for each in expected["options"]:
        option, chosen = kinds[each["name"]], options[each["name"]]
        # What is said may be put better, the choice stays.
        place = None if isinstance(option, Exponent) else PLACES_THEN[slug, option.name].index(chosen)
        assert (chosen if place is None else place) == (each["chosen"] if place is None else each["place"])


@pytest.mark.parametrize("name", [name for name in _of("question") if "numbers" in _given(name)])
def test_an_example_of_before_is_written_by_names_and_means_the_same(name: str) -> None:
    given = _given(name)
    slug, _ = texts()["question"].read(given["question"])
    around = Around(Scenario(), {"question": slug})
    read = texts()["numbers"].taken(given["numbers"], around, repr)
    assert read.told == ""
    question = question_of(slug)
    assert question is not None
    assert example_from_text(question, read.text) == example_from_text(question, given["numbers"])
    assert texts()["numbers"].taken(read.text, around, repr) == read
    for option in question.options:
        if isinstance(option, Exponent):
            continue
        assert not re.search(rf"(^|&){option.name}=[1-9]($|&)", read.text)


@pytest.mark.parametrize("name", _of("model"))
def test_a_link_restores_a_model_with_its_sentence_and_its_changes(name: str) -> None:
    expected = LINKS[name]["restores"]["model"]
    assert set(expected) == set(_given(name))
    for parameter, raw in _given(name).items():
        value, error = texts()[parameter].read(raw)
        assert error is None
        if parameter == "model_edits":
            value = [(each.layer, each.head, each.matrix, each.row, each.column, str(each.value)) for each in value]
        value = asdict(value) if isinstance(value, Compared) else value
        assert _as_json(value) == expected[parameter]
        assert texts()[parameter].write(texts()[parameter].read(raw)[0]) in (raw, "")


@pytest.mark.parametrize("name", _of("sweep"))
def test_a_link_restores_its_sweep(name: str) -> None:
    settings, ignored = decode_settings(_given(name)["sweep"])
    assert ignored == []
    assert _as_json(asdict(settings)).items() >= LINKS[name]["restores"]["sweep"].items()


@pytest.mark.parametrize("name", _of("exercise"))
def test_a_link_restores_its_exercise_and_its_numbers(name: str) -> None:
    expected: Mapping[str, Any] = LINKS[name]["restores"]
    text = _given(name)["check"].partition(".")[2]
    assert is_exercise(text)
    made: Exercise = decoded(text)
    assert _as_json(asdict(made)).items() >= expected["exercise"].items()
    for matrix, rows in expected.get("given", {}).items():
        np.testing.assert_array_equal(made.table(matrix), rows)
    if "table" in expected:
        np.testing.assert_allclose(made.table(expected["table"]["name"]), expected["table"]["rows"], atol=0.0101)


@pytest.mark.parametrize("name", _of("b_bits"))
def test_a_link_restores_what_has_16_bits(name: str) -> None:
    for which in ("bits", "b_bits"):
        assert texts()[which].read(_given(name)[which]) == (LINKS[name]["restores"][which], None)
