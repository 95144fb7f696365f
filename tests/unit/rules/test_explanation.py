"""Every cell's explanation: its displayed arithmetic is read back from its text and worked out again."""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import AttentionTrace, Edit, Explanation, Scenario, attend, explain
from attnviz.core.scenario import traced
from attnviz.core.stages import EVERY_STAGE, STAGES
from tests.examples import examples
from tests.unit.displayed_arithmetic import check_arithmetic
from tests.unit.helpers import edits_of, random_inputs, setups

# --- What the trace says -------------------------------------------------------------------------------------


def cells_of(trace: AttentionTrace) -> Iterator[tuple[str, int, int, float]]:
    for name, matrix in trace.matrices.items():
        rows = matrix.detach()[None] if matrix.dim() == 1 else matrix.detach()
        for i, row in enumerate(rows.tolist()):
            for j, value in enumerate(row):
                yield name, i, j, value


def doubles(trace: AttentionTrace) -> dict[str, list[list[float]]]:
    return {
        name: (matrix[None] if matrix.dim() == 1 else matrix).detach().double().tolist()
        for name, matrix in trace.matrices.items()
    }


def from_sources(explanation: Explanation, tables: dict[str, list[list[float]]], trace: AttentionTrace) -> float:
    """Compute a cell again, from the cells of its sources and nothing else."""
    blocks = [[tables[stage.name][i][j] for i in rows for j in columns] for stage, rows, columns in explanation.sources]
    if explanation.rule == "given":
        assert not blocks
        return explanation.value
    if explanation.rule == "product":
        products = [a * b for a, b in zip(blocks[0], blocks[1], strict=True)]
        terms = products + [b for (b,) in blocks[2:]]
        size = sum(map(abs, terms))
        if math.isfinite(explanation.tolerance):
            assert explanation.tolerance <= 1.2e-7 * (len(terms) + 2) * size + 1e-35
        return math.fsum(terms) if math.isfinite(size) else sum(terms)
    if explanation.rule == "scale":
        added = blocks[1][0] if len(blocks) > 1 else 0.0
        return -math.inf if added == -math.inf else blocks[0][0] / trace.divisor + added
    if explanation.rule == "add":
        return blocks[0][0] + blocks[1][0]
    if explanation.rule == "relu":
        return math.nan if math.isnan(blocks[0][0]) else max(blocks[0][0], 0.0)
    row = torch.tensor(blocks[0], dtype=torch.float64)
    if explanation.rule == "gelu":
        # Not torch's gelu or ndtr, which add erf to 1 and lose digits where that comes near 0.
        return (row * torch.special.log_ndtr(row).exp()).item()
    return torch.softmax(row, -1)[explanation.column].item()


