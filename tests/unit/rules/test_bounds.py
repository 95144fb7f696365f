"""Errors that marking follows through a rule: no more than it says, at any precision."""

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz.core.rules import GELU, Product, Rule, Scale, Shape, Softmax
from attnviz.core.rules.bounds import BFLOAT16, FLOAT16, FLOAT32, Bounded, bounded, computed_in
from tests.examples import examples
from tests.unit.single_stage import CASES, drawn


def as_tables(sources: list[Tensor], error: float = 0.0) -> list[Bounded]:
    return [Bounded(each.numpy(), np.full(each.shape, error)) for each in sources]


# The rules whose errors marking follows; it knows no mask that comes too late.
MARKED = tuple(
    (rule, shapes)
    for rule, shapes in CASES
    if bounded(rule, *as_tables(drawn(shapes), 0.1)).error.any() and (rule, len(shapes)) != (Softmax(), 2)
)
each_marked = pytest.mark.parametrize(("rule", "shapes"), MARKED, ids=lambda case: str(case))


def test_errors_are_followed_through_what_is_taught() -> None:
    marked = {"add", "concatenate", "gelu", "product", "relu", "scale", "slice", "softmax"}
    assert {rule.name for rule, _ in MARKED} == marked


@pytest.mark.parametrize(
    ("rule", "shapes"),
    [case for case in MARKED if case[0].name == "product"] + [(Softmax(), ((3, 4),)), (Scale(d_k=2), ((3, 4),))],
)
def test_how_far_roundings_take_a_row_is_its_own_and_grows_with_its_numbers(
    rule: Rule, shapes: tuple[tuple[int, int], ...]
) -> None:
    first, *others = as_tables(drawn(shapes))
    error = computed_in(rule, FLOAT32, first, *others).error
    for row in range(len(error)):
        alone = computed_in(rule, FLOAT32, Bounded.exactly(first.value[row : row + 1]), *others).error
        np.testing.assert_allclose(alone, error[row : row + 1])
    if rule == Product() or rule.name == "scale":
        twice = computed_in(rule, FLOAT32, Bounded.exactly(2 * first.value), *others[:1]).error
        once = computed_in(rule, FLOAT32, first, *others[:1]).error
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
    bound = bounded(rule, *(Bounded(each.numpy(), by.numpy()) for each, by in zip(sources, most, strict=True)))
    with np.errstate(invalid="ignore"):
        gap = np.nan_to_num(np.abs(rule.compute(*moved).numpy() - bound.value))  # -∞ less -∞
    assert (gap <= bound.error + 1e-12 * size**2).all()
    assert error or not bound.error.any()


def test_what_is_hidden_has_no_error_and_a_far_score_at_most_moves_a_share_by_all() -> None:
    scores = torch.tensor([[1.0, math.inf, math.nan], [1.0, 2.0, 3e38]])
    mask = torch.tensor([[0.0, -math.inf, -math.inf], [-math.inf, -1e4, 3e38]])
    bound = bounded(Scale(d_k=4), *as_tables([scores, mask], 0.5))
    assert (bound.error[mask.numpy() == -math.inf] == 0).all()
    far = Bounded(np.array([[1.0, -math.inf]]), np.array([[math.inf, 0.0]]))
    assert bounded(Softmax(), far).error.tolist() == [[1.0, 0.0]]


# What is rounded where 1 is added to an error function shows in many numbers alone.
@pytest.mark.parametrize(("rule", "shapes"), [*MARKED, (GELU(), ((300, 9),))], ids=lambda case: str(case))
@pytest.mark.parametrize(
    ("dtype", "precision"), [(torch.float32, FLOAT32), (torch.float16, FLOAT16), (torch.bfloat16, BFLOAT16)]
)
@given(seed=st.integers(0, 1000), size=st.sampled_from((0.1, 1.0, 5.0)))
@example(seed=15, size=1.0)  # a mask leaves little of a score, whose divisor was rounded
@settings(max_examples=examples(6), deadline=None)
def test_the_bound_covers_what_torch_computes_at_this_precision(
    rule: Rule, shapes: tuple[Shape, ...], dtype: torch.dtype, precision: float, seed: int, size: float
) -> None:
    sources = [(size * each).to(dtype) for each in drawn(shapes, seed)]
    made = rule.compute(*sources).double().numpy()
    bound = computed_in(rule, precision, *(Bounded.exactly(each.double().numpy()) for each in sources))
    with np.errstate(invalid="ignore"):
        gap = np.nan_to_num(np.abs(made - bound.value))  # -∞ less -∞
    assert (gap <= bound.error * (1 + 1e-6) + torch.finfo(dtype).tiny).all()
