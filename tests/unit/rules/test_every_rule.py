"""Every rule is whole: a rule without a twin in the page, an explanation, a bound or a line of code fails here.

All rules, over all stages of the tables, with random numbers: what the page's twin computes, reads, bounds and says is
what Python does, and the lines of PyTorch give the same tensors.
"""

import math
import random
from functools import cache
from itertools import chain
from typing import Any

import pytest
import torch

from attnviz import Scenario, attend, explain, feed_forward
from attnviz.board.data import table_data
from attnviz.core.rules import RULES, Rule, Shape, Share, Sigmoid, Times
from attnviz.core.scenario import traced
from attnviz.core.trace import Trace
from attnviz.export.rules import code
from tests.node import ROOT, PageScript
from tests.said import of_features
from tests.unit.helpers import random_inputs
from tests.unit.single_stage import CASES, TOKENS, drawn, trace_of

TWINS = ROOT / "attnviz/board/rules"
DIGITS = (4, 1, 6, 2, 3, 5)
EXTREMES = (1e30, -1e30, 3.4e38, -3.4e38, 1e4, 1e-20, 1e-45, 30.0, -30.0, 0.0, -0.0, math.inf, -math.inf, math.nan)

# Hidden from itself alone, from all, as a later one, by hand, and some numbers that are added.
ALL_KINDS = (
    (-math.inf, -math.inf, 0, 0.5),
    (0, -math.inf, 0, -3.4e38),
    (-math.inf, -math.inf, 2, 0),
    (0, -math.inf, 0, -0.0),
)

# What the page's rules say of a whole trace.
_SAID = """({ made: madeOf, evaluate: { boundedOf, evaluate }, explain: { explain, seenSourcesOf } }, data) => {
  const made = madeOf(data);
  const given = data.stages.filter(({ rule }) => rule === "given").map(({ name }) => [name, made.matrices[name]]);
  const evaluated = evaluate(data.stages, Object.fromEntries(given));
  const computed = data.stages.filter(({ rule }) => rule !== "given");
  const ofCell = (stage, row, column) => {
    const place = { matrix: stage.name, row, column };
    const { text, symbols, steps, words, notes } = explain(made, place);
    const { exact, tolerance } = boundedOf(stage, row, column, made.matrices);
    const sources = seenSourcesOf(made, place).map((block) => block.map((at) => [at.matrix, at.row, at.column]));
    const cell = [stage.name, row, column];
    return { cell, text, symbols, steps, words, notes, sources, bounds: [String(exact), String(tolerance)] };
  };
  return {
    evaluated: Object.fromEntries(computed.map(({ name }) => [name, Array.from(evaluated[name].values, String)])),
    cells: computed.flatMap((stage) => {
      const { columns, values } = made.matrices[stage.name];
      return Array.from(values, (_, at) => ofCell(stage, Math.floor(at / columns), at % columns));
    }),
  };
}"""
_TWINS = """({ evaluate: { RULES } }) =>
  Object.entries(RULES).map(([name, compute]) => [name, compute.name])"""
_ERFC = "({ arithmetic: { erfc } }, numbers) => numbers.map(erfc)"


def of_rule(rule: Rule, shapes: tuple[Shape, ...], seed: int) -> Trace:
    """A trace of one rule, from random numbers; those of odd seeds hold some that are out of the ordinary."""
    sources, chosen = drawn(shapes, seed, torch.float32), random.Random(seed)
    for _ in range(5 * (seed % 2)):
        source = chosen.choice(sources)
        source[chosen.randrange(source.shape[0]), chosen.randrange(source.shape[1])] = chosen.choice(EXTREMES)
    return trace_of(rule, sources, TOKENS if seed % 3 else ())


@cache
def traces() -> tuple[Trace, ...]:
    """A few of each rule with each of its settings, and of each table with each of its settings."""
    # Of other odd seeds some have numbers of which torch's own GELU overflows: its plain line does.
    of_rules = [of_rule(rule, shapes, seed) for rule, shapes in CASES for seed in (0, 2, 3, 13, 23)]
    of_rules.insert(0, trace_of(Share(), [torch.tensor([[1e30, 1.5, 1.5, -1e30], [3.4e38, 0.1234, 1.0, -3.4e38]])]))
    of_tables: list[Trace] = [  # tests/unit/rules/test_surfaces.py has any set-up; these are what it doesn't draw
        traced(Scenario("a cat a mat", d_in=4, d_out=4, n_heads=2, norm="pre", d_ff=3, edits=[("gamma_1", 0, 1, 2.0)])),
        traced(Scenario("a cat a mat", d_in=3, d_out=3, norm="post", output=True, d_ff=3, activation="gelu")),
        traced(Scenario("a cat a mat", d_out=8, d_v=4, n_heads=4, n_kv_heads=2, bias=True, positions="rotary")),
        traced(Scenario("a cat a mat", d_out=4, n_heads=2, bias=True)).heads[1],
        traced(Scenario("a b", d_out=4, n_heads=2, what_if="cut:view")).for_head(1),
        *(each for of_feature in of_features("traces") for each in of_feature()),
        *(
            traced(Scenario("a cat a mat", d_in=4, mask=ALL_KINDS, mask_use=use))
            for use in ("added", "factor", "zeroed", "renormalized")
        ),
        traced(Scenario("a cat a mat", weighting="linear", mask=ALL_KINDS)),
        traced(Scenario("a cat a mat", embedding_factor=True)),
        traced(Scenario("a cat a mat", positions="alibi", mask=ALL_KINDS, edits=[("by_distance", 0, 5, -3e38)])),
        traced(Scenario("a cat a mat", positions="relative", scale=False, mask="causal", mask_use="zeroed")),
        traced(Scenario("a cat", mask="window:1", scale=False, edits=[("mask", 0, 1, -1e4), ("mask", 0, 0, 1.5)])),
        attend(**random_inputs(5, 4, 3, 2, bias=True), scale=False),
        attend(**random_inputs(9, 12, 9, 2), causal=True),
    ]
    x, w_1, w_2, (b_1,), (b_2,) = drawn(((3, 3), (3, 4), (4, 2), (1, 4), (1, 2)), dtype=torch.float32)
    of_tables += [feed_forward(x, w_1, *b_s, tokens=("a", "b", "a")) for b_s in ((None, w_2, None), (b_1, w_2, b_2))]
    return (*of_rules, *of_tables)


