"""The board's own script, function by function: what it computes is torch's, what it says is `attnviz.explain`'s.

It runs in the Chromium of the browser tests, because that is what runs it for a reader, and because a machine
with nothing but Python has no other engine for it.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

import attnviz
from attnviz import AttentionTrace, Edit, Scenario, explain
from attnviz.numbers import written
from attnviz.scenario import traced
from attnviz.stages import STAGES
from attnviz.ui.board import BOARD_SCRIPT
from attnviz.ui.board_data import board_data
from tests.unit.helpers import edits_of, setups

_LOAD = """async source => {
  window.script = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  window.made = data => {
    const matrices = Object.fromEntries(Object.entries(data.matrices).map(
      ([name, matrix]) => [name, {...matrix, values: Float64Array.from(matrix.values, Number)}]));
    return {...data, matrices, stages: new Map(data.stages.map(stage => [stage.name, stage]))};
  };
}"""

# What the script says of every cell, in the form of `wanted_of`, where that differs from what is wanted.
_DIFFERENT = """([data, wanted]) => {
  const made = window.made(data);
  return wanted.flatMap(want => {
    const {matrix, row, column} = want;
    const said = script.explain(made, {matrix, row, column});
    const sources = script.sourcesOf(made.stages.get(matrix), row, column, made.matrices)
      .map(block => block.map(source => [source.matrix, source.row, source.column]));
    const got = {matrix, row, column, text: said.text, symbols: said.symbols, steps: said.steps,
      words: said.words, notes: said.notes, sources};
    return JSON.stringify(got) === JSON.stringify(want) ? [] : [[got, want]];
  }).slice(0, 3);
}"""

# Everything that torch made, evaluated by the script from the same inputs.
_EVALUATED = """data => {
  const made = window.made(data);
  const given = Object.fromEntries(
    data.stages.filter(({rule}) => rule === 'given').map(({name}) => [name, made.matrices[name]]));
  const evaluated = script.evaluate(data.stages, given, data.settings);
  return {
    matrices: Object.fromEntries(Object.entries(evaluated).map(
      ([name, {rows, columns, values}]) => [name, {rows, columns, values: [...values].map(String)}])),
    ...script.difference(made, given),
  };
}"""

# Which cells the script judges otherwise than is wanted, with these numbers in place of torch's.
_MISJUDGED = """([data, wanted]) => {
  const made = window.made(data);
  const given = Object.fromEntries(
    data.stages.filter(({rule}) => rule === 'given').map(({name}) => [name, made.matrices[name]]));
  return wanted.filter(({matrix, row, column, value, wrong}) => {
    const {columns, values} = made.matrices[matrix];
    const at = row * columns + column;
    const torchs = values[at];
    values[at] = Number(value);
    const found = script.difference(made, given).unexplained;
    values[at] = torchs;
    return (JSON.stringify(found) === JSON.stringify({matrix, row, column})) !== wrong;
  });
}"""


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.evaluate(_LOAD, BOARD_SCRIPT)
    yield page
    context.close()


def wanted_of(trace: AttentionTrace, scenario: Scenario, digits: int) -> list[dict[str, Any]]:
    wanted = []
    for name, (rows, columns) in attnviz.explanation.shapes_of(trace).items():
        for row, column in ((row, column) for row in range(rows) for column in range(columns)):
            said = explain(trace, name, row, column, digits=digits, scenario=scenario)
            blocks = [[[name, i, j] for i in rows for j in columns] for name, rows, columns in said.sources]
            wanted.append(
                {
                    "matrix": name, "row": row, "column": column, "text": said.text, "symbols": said.symbols,
                    "steps": list(said.steps), "words": said.words, "notes": list(said.notes), "sources": blocks,
                }
            )  # fmt: skip
    return wanted


def with_edits(scenario: Scenario, edits: tuple[Edit, ...]) -> Scenario:
    fields = {name: getattr(scenario, name) for name in Scenario.__dataclass_fields__ if name != "edits"}
    return Scenario(**fields, edits=edits)


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
    return with_edits(scenario, tuple(edits))


in_browser = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@in_browser
@given(scenario=scenarios(max_tokens=4, max_d=4), digits=st.integers(1, 6))
def test_every_cell_is_explained_in_the_words_of_the_core(page: Page, scenario: Scenario, digits: int) -> None:
    trace = traced(scenario)
    data = board_data(scenario, trace, 0, digits)
    assert page.evaluate(_DIFFERENT, [data, wanted_of(trace, scenario, digits)]) == []


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(" ".join(f"word{i}" for i in range(14)), d_in=12, d_out=11, init="normal", causal=True, bias=True),
        Scenario("a b", d_in=16, d_out=16, temperature=0.37, scale=False),
        Scenario("<img src=x onerror=alert(1)> `a` \u202ea", tokenizer="whitespace", embedding="table"),
        Scenario("a b c", edits=(Edit("x", 1, 0, 3e38),)),
    ],
    ids=["long sums", "unscaled", "hostile tokens", "infinite"],
)
def test_long_sums_strange_tokens_and_infinities_are_explained_alike(page: Page, scenario: Scenario) -> None:
    trace = traced(scenario)
    assert page.evaluate(_DIFFERENT, [board_data(scenario, trace, 0, 4), wanted_of(trace, scenario, 4)]) == []


@in_browser
@given(scenario=scenarios(max_tokens=8, max_d=8))
def test_the_rules_give_torchs_numbers(page: Page, scenario: Scenario) -> None:
    trace = traced(scenario)
    got = page.evaluate(_EVALUATED, board_data(scenario, trace, 0, 4))
    assert got["unexplained"] is None
    for name in STAGES:
        wanted = getattr(trace, name)
        if wanted is None:
            continue
        wanted = wanted[None] if wanted.dim() == 1 else wanted
        matrix = got["matrices"][name]
        own = torch.tensor([float(value) for value in matrix["values"]]).reshape(matrix["rows"], matrix["columns"])
        assert own.shape == wanted.shape
        if all(abs(edit.value) <= 100 for edit in scenario.edits):  # beyond, roundings of float32 grow without bound
            torch.testing.assert_close(own, wanted, rtol=1e-4, atol=1e-4, equal_nan=True)


def test_masked_rows_with_infinities_and_no_numbers_are_torchs(page: Page) -> None:
    edits = [("w_q", 0, 0, 1e30), ("w_k", 0, 0, -1e30), ("x", 2, 0, 0.0)]
    scenario = Scenario("one two three four", d_in=2, d_out=2, causal=True, edits=edits)
    trace = traced(scenario)
    got = page.evaluate(_EVALUATED, board_data(scenario, trace, 0, 4))["matrices"]
    for name in ("scores", "scaled_scores", "attention_weights"):
        wanted = [float(value) for value in getattr(trace, name).flatten()]
        own = [float(value) for value in got[name]["values"]]
        assert [math.isnan(value) for value in own] == [math.isnan(value) for value in wanted]
        assert [value for value in own if math.isinf(value)] == [value for value in wanted if math.isinf(value)]
    assert any(math.isnan(value) for value in trace.attention_weights.flatten())


@pytest.mark.parametrize("matrix", ["q", "scores", "scaled_scores", "attention_weights", "context"])
def test_one_wrong_number_in_any_matrix_is_found(page: Page, matrix: str) -> None:
    scenario = Scenario(embedding="published")
    data = board_data(scenario, attnviz.trace(scenario), 0, 4)
    assert page.evaluate(_EVALUATED, data)["unexplained"] is None
    data["matrices"][matrix]["values"][3] += 1e-4
    found = page.evaluate(_EVALUATED, data)
    columns = data["matrices"][matrix]["columns"]
    assert found["unexplained"] == {"matrix": matrix, "row": 3 // columns, "column": 3 % columns}
    assert found["largest"] == pytest.approx(1e-4, rel=0.01)


@in_browser
@given(scenario=scenarios(max_tokens=4, max_d=4))
@example(scenario=Scenario("a b c", causal=True, edits=(Edit("x", 2, 0, 3e38), Edit("w_k", 0, 0, 3e38))))
def test_a_number_is_judged_wrong_just_beyond_the_tolerance_of_the_core(page: Page, scenario: Scenario) -> None:
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
    assert page.evaluate(_MISJUDGED, [board_data(scenario, trace, 0, 4), wanted]) == []


def test_a_disagreement_is_told_loudly(page: Page) -> None:
    scenario = Scenario(embedding="published")
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"answered": 0, "lit": None}
    mount = """data => {
      const root = document.createElement('div');
      root.innerHTML = '<div class="board"></div>';
      document.body.replaceChildren(root);
      script.default({parentElement: root, data, setTriggerValue: () => {}});
      const status = root.querySelector('.status');
      return [status.textContent, status.className, status.getAttribute('role')];
    }"""
    text, look, role = page.evaluate(mount, data)
    assert text.startswith("Computed by torch, largest difference")
    assert (look, role) == ("status", "note")
    data["matrices"]["attention_weights"]["values"][8] += 0.001
    text, look, role = page.evaluate(mount, data)
    assert text.startswith("The page and torch differ by 1e−3, more than float32 explains")
    assert "Attention weights, query 1 'journey', key 2 'starts'" in text
    assert (look, role) == ("status alarm", "alert")
    data["matrices"]["attention_weights"]["values"][8] = "NaN"  # by how much does that differ?
    text, look, role = page.evaluate(mount, data)
    assert text.startswith("The page and torch differ, more than float32 explains, first in Attention weights, query 1")


def test_of_a_matrix_with_only_one_cell_the_others_are_empty_places(page: Page) -> None:
    scenario = Scenario("a b", d_in=2, d_out=2, causal=True)
    only = {"matrix": "scores", "row": 1, "column": 0}
    data = board_data(scenario, attnviz.trace(scenario), 1, 4, ("q", "scores"))
    texts, names, chosen, filled = page.evaluate(
        """data => {
          const root = document.createElement('div');
          root.innerHTML = '<div class="board"></div>';
          document.body.replaceChildren(root);
          const receive = (changed) => script.default({
            parentElement: root, data: {...data, ...changed}, setTriggerValue: () => {}});
          const cells = () => [...root.querySelectorAll('[data-at^="scores"]')];
          receive({});
          const drawn = [cells().map(cell => cell.textContent), cells().map(cell => cell.getAttribute('aria-label'))];
          for (const type of ['pointerover', 'focusin']) cells()[3].dispatchEvent(new Event(type, {bubbles: true}));
          const key = new KeyboardEvent('keydown', {key: 'Enter', bubbles: true});
          cells()[3].dispatchEvent(key);
          drawn.push(root.querySelector('.chosen').dataset.at);
          receive({only: null});
          return [...drawn, cells().filter(cell => cell.textContent).length];
        }""",
        data | {"answered": 0, "lit": only, "only": only},
    )
    assert [bool(text) for text in texts] == [False, False, True, False]
    assert [name.endswith(": not filled yet") for name in names] == [True, True, False, True]
    assert chosen == "scores,1,0"  # an empty place explains nothing, and cannot be pinned
    assert filled == 4


def test_what_is_pinned_is_told_once_and_holds_against_older_answers(page: Page) -> None:
    scenario = Scenario(embedding="published")
    now = {"lit": None, "ofNow": True, "picked": {"matrix": "scores", "row": 1, "column": 5}}
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"answered": 0} | now
    got = page.evaluate(
        """data => {
          const root = document.createElement('div');
          root.innerHTML = '<div class="board"></div>';
          document.body.replaceChildren(root);
          const told = [];
          const receive = (changed) => script.default({
            parentElement: root, data: {...data, ...changed},
            setTriggerValue: (name, value) => name === 'changes' && told.push(value)});
          const chosen = () => root.querySelector('.chosen')?.dataset.at;
          const press = (key, at) => root.querySelector(at ? `[data-at="${at}"]` : '.cell')
            .dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
          receive({});
          const seen = [chosen()];
          press('Enter', 'context,2,1');
          receive({});  // sent before Python knew
          seen.push(chosen());
          receive({answered: told[0].number, picked: told[0].pinned});
          seen.push(chosen());
          press('Escape');
          receive({answered: told[1].number, picked: null});
          press('Escape');  // nothing is pinned any more: nothing to tell
          return [seen, chosen(), told.map(({pinned, edits}) => [pinned, edits])];
        }""",
        data,
    )
    pinned = {"matrix": "context", "row": 2, "column": 1}
    assert got == [["scores,1,5", "context,2,1", "context,2,1"], None, [[pinned, []], [None, []]]]


@in_browser
@given(values=st.lists(st.floats(width=32) | st.floats(), min_size=50, max_size=100), digits=st.integers(1, 6))
@example(values=[0.25, 0.75, 0.03125, 0.09375, 2.5, 12250.0, 112500.0, 0.5, -0.0, 9999.99995, 99950.0], digits=1)
@example(values=[0.25, 0.75, 0.03125, 0.09375, 2.5, 12250.0, 112500.0, 0.5, -0.0, 9999.99995, 99950.0], digits=4)
def test_numbers_are_written_as_everywhere(page: Page, values: list[float], digits: int) -> None:
    got = page.evaluate(
        "([texts, digits]) => texts.map(text => script.written(Number(text), digits))",
        [[str(value).replace("inf", "Infinity").replace("nan", "NaN") for value in values], digits],
    )
    assert got == [written(value + 0.0, digits) for value in values]


TYPED = {
    "0.5": 0.5, " -1.25 ": -1.25, "−2": -2, "–3": -3, "1,5": 1.5, ".5": 0.5, "+7": 7, "1e3": 1000, "1E-3": 0.001,
    "": None, "abc": None, "1e400": None, "4e38": None, "0x10": None, "1 2": None, "--1": None, "Infinity": None,
    "NaN": None, "<img src=x onerror=alert(1)>": None,
}  # fmt: skip


@pytest.mark.parametrize("text", TYPED)
def test_what_is_typed_is_a_number_or_it_is_not(page: Page, text: str) -> None:
    assert page.evaluate("text => script.numberIn(text)", text) == TYPED[text]


BLOCKS = {
    "1\t2\n3\t4\n": [["1", "2"], ["3", "4"]],
    "1, 2\r\n3, 4": [["1", "2"], ["3", "4"]],
    "0,5;1,5": [["0,5", "1,5"]],
    "0,5 1,5\n2 −3,5": [["0,5", "1,5"], ["2", "−3,5"]],
    "0,5\n": [["0,5"]],
    "1,0\n0,1": [["1", "0"], ["0", "1"]],
    "1 ,2": [["1", "2"]],
    "0.5,1.5": [["0.5", "1.5"]],
    "\t2": [["", "2"]],
    " 1   2 ": [["1", "2"]],
}


@pytest.mark.parametrize("text", BLOCKS)
def test_a_pasted_block_falls_into_cells(page: Page, text: str) -> None:
    assert page.evaluate("text => script.blockIn(text, 9, 9)", text) == {"lines": BLOCKS[text], "outside": 0}


@in_browser
@given(st.text("1.,;\t \r\n", max_size=30), st.integers(1, 3), st.integers(1, 3))
def test_what_is_outside_of_a_matrix_is_counted(page: Page, text: str, rows: int, columns: int) -> None:
    """Against the whole block, taken apart."""
    lines = re.split(r"\r?\n", re.sub(r"[\r\n]+\Z", "", text))
    tabbed = "\t" in text or ";" in text
    alone = re.fullmatch(r"1+[.,]?1*|[.,]1+", text.strip())
    blanks = all(re.search(r"\S\s+\S", line) and not re.search(r",\s|\s,", line) for line in lines if "," in line)
    parts = r"\s+" if alone or blanks else r"[\s,]+"
    whole = [re.split(r"[\t;]", line) if tabbed else re.split(parts, line.strip()) for line in lines]
    within = [line[:columns] for line in whole[:rows]]
    assert page.evaluate("given => script.blockIn(...given)", [text, rows, columns]) == {
        "lines": within, "outside": sum(map(len, whole)) - sum(map(len, within)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("piece", "end", "cells"),
    [("1\t", "2", 500_001), ("1 ", "", 500_000), ("1\n", "", 500_000), ("\r\n", "1", 500_001)],
)
def test_a_pasted_block_of_a_megabyte_is_not_taken_apart(page: Page, piece: str, end: str, cells: int) -> None:
    got = page.evaluate(
        """([piece, end]) => {
          const {split} = String.prototype;
          let made = 0;
          String.prototype.split = function (...given) {
            const parts = split.apply(this, given);
            made += parts.length;
            return parts;
          };
          try {
            const {lines, outside} = script.blockIn(piece.repeat(500_000) + end, 2, 3);
            return [lines.flat().length + outside, made <= 6];
          } finally {
            String.prototype.split = split;
          }
        }""",
        [piece, end],
    )
    assert got == [cells, True]


@pytest.mark.parametrize(
    ("value", "steps", "large", "wanted"),
    [(0.5166, 1, False, 0.5266), (0.5166, -2, True, 0.3166), (0, 3, False, 0.03), (-9.99, -1, False, -10.0),
     (250, 1, False, 251), (1e30, 1, False, 1.01e30), (0.123456789, 0, False, 0.123456789)],
)  # fmt: skip
def test_a_step_is_a_hundredth_of_what_is_there(
    page: Page, value: float, steps: int, large: bool, wanted: float
) -> None:
    assert page.evaluate("given => script.stepped(...given)", [value, steps, large]) == pytest.approx(wanted, rel=1e-12)


def test_numbers_stand_out_on_every_colour_of_the_scales(page: Page) -> None:
    scenario = Scenario(embedding="published")
    scales = board_data(scenario, attnviz.trace(scenario), 0, 4)["scales"]
    for scale in scales.values():
        for step in range(257):
            colour, ink = page.evaluate(
                """([value, scale]) => {
                  const colour = script.colourOf(value, [0, 1], scale, {});
                  return [colour, script.inkOn(colour)];
                }""",
                [step / 256, scale],
            )
            assert contrast(colour, [0, 0, 0] if ink == "#000" else [255, 255, 255]) >= 4.5


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
