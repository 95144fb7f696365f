"""The derivatives that the chain rule multiplies by, held against autograd."""

import numpy as np
import pytest
import torch

from attnviz.core.rules import Rule
from attnviz.features.learn.training.derivatives import derivatives
from tests.unit.single_stage import CASES, drawn


@pytest.mark.parametrize(("rule", "shapes"), CASES, ids=lambda case: str(case))
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
            yielded = list(derivatives(rule, i, row, column, made, *sources))
            moved = torch.zeros_like(made)
            for to_row, to_column, by, of in yielded:
                moved[to_row, to_column] += by
                assert of is None or sources[of[0]][of[1:]] == by
            if yielded:
                torch.testing.assert_close(moved, jacobian[:, :, row, column])