@pytest.fixture(scope="module")
def said(script: PageScript) -> list[dict[str, Any]]:
    """What the page's rules say of all these."""
    return [
        script.run(_SAID, table_data(trace) | {"digits": DIGITS[i % 6], "shown": list(trace.stages)})
        for i, trace in enumerate(traces())
    ]


def computed(trace: Trace) -> list[str]:
    return [name for name, stage in trace.stages.items() if stage.rule is not None]


def test_every_twin_is_one_of_the_rules(script: PageScript) -> None:
    names = {rule.name for rule in RULES}
    twins = dict(script.run(_TWINS))
    assert {file.stem for file in TWINS.glob("*.js")} == set(twins) <= names
    assert set(twins.values()) == {"compute"}, "what the page has of a rule besides its declaration is arithmetic"


def test_every_rule_stands_in_a_table() -> None:
    in_tables = [stage for trace in traces() if "made" not in trace.stages for stage in trace.stages.values()]
    not_yet = {Times, Sigmoid}  # for gates, which no set-up has so far
    assert {type(stage.rule) for stage in in_tables} == {*RULES, type(None)} - not_yet


def test_a_twin_computes_what_torch_does(said: list[dict[str, Any]]) -> None:
    for trace, told in zip(traces(), said, strict=True):
        made = chain(*(trace[name].flatten().tolist() for name in computed(trace)))
        for own, wanted, cell in zip(chain(*told["evaluated"].values()), made, told["cells"], strict=True):
            most = 1e-5 + 2 * float(cell["bounds"][1])  # infinite where float32 may overflow
            assert most == math.inf or float(own) == pytest.approx(wanted, rel=1e-5, abs=most, nan_ok=True), cell


def test_a_twin_reads_bounds_and_explains_each_cell_as_python_does(said: list[dict[str, Any]]) -> None:
    n_cells = 0
    for i, (trace, of_trace) in enumerate(zip(traces(), said, strict=True)):
        n_cells += len(of_trace["cells"])
        for cell in of_trace["cells"]:
            want = explain(trace, *cell["cell"], digits=DIGITS[i % 6])
            blocks = [[[cells.matrix, r, c] for r in cells.rows for c in cells.columns] for cells in want.sources]
            assert cell["sources"] == blocks
            told = [cell[name] for name in ("text", "symbols", "words", "steps", "notes")]
            assert told == [want.text, want.symbols, want.words, list(want.steps), list(want.notes)]
            exact, tolerance = map(float, cell["bounds"])
            assert exact == pytest.approx(want.exact, rel=1e-12, abs=1e-12 * want.tolerance, nan_ok=True)
            assert tolerance == pytest.approx(want.tolerance, rel=1e-9, nan_ok=True)
    assert n_cells == sum(trace[name].numel() for trace in traces() for name in computed(trace))


def test_the_lines_of_a_table_compute_it_in_plain_torch() -> None:
    for trace in traces():
        values: dict[str, Any] = {"torch": torch}
        for name, stage in trace.stages.items():
            values |= {"d_k": getattr(stage.rule, "d_k", None)}
            called = [each.replace(".", "_") for each in (name, *stage.sources)]  # as Python names things
            if stage.rule is None:
                values[called[0]] = trace[name]
            else:
                exec("\n".join(code(stage.rule, *called)), values)
            torch.testing.assert_close(values[called[0]], trace[name], equal_nan=True)


ERRORS = [*(i / 64 for i in range(-8 * 64, 28 * 64)), 1.4999999, 1.5, 30.5]


def test_the_pages_error_function_is_pythons(script: PageScript) -> None:
    for x, said in zip(ERRORS, script.run(_ERFC, ERRORS), strict=True):
        assert abs(said - math.erfc(x)) < 2e-15
        assert said == pytest.approx(math.erfc(x), rel=3e-13, abs=1e-300)
