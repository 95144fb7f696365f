"""Every rule explains every cell that it makes: its arithmetic is read back and worked out again."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, explain
from attnviz.core.rules import (
    Product,
    Relative,
    Rotate,
    Rule,
    Scale,
    Shape,
    Share,
    Softmax,
    reads,
    values,
)
from attnviz.core.scenario import traced
from attnviz.core.trace import Trace
from tests.examples import examples
from tests.unit.displayed_arithmetic import check_cell
from tests.unit.helpers import EXTREMES
from tests.unit.single_stage import CASES, drawn, trace_of

each_case = pytest.mark.parametrize(("rule", "shapes"), CASES, ids=lambda case: str(case))
extremes = st.sampled_from((*EXTREMES, math.inf, -math.inf, math.nan))


def check_every_cell(trace: Trace, rule: Rule, digits: int) -> None:
    sources = [trace[name] for name in trace.stages["made"].sources]
    exact = values(rule, *(source.double().numpy() for source in sources))
    finite = all(bool(torch.isfinite(source).all()) for source in sources)
    for row, column in np.ndindex(*trace.made.shape):
        explanation = explain(trace, "made", row, column, digits=digits)
        assert explanation.rule == rule.name
        check_cell(explanation, trace.made[row, column].item(), trace.stages["made"].title)
        assert explanation.symbols.startswith(f"M[{row}, {column}] = ")
        blocks = reads(rule, row, column, *((source.shape[0], source.shape[1]) for source in sources))
        assert [cells[1:] for cells in explanation.sources] == list(blocks)
        if finite and math.isfinite(exact[row, column]) and np.abs(exact).max() < 1e30:
            assert explanation.exact == pytest.approx(exact[row, column], rel=1e-9, abs=1e-12)


@each_case
@given(seed=st.integers(0, 1000), size=st.sampled_from((1e-3, 1.0, 10.0)), digits=st.integers(1, 6))
@settings(max_examples=examples(6), deadline=None)
def test_every_cell_of_every_rule(rule: Rule, shapes: tuple[Shape, ...], seed: int, size: float, digits: int) -> None:
    check_every_cell(trace_of(rule, [size * each for each in drawn(shapes, seed, torch.float32)]), rule, digits)


@each_case
@given(st.data())
@settings(max_examples=examples(12), deadline=None)
def test_every_cell_of_every_rule_where_numbers_are_out_of_the_ordinary(
    rule: Rule, shapes: tuple[Shape, ...], data: st.DataObject
) -> None:
    sources = drawn(shapes, 0, torch.float32)
    for _ in range(data.draw(st.integers(1, 4))):
        source = data.draw(st.sampled_from(sources))
        row, column = (data.draw(st.integers(0, size - 1)) for size in source.shape)
        source[row, column] = data.draw(extremes)
    check_every_cell(trace_of(rule, sources), rule, 4)


@each_case
def test_rows_of_shares_sum_to_1_where_that_is_said(rule: Rule, shapes: tuple[Shape, ...]) -> None:
    sums = rule.compute(*drawn(shapes)).sum(-1)
    assert not rule.makes_shares or rule.sums_to_1(len(shapes)) == torch.allclose(sums, torch.ones_like(sums))


@pytest.mark.parametrize(
    ("rule", "n_sources", "symbols"),
    [
        (Product(), 2, "A[1, :] · B[:, 1]"),
        (Product(), 3, "A[1, :] · B[:, 1] + C[1]"),
        (Product(transposed=True), 2, "A[1, :] · B[1, :]"),
        (Softmax(), 1, "exp(A[1, 1]) / Σ_j exp(A[1, j])"),
        (Softmax(axis="columns"), 1, "softmax(A[:, 1])[1]"),
        (Softmax(axis="whole"), 1, "softmax(A[:, :])[1, 1]"),
        (Softmax(sink=0.5), 1, "exp(A[1, 1]) / (Σ_j exp(A[1, j]) + exp(0.5))"),
        (Scale(d_k=2, temperature=0.5), 1, "A[1, 1] / (√d_k · 0.5)"),
        (Scale(temperature=math.sqrt(8)), 1, "A[1, 1] / √8"),
        (Share(), 2, "A[1, 1] × exp(B[1, 1]) / Σ_j (A[1, j] × exp(B[1, j]))"),
        (Rotate(), 1, "A[1, 0] sin φ + A[1, 1] cos φ"),
    ],
)
def test_a_rule_says_what_it_reads_in_symbols(rule: Rule, n_sources: int, symbols: str) -> None:
    made = explain(trace_of(rule, drawn(((2, 2), (2, 2), (1, 2))[:n_sources])), "made", 1, 1)
    assert made.symbols == f"M[1, 1] = {symbols}"


def test_a_line_of_one_number_is_named_as_a_cell() -> None:
    assert explain(trace_of(Product(), drawn(((2, 1), (1, 2)))), "made", 1, 0).symbols == "M[1, 0] = A[1, 0] · B[0, 0]"


@pytest.mark.parametrize(
    ("rule", "shape", "cell", "words"),
    [
        (Rotate(base=3.0), (3, 6), (2, 3), "stands at place 2, and each place turns it by 0.6934"),  # 3 to the -2/6
        (Relative(), (1, 5), (2, 0), "2 tokens before its query"),
        (Relative(), (1, 5), (0, 1), "1 token after its query"),
    ],
)
def test_a_rule_counts_places_as_its_arithmetic_does(
    rule: Rule, shape: Shape, cell: tuple[int, int], words: str
) -> None:
    assert words in explain(trace_of(rule, drawn((shape,))), "made", *cell).words


@pytest.mark.parametrize(("d_out", "columns"), [(2, "column 0"), (4, "the columns 0 to 1")])
def test_a_head_gets_its_columns(d_out: int, columns: str) -> None:
    made = traced(Scenario("a cat", d_in=2, d_out=d_out, n_heads=2))
    assert explain(made, "heads.0.q", 0, 0).words == f"Head 0 gets {columns} of Q, unchanged"
