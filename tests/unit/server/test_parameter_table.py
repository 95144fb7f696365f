"""Laws of the table of parameters: every row reads back what it writes, and takes or tells whatever else."""

import string
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario
from attnviz.core.changes import changes_of
from attnviz.core.seeding.word_classes import FEATURES, classes_text
from attnviz.core.stages import STAGES
from attnviz.link.changes_text import ChangesText
from attnviz.link.codecs import Choice, Codec, Flag, Names, Number, Parts, Text, Whole
from attnviz.link.page_texts import CELL_TEXT, PREDICTED_TEXT, SCENARIO_TEXT
from attnviz.link.parameter import Parameter, ReadContext
from attnviz.link.parameter_table import once, table, texts
from attnviz.link.set_up import CHANGES, CLASSES, SWITCHES, parameters, query_of
from attnviz.link.state import state_of
from attnviz.words import catalogue
from tests.examples import examples
from tests.golden import golden_links, parameters_of
from tests.rubbish import RUBBISH
from tests.unit.helpers import edited, setups

SLUG = set(string.ascii_lowercase + string.digits + "-_")
ROWS = list(table().values())


scenarios = edited(setups(), extremes=True)

classes = st.dictionaries(st.from_regex(r"[a-z']{1,9}", fullmatch=True), st.sampled_from(FEATURES), max_size=5)
# Of what is written by functions of its own, here and in `tests/features/NAME/linked.py`.
_LINKED = sorted(Path(__file__).parents[2].glob("features/*/linked.py"))
OWN: list[tuple[object, st.SearchStrategy[Any]]] = [
    (SCENARIO_TEXT, st.none() | scenarios),
    (CELL_TEXT, st.none() | st.tuples(st.sampled_from(tuple(STAGES)), st.integers(0, 1023), st.integers(0, 1023))),
    (CLASSES, classes.map(classes_text)),
    (SWITCHES, st.sampled_from(["", "softmax:columns", "scores:cosine,softmax:whole", "typed:0:1:-2.5"])),
    (PREDICTED_TEXT, st.dictionaries(st.sampled_from(("values", "step_2")), st.sampled_from(("more", "none")))),
    *(own for file in _LINKED for own in import_module(f"tests.features.{file.parent.name}.linked").OWN),
]


def values_of(codec: Codec) -> st.SearchStrategy[Any]:
    """Return what a value by this codec may be: a codec that nobody thought of here is an error."""
    match codec:
        case Choice(choices):  # and Named
            return st.sampled_from(choices)
        case Whole(low, high, may_be_blank):
            return st.integers(low, high) | (st.none() if may_be_blank else st.nothing())
        case Number(low, high):
            return st.floats(low, high)
        case Flag():
            return st.booleans()
        case Names(choices):
            return st.lists(st.sampled_from(choices), unique=True).map(
                lambda names: tuple(n for n in choices if n in names)
            )
        case Text(most):
            return st.text(max_size=min(most, 50))
        case Parts(codecs):
            return st.tuples(*map(values_of, codecs))
        case ChangesText():
            return scenarios.map(changes_of)
    return next(values for own, values in OWN if own is codec)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@given(data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_every_row_reads_back_what_it_writes(row: Parameter, data: st.DataObject) -> None:
    value = data.draw(values_of(row.codec))
    written = row.codec.encode(value)
    assert row.codec.decode(written) == value
    if row.name == CHANGES:
        assert set(written) <= {*string.ascii_letters, *string.digits, *"-._*"}, "which a URL carries as they are"
    if row.name not in (CHANGES, "tables"):  # these stay in the session where they are longer
        assert len(written) <= row.most
    assert row.read(row.write(value))[0] == value or row.write(value) == ""
    assert row.write(row.default) == ""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@given(raw=st.text() | st.sampled_from([*RUBBISH.values()]))
@settings(max_examples=examples(50), deadline=None)
def test_every_row_takes_any_text_or_tells_it_in_one_sentence(row: Parameter, raw: str) -> None:
    value, error = row.read(raw)
    told = "" if error is None else row.refusal(raw, error, lambda text: repr(text[:40]))
    assert error is None or 10 < len(told) < 600
    assert value == row.default or row.read(row.codec.encode(value)) == (value, None)
    read = row.taken(raw, ReadContext(), repr)
    assert bool(read.message) == (bool(raw) and row.read(raw, ReadContext())[1] is not None)
    again = row.taken(read.text, ReadContext(), repr)
    assert again.message == ""
    assert again.text == read.text


def test_names_are_unique_and_every_sentence_is_in_the_catalogue() -> None:
    groups = (parameters(), texts(), once())
    assert sum(map(len, groups)) == len(table())
    for row in ROWS:
        assert row.message in catalogue()
        assert row.used == "" or row.used in catalogue()
        assert row.since in (1, 2)
        assert set(row.name) <= SLUG


def test_every_parameter_that_the_first_form_had_is_in_a_link_of_that_form() -> None:
    """The links of the corpus were made in that form: a row that says so, and is in none of them, is younger."""
    written = {name for link in golden_links().values() for name in parameters_of(link["query"])}
    assert {row.name for row in ROWS if row.since == 1} - {"left_out"} <= written


# Whole links

TEXTS = ("view", "pinned", "sweep", "step", "question", "hide", "check", "tables")


@given(scenarios, st.data())
@settings(max_examples=examples(30), deadline=None)
def test_a_link_of_everything_is_read_back_to_the_same_state(scenario: Scenario, data: st.DataObject) -> None:
    values = {"query": len(scenario.tokens) - 1, "cell": ("scores", 0, 0)}
    values |= {name: data.draw(values_of(texts()[name].codec)) for name in TEXTS if name in texts()}
    query = query_of(scenario, **{name: text for name, each in values.items() if (text := texts()[name].write(each))})
    state = state_of(query or "example=published")
    assert (state.scenario, state.messages) == (scenario, ())
    assert dict(parse_qsl(state.query)).items() >= dict(parse_qsl(query)).items()
    assert state.values.items() >= values.items()
