"""A softmax without its shift, as What if computes it."""

import pytest
import torch

from attnviz.core.rules import Rule
from attnviz.features.explore.mask_experiments import unshifted
from tests.unit.single_stage import CASES, drawn


@pytest.mark.parametrize(("rule", "shapes"), CASES, ids=lambda case: str(case))
def test_what_is_not_shifted_is_the_same(rule: Rule, shapes: tuple[tuple[int, int], ...]) -> None:
    sources = drawn(shapes)
    torch.testing.assert_close(unshifted(rule, *sources), rule.compute(*sources))
