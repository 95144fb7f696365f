"""The board's own script, function by function: what it computes is torch's, what it says is `attnviz.explain`'s."""

import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import attnviz
from attnviz import Edit, Scenario, explain, look_into
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.explanation.summary import attends_most
from attnviz.words import say
from tests.node import PageScript
from tests.unit.helpers import edits_of, setups
from tests.unit.small_models import MODELS, tokenizer

_READS = """({ made, reads: { mostRead }, numbers: { written } }, [data, query]) => mostRead(
  made(data), query, (kind, places) => [kind, places], token => `“${token}”`, weight => written(weight, data.digits)
)"""


# Which cells the script judges otherwise than is wanted, with these numbers in place of torch's.
_MISJUDGED = """({ made: madeOf, difference: { difference } }, [data, wanted]) => {
  const made = madeOf(data);
  const given = Object.fromEntries(
    data.stages.filter(({rule}) => rule === 'given').map(({name}) => [name, made.matrices[name]]));
  return wanted.filter(({matrix, row, column, value, wrong}) => {
    const {columns, values} = made.matrices[matrix];
    const at = row * columns + column;
    const torchs = values[at];
    values[at] = Number(value);
    const found = difference(made, given).unexplained;
    values[at] = torchs;
    return (JSON.stringify(found) === JSON.stringify({matrix, row, column})) !== wrong;
  });
}"""


EXTREMES = st.sampled_from((1e30, -1e30, 3.4e38, -3.4e38, 1e20, 1e-20, -1e-38, 1e-45, 1e4, 9999.99995, 0.25, 0.0, -0.0))


@st.composite
def scenarios(draw: st.DrawFn, max_tokens: int = 6, max_d: int = 5) -> Scenario:
    """Any set-up with any edits, some of them huge or tiny."""
    scenario = draw(setups(max_tokens=max_tokens, max_d=max_d))
    edits = list(draw(edits_of(scenario)))
    for _ in range(draw(st.sampled_from((0, 0, 1, 4)))):
        name = draw(st.sampled_from(scenario.editable))
        n_rows, n_columns = scenario.shape_of(name)
        place = draw(st.integers(0, n_rows - 1)), draw(st.integers(0, n_columns - 1))
        edits.append(Edit(name, *place, draw(EXTREMES)))
    return replace(scenario, edits=tuple(edits))


@given(scenario=scenarios(max_tokens=6, max_d=4), digits=st.integers(1, 6))
@example(scenario=Scenario("a"), digits=4)
@example(scenario=Scenario("a b c d e", w_q="zeros"), digits=2)
@example(scenario=Scenario("a b", w_q="zeros"), digits=2)
@example(scenario=Scenario("a b c d e", w_q="zeros", causal=True), digits=2)
@example(scenario=Scenario("the cat the the the the", w_q="identity", w_k="identity"), digits=1)
@example(scenario=Scenario("a b c", reads="second", second="c d"), digits=2)
@example(scenario=Scenario("a b c", reads="second", second="c", w_q="zeros"), digits=2)
@example(scenario=Scenario("a b", reads="second", second="a b c", w_q="zeros", mask="padding:1"), digits=2)
@example(scenario=Scenario("a b", reads="second", second="a b", w_q="zeros", mask=[[0, -math.inf], [0, 0]]), digits=2)
@example(scenario=Scenario("a b", reads="kept", second="a", w_q="zeros", causal=True), digits=2)
@example(scenario=Scenario("a b", reads="kept", second="a c", w_q="zeros", mask="window:1"), digits=2)
@example(scenario=Scenario("a b c", reads="kept", second="d a", mask="not-self"), digits=2)
def test_what_a_token_reads_is_said_in_the_words_of_the_core(
    script: PageScript, scenario: Scenario, digits: int
) -> None:
    trace = traced(scenario)
    for query in range(len(scenario.tokens)):
        kind, places = script.run(_READS, [board_data(scenario, trace, query, digits), query])
        assert say(f"summary.reads.{kind}", **places) == attends_most(trace, query, digits)


_DIFFERENCE = """({ made: madeOf, difference: { difference } }, data) => {
  const made = madeOf(data);
  const names = data.stages.filter(({ rule }) => rule === "given").map(({ name }) => name);
  const found = difference(made, Object.fromEntries(names.map((name) => [name, made.matrices[name]])));
  return { ...found, largest: String(found.largest) };
}"""


@pytest.mark.parametrize("name", ["BERT", "Llama", "GPT-2", "Gemma", "GPT-NeoX"])
def test_the_page_explains_every_number_of_a_models_head(script: PageScript, name: str) -> None:
    view = look_into(MODELS[name](), tokenizer(), "the animal was tired")
    for place in ((0, 0), (1, 3)):
        found = script.run(_DIFFERENCE, board_data(None, view.heads[place], 0, 4))
        assert found["unexplained"] is None, place
        assert float(found["largest"]) < 1e-4


@given(scenario=scenarios(max_tokens=4, max_d=4))
@example(scenario=Scenario("a b c", causal=True, edits=(Edit("x", 2, 0, 3e38), Edit("w_k", 0, 0, 3e38))))
def test_a_number_is_judged_wrong_just_beyond_the_tolerance_of_the_core(script: PageScript, scenario: Scenario) -> None:
    trace = traced(scenario)
    wanted = []
    for name, (rows, columns) in attnviz.explanation.shapes_of(trace).items():
        for row, column in {(0, columns - 1), (rows - 1, 0), (rows // 2, columns // 2)}:
            said = explain(trace, name, row, column)
            place = {"matrix": name, "row": row, "column": column}
            if said.masked and said.rule == "scale":
                wanted += [place | {"value": value, "wrong": True} for value in ("1", "NaN", "Infinity")]
            elif said.sources and math.isfinite(said.tolerance):
                wanted.append(place | {"value": "NaN", "wrong": True})
                for part in (-1.01, -0.99, 0.99, 1.01):
                    value = repr(said.exact + part * said.tolerance)
                    wanted.append(place | {"value": value, "wrong": abs(part) > 1})
    assert script.run(_MISJUDGED, [board_data(scenario, trace, 0, 4), wanted]) == []
