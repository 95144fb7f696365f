"""Every cell's explanation: its displayed arithmetic is read back from its text and worked out again."""

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import AttentionTrace, Explanation, Scenario, attend, explain
from attnviz.core.scenario import traced
from attnviz.core.stages import EVERY_STAGE
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


def same(a: float, b: float, tolerance: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance


def check_cell(explanation: Explanation, value: float) -> None:
    assert same(explanation.value, value, 0)
    check_arithmetic(explanation)
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
    n_cells = 0
    for name, row, column, value in cells_of(trace):
        explanation = explain(trace, name, row, column, digits=digits, scenario=scenario)
        check_cell(explanation, value)
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