def same(a: float, b: float, tolerance: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance


def check_cell(explanation: Explanation, value: float, trace: AttentionTrace, tables: dict[str, Any]) -> None:
    assert same(explanation.value, value, 0)
    check_arithmetic(explanation)
    exact = from_sources(explanation, tables, trace)
    assert explanation.exact == exact or same(explanation.exact, exact, 1e-12 * abs(exact))
    if math.isfinite(value):
        assert abs(explanation.exact - value) <= explanation.tolerance
    assert not any("more than the rounding" in note for note in explanation.notes)
    check_terms(explanation)
    check_words(explanation)


def check_terms(explanation: Explanation) -> None:
    """The terms, with the remainder of a long sum, make the value, and are made of cells of the sources."""
    lit = {(stage, i, j) for stage, rows, columns in explanation.sources for i in rows for j in columns}
    factors = [factor for term in explanation.terms for factor in term.factors]
    assert {factor[:3] for factor in factors} <= lit or explanation.rule == "given"
    if all(term.n_terms == 1 for term in explanation.terms) and explanation.rule != "given":
        # What a mask adds is no term where it is nothing, or hides the cell.
        silent = {cell for cell in lit if cell[0].name == "mask"} if len(factors) < len(lit) else set()
        assert {factor[:3] for factor in factors} == lit - silent
    values = [term.value for term in explanation.terms]
    if not all(map(math.isfinite, values)):
        return
    if explanation.rule == "product":
        assert math.fsum(values) == pytest.approx(explanation.exact, rel=1e-12, abs=1e-12 * max(map(abs, values)))
    elif explanation.rule == "softmax":
        assert math.fsum(values) == pytest.approx(explanation.divisor)
        own = next(t for t in explanation.terms if t.factors and t.factors[0].column == explanation.column)
        assert own.value / explanation.divisor == explanation.exact
    elif explanation.rule == "scale":
        divided, *added = explanation.terms
        assert divided.value == pytest.approx(divided.factors[0].value / explanation.divisor)
        assert explanation.masked or math.fsum(values) == pytest.approx(explanation.exact)
        assert [term.value for term in added] == [term.factors[0].value for term in added]


def check_words(explanation: Explanation) -> None:
    masked_score = explanation.masked and explanation.value == -math.inf
    assert "asked" in explanation.text or not explanation.masked
    if not math.isfinite(explanation.value) and not masked_score and explanation.matrix != "mask":
        assert explanation.notes
    assert explanation.text.startswith(EVERY_STAGE[explanation.matrix].title.partition(",")[0])
    assert explanation.symbols in explanation.text or explanation.rule != "given"
    assert explanation.latex.isascii()
    assert explanation.latex.count("{") == explanation.latex.count("}")
    assert not re.search(r"\d[e]|inf\b(?<!\\inf)|nan", explanation.latex)
    assert str(explanation) == explanation.text
    assert explanation._repr_latex_() == f"${explanation.latex}$"


def check_trace(trace: AttentionTrace, digits: int, scenario: Scenario | None = None) -> int:
    tables, n_cells = doubles(trace), 0
    for name, row, column, value in cells_of(trace):
        explanation = explain(trace, name, row, column, digits=digits, scenario=scenario)
        check_cell(explanation, value, trace, tables)
        n_cells += 1
    return n_cells


# --- Every cell of every matrix ------------------------------------------------------------------------------


@settings(max_examples=examples(30))
@given(st.data(), setups(max_tokens=5, max_d=4, whole=True), st.integers(1, 6))
def test_every_cell_of_random_scenarios(data: st.DataObject, scenario: Scenario, digits: int) -> None:
    edited = Scenario(**vars_of(scenario), edits=data.draw(edits_of(scenario)))
    check_trace(traced(edited), digits, edited)


def vars_of(scenario: Scenario) -> dict[str, Any]:
    return {name: getattr(scenario, name) for name in Scenario.__dataclass_fields__ if name != "edits"}


@settings(max_examples=examples(30))
@given(st.data(), setups(max_tokens=4, max_d=3, whole=True))
def test_every_cell_where_numbers_are_huge_or_tiny(data: st.DataObject, scenario: Scenario) -> None:
    extremes = st.sampled_from((1e30, -1e30, 3.4e38, -3.4e38, 1e20, 1e-20, -1e-38, 1e-45, 1e4, 9999.99995, 0.0, -0.0))
    edits = {}
    for _ in range(data.draw(st.integers(1, 8))):
        name = data.draw(st.sampled_from(scenario.editable))
        n_rows, n_columns = scenario.shape_of(name)
        row, column = data.draw(st.integers(0, n_rows - 1)), data.draw(st.integers(0, n_columns - 1))
        edits[name, row, column] = Edit(name, row, column, data.draw(extremes))
    edited = Scenario(**vars_of(scenario), edits=tuple(edits.values()))
    check_trace(traced(edited), 4, edited)


def test_a_trace_in_other_precisions() -> None:
    inputs = random_inputs(3, 4, 2, 2, bias=True)
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        in_dtype: dict[str, Any] = {name: matrix.to(dtype) for name, matrix in inputs.items()}
        trace = attend(**in_dtype)
        for name, row, column, value in cells_of(trace):
            explanation = explain(trace, name, row, column)
            assert explanation.value == value
            assert abs(explanation.exact - value) <= explanation.tolerance, name
            assert not explanation.notes


# --- Sources -------------------------------------------------------------------------------------------------

AGAIN: dict[str, Callable[[dict[str, torch.Tensor]], torch.Tensor]] = {
    "q": lambda t: t["x"] @ t["w_q"] + t["b_q"],
    "k": lambda t: t["x"] @ t["w_k"] + t["b_k"],
    "v": lambda t: t["x"] @ t["w_v"] + t["b_v"],
    "scores": lambda t: t["q"] @ t["k"].T,
    "scaled_scores": lambda t: t["scores"] / math.sqrt(t["q"].shape[1]),
    "attention_weights": lambda t: torch.softmax(t["scaled_scores"], -1),
    "context": lambda t: t["attention_weights"] @ t["v"],
}


@pytest.mark.parametrize("name", AGAIN)
def test_a_cell_changes_with_its_sources_and_with_nothing_else(name: str) -> None:
    trace = attend(**random_inputs(4, 3, 2, 3, bias=True))
    tables = {stage: getattr(trace, stage).double() for stage in STAGES}
    for row in range(tables[name].shape[0]):
        for column in range(tables[name].shape[1]):
            sources = [(cells.matrix, *cells[1:]) for cells in explain(trace, name, row, column).sources]
            before = AGAIN[name](tables)[row, column]
            elsewhere = {stage: matrix + 1 + matrix.abs() for stage, matrix in tables.items()}
            for source, rows, columns in sources:
                kept = tables[source][None] if tables[source].dim() == 1 else tables[source]
                into = elsewhere[source][None] if elsewhere[source].dim() == 1 else elsewhere[source]
                into[rows.start : rows.stop, columns.start : columns.stop] = kept[
                    rows.start : rows.stop, columns.start : columns.stop
                ]
            torch.testing.assert_close(AGAIN[name](elsewhere)[row, column], before)
            for source, rows, columns in sources:
                for i, j in ((i, j) for i in rows for j in columns):
                    changed = {stage: matrix.clone() for stage, matrix in tables.items()}
                    cell = (j,) if changed[source].dim() == 1 else (i, j)
                    changed[source][cell] += 1
                    assert AGAIN[name](changed)[row, column] != before, (source, i, j)
