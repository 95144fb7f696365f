"""Laws that every rule keeps, so that a rule that lacks something fails here."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz.core.rules import (
    RULES,
    Lookup,
    Recut,
    Relative,
    Rotate,
    Rule,
    Scale,
    Slice,
    Surprise,
    reads,
)
from attnviz.core.rules import touched as touched_by
from attnviz.core.stages import attention_table
from attnviz.core.trace import Trace
from tests.unit.single_stage import CASES, drawn

ROOT = Path(__file__).parents[3]
each_case = pytest.mark.parametrize(("rule", "shapes"), CASES, ids=lambda case: str(case))


def test_every_rule_has_its_cases() -> None:
    assert {type(rule) for rule, _ in CASES} == set(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
    for kind in RULES:
        sizes = {len(shapes) for rule, shapes in CASES if type(rule) is kind}
        assert sizes == set(kind.n_sources)


@each_case
def test_a_rule_makes_the_shape_that_it_says_with_any_batch(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    sources = drawn(shapes)
    made = rule.compute(*sources)
    assert tuple(made.shape) == rule.shape(*shapes)
    batched = rule.compute(*(each.expand(2, 3, *each.shape) for each in sources))
    assert torch.allclose(batched, made.expand(2, 3, *made.shape), rtol=1e-12, equal_nan=True)


@each_case
def test_a_rule_refuses_shapes_that_do_not_fit(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    for i in range(1, len(shapes)):
        odd = [*shapes[:i], (7, 9), *shapes[i + 1 :]]
        with pytest.raises(ValueError, match=r"has shape \(7, 9\), expected"):
            rule.shape(*odd)


@pytest.mark.parametrize(
    ("rule", "shape"),
    [
        (Relative(1), (1, 5)), (Relative(), (1, 4)), (Slice(1, 3), (3, 2)), (Recut(2, 1), (3, 3)), (Rotate(), (3, 3)),
        (Rotate(thetas=(1.0, 0.3)), (3, 3)), (Lookup((4,)), (4, 2)), (Surprise((2,)), (3, 2)),
        (Surprise((0, 0)), (1, 2)),
    ],
)  # fmt: skip
def test_a_rule_refuses_what_is_too_small_for_its_settings(rule: Rule, shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"has shape \(\d, \d\), expected"):
        rule.shape(shape)


@each_case
def test_a_cell_reads_exactly_the_cells_that_move_it(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    sources = [each.abs() + 0.1 for each in drawn(shapes)]  # no zero, and nothing that ReLU cuts off
    made = rule.compute(*sources)
    for row, column in np.ndindex(*made.shape):
        blocks = reads(rule, row, column, *shapes)
        assert len(blocks) == len(shapes)
        for i, (rows, columns) in enumerate(blocks):
            for r, c in np.ndindex(*shapes[i]):
                moved = [each.clone() for each in sources]
                moved[i][r, c] += 0.5
                is_moved = rule.compute(*moved)[row, column] != made[row, column]
                assert bool(is_moved) == (r in rows and c in columns)


@each_case
def test_a_mark_touches_the_cells_that_read_it(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    for i, shape in enumerate(shapes):
        for r, c in np.ndindex(*shape):
            marks = [np.zeros(each, dtype=bool) for each in shapes]
            marks[i][r, c] = True
            touched = touched_by(rule, *marks)
            for row, column in np.ndindex(*rule.shape(*shapes)):
                rows, columns = reads(rule, row, column, *shapes)[i]
                assert touched[row, column] == (r in rows and c in columns)


@each_case
def test_gradients_flow_through_it(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    sources = [each.requires_grad_() for each in drawn(shapes)]
    made = rule.compute(*sources)
    made[torch.isfinite(made)].square().sum().backward()  # type: ignore[no-untyped-call]
    assert all(each.grad is not None and torch.isfinite(each.grad).all() for each in sources)


def test_what_is_hidden_is_minus_infinity_and_its_share_is_hidden_too() -> None:
    scores = torch.tensor([[1.0, math.inf, math.nan], [1.0, 2.0, 3e38]])
    mask = torch.tensor([[0.0, -math.inf, -math.inf], [-math.inf, -1e4, 3e38]])
    scaled = Scale(d_k=4).compute(scores, mask)
    assert ((scaled == -math.inf) == (mask == -math.inf)).all()
    made = Trace(
        attention_table(4, mask=True),
        {"mask": mask, "scaled_scores": scaled, "attention_weights": torch.softmax(scaled, -1)},
    )
    for name in made.matrices:
        np.testing.assert_array_equal(made.masked_in(name), mask.numpy() == -math.inf)


def test_a_trace_cannot_be_changed_and_says_what_it_has() -> None:
    trace = Trace({}, {"x": torch.ones(1, 1)}, notices=("read me",))
    assert trace.notices == ("read me",)
    assert trace.x is trace["x"] is trace.get("x")
    assert trace.get("w_q") is None
    with pytest.raises(AttributeError, match="cannot be changed"):
        trace.x = torch.zeros(1, 1)
    with pytest.raises(AttributeError, match="'w_q' is no matrix of this trace, expected one of x"):
        _ = trace.w_q


def test_nobody_outside_the_rules_asks_of_which_class_one_is() -> None:
    classes = "|".join(rule.__name__ for rule in RULES)
    asks = re.compile(rf"isinstance\([^\n]*(?<!nn\.)\b({classes})\b|^ +case [^\n]*\b({classes})\(", re.MULTILINE)
    own = ROOT / "attnviz/core/rules"
    files = [file for file in ROOT.glob("attnviz/**/*.py") if own not in file.parents]
    kinds = r"(stage\.kind|rule\.name|\.(masking|mask_use|positions|weighting|what_if|tokenizer|norm))\b"
    names = re.compile(rf"""{kinds}\)? ([!=]=|(not )?in) \(?"|"\w+" ([!=]=|(not )?in) [^\n]*{kinds}""")
    assert not [file for file in files if asks.search(file.read_text(encoding="utf-8"))]
    assert {file.name for file in files if names.search(file.read_text(encoding="utf-8"))} == {
        "order.py", "model.py"  # a question of two ways; a training without a norm has sums
    }  # fmt: skip
    names = re.compile(r"""\brule\)? *[!=]== *"(?!given")""")  # the page asks for traits
    assert not [file for file in ROOT.glob("attnviz/**/*.js") if names.search(file.read_text(encoding="utf-8"))]
