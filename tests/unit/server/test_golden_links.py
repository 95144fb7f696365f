"""Links of before restore what they always did: read by the code of links, without a browser."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest

from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS
from attnviz.link.codecs import unpack
from attnviz.link.parameter_table import texts
from attnviz.link.set_up import read_controls, scenario_from_query, with_example
from attnviz.link.state import state_of
from tests.golden import as_json, differences, golden_links, parameters_of

LINKS = golden_links()


def test_the_corpus_is_as_large_as_it_was() -> None:
    assert len(LINKS) >= 191
    assert max(len(link["query"]) for link in LINKS.values()) >= 100_000
    written = {name for link in LINKS.values() for name in parameters_of(link["query"])}
    younger = {
        "query",
        "cell",
        "written",
        "top_p",
        "seed",
        "cache",
        "why",
        "from",
        "place",
        "second",
    }  # than the corpus
    assert written >= {name for name in texts() if name.startswith("model")} - {f"model_{each}" for each in younger}


@pytest.mark.parametrize("name", [name for name, link in LINKS.items() if "only_on_pages" not in link])
def test_a_link_restores_its_scenario(name: str) -> None:
    given = parameters_of(LINKS[name]["query"])
    query = urlencode(with_example(given)) if "example" in given else LINKS[name]["query"]
    scenario, ignored = scenario_from_query(query)
    foreign = LINKS[name]["restores"].get("foreign", [])
    assert [each for each in ignored if not any(other in each for other in foreign)] == []
    assert differences(LINKS[name]["restores"]["scenario"], scenario) == []
    assert state_of(LINKS[name]["query"]).scenario == scenario


def _digits(given: dict[str, str], expected: Any) -> None:
    values, refused = read_controls(given)
    assert refused == {}
    assert values["digits"] == expected


def _pinned(given: dict[str, str], expected: Any) -> None:
    scenario, ignored = scenario_from_query(unpack(given["pinned"], MAX_CHANGES_CHARACTERS))
    assert (ignored, differences(expected, scenario)) == ([], [])


def _step(given: dict[str, str], expected: Any) -> None:
    assert texts()["step"].read(given["step"]) == (expected, None)


def _model(given: dict[str, str], expected: Any) -> None:
    assert set(expected) == set(given) - {"example"}
    for parameter, raw in given.items() - {("example", "published")}:
        value, error = texts()[parameter].read(raw)
        assert error is None
        if parameter == "model_edits":
            value = [(each.layer, each.head, each.matrix, each.row, each.column, str(each.value)) for each in value]
        value = asdict(value) if parameter == "model_compare" else value
        assert as_json(value) == expected[parameter]
        assert texts()[parameter].write(texts()[parameter].read(raw)[0]) in (raw, "")


def _sweep(given: dict[str, str], expected: Any) -> None:
    settings, error = texts()["sweep"].read(given["sweep"])
    assert error is None
    assert as_json(asdict(settings)).items() >= expected.items()


def _bits(given: dict[str, str], expected: Any, name: str = "bits") -> None:
    assert texts()[name].read(given[name]) == (expected, None)


RESTORED: dict[str, Callable[..., None]] = {each.__name__[1:]: each for each in (
    _digits, _pinned, _step, _model, _sweep, _bits,
)} | {"b_bits": partial(_bits, name="b_bits")}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "name"), [(part, name) for part in RESTORED for name in LINKS if part in LINKS[name]["restores"]]
)
def test_a_link_restores_each_part(part: str, name: str) -> None:
    RESTORED[part](parameters_of(LINKS[name]["query"]), LINKS[name]["restores"][part])
