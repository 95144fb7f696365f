"""Laws that every rule keeps, so that a rule that lacks something fails here."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz.core.rules import (
    FLOAT32,
    RULES,
    Bounded,
    Lookup,
    Product,
    Recut,
    Relative,
    Rotate,
    Rule,
    Scale,
    Slice,
    Softmax,
    Surprise,
)
from attnviz.core.stages import attention_table
from attnviz.core.trace import Trace
from tests.examples import examples
from tests.unit.single_stage import CASES, MARKED, drawn

ROOT = Path(__file__).parents[3]
each_marked = pytest.mark.parametrize(("rule", "shapes"), MARKED, ids=lambda case: str(case))
each_case = pytest.mark.parametrize(("rule", "shapes"), CASES, ids=lambda case: str(case))


def as_tables(sources: list[Tensor], error: float = 0.0) -> list[Bounded]:
    return [Bounded(each.numpy(), np.full(each.shape, error)) for each in sources]


def test_every_rule_has_its_cases() -> None:
    assert {type(rule) for rule, _ in CASES} == set(RULES)
    marked = {"add", "concatenate", "gelu", "product", "relu", "scale", "slice", "softmax"}  # what passes errors on
    assert {rule.name for rule, _ in MARKED} == marked
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
def test_what_is_not_shifted_is_the_same(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    sources = drawn(shapes)
    torch.testing.assert_close(rule.unshifted(*sources), rule.compute(*sources))


@pytest.mark.parametrize(
    ("rule", "shapes"),
    [case for case in MARKED if case[0].name == "product"] + [(Softmax(), ((3, 4),)), (Scale(d_k=2), ((3, 4),))],
)
def test_how_far_roundings_take_a_row_is_its_own_and_grows_with_its_numbers(
    rule: Rule, shapes: tuple[tuple[int, int], ...]
) -> None:
    first, *others = as_tables(drawn(shapes))
    error = rule.computed_in(FLOAT32, first, *others).error
    for row in range(len(error)):
        alone = rule.computed_in(FLOAT32, Bounded.exactly(first.value[row : row + 1]), *others).error
        np.testing.assert_allclose(alone, error[row : row + 1])
    if rule == Product() or rule.name == "scale":
        twice = rule.computed_in(FLOAT32, Bounded.exactly(2 * first.value), *others[:1]).error
        once = rule.computed_in(FLOAT32, first, *others[:1]).error
        np.testing.assert_array_equal(twice, 2 * once)


@each_marked
@given(seed=st.integers(0, 1000), error=st.sampled_from((0.0, 0.01, 0.3)), size=st.sampled_from((1.0, 1e4)))
@example(seed=1, error=0.3, size=1e4)  # a share that is nothing may become one
@settings(max_examples=examples(20))
def test_the_bound_holds_what_errors_of_the_sources_can_do(
    rule: Rule, shapes: tuple[tuple[int, int], ...], seed: int, error: float, size: float
) -> None:
    sources = [size * each for each in drawn(shapes, seed)]
    most = [size * error * each.abs() for each in drawn(shapes, seed + 1)]
    moved = [each + by * torch.randn_like(each).sign() for each, by in zip(sources, most, strict=True)]
    bounded = rule.bounded(*(Bounded(each.numpy(), by.numpy()) for each, by in zip(sources, most, strict=True)))
    with np.errstate(invalid="ignore"):
        gap = np.nan_to_num(np.abs(rule.compute(*moved).numpy() - bounded.value))  # -∞ less -∞
    assert (gap <= bounded.error + 1e-12 * size**2).all()
    assert error or not bounded.error.any()


@each_case
def test_a_cell_reads_exactly_the_cells_that_move_it(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    sources = [each.abs() + 0.1 for each in drawn(shapes)]  # no zero, and nothing that ReLU cuts off
    made = rule.compute(*sources)
    for row, column in np.ndindex(*made.shape):
        blocks = rule.reads(row, column, *shapes)
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
            touched = rule.touched(*marks)
            for row, column in np.ndindex(*rule.shape(*shapes)):
                rows, columns = rule.reads(row, column, *shapes)[i]
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
    bounded = Scale(d_k=4).bounded(*as_tables([scores, mask], 0.5))
    assert (bounded.error[mask.numpy() == -math.inf] == 0).all()
    far = Bounded(np.array([[1.0, -math.inf]]), np.array([[math.inf, 0.0]]))
    assert Softmax().bounded(far).error.tolist() == [[1.0, 0.0]]
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


@each_case
def test_the_derivatives_that_a_rule_says_are_those_of_autograd(
    rule: Rule, shapes: tuple[tuple[int, int], ...]
) -> None:
    sources = drawn(shapes)
    made = rule.compute(*sources)
    for i, shape in enumerate(shapes):
        jacobian = torch.autograd.functional.jacobian(  # type: ignore[no-untyped-call]
            lambda each, i=i: rule.compute(*sources[:i], each, *sources[i + 1 :]), sources[i]
        )
        for row, column in np.ndindex(*shape):
            derivatives = list(rule.derivatives(i, row, column, made, *sources))
            moved = torch.zeros_like(made)
            for to_row, to_column, by, of in derivatives:
                moved[to_row, to_column] += by
                assert of is None or sources[of[0]][of[1:]] == by
            if derivatives:
                torch.testing.assert_close(moved, jacobian[:, :, row, column])


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
