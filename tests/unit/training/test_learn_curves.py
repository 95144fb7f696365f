"""The curve of what a training learns from: each point is the mean of the losses from its step to the next point's."""

import numpy as np
import pytest

from attnviz.app.learn.moment import _MOST_POINTS, _thinned


@pytest.mark.parametrize("n", [1, 2, 20, 300, 5000])
def test_a_curve_of_few_points_has_all_losses_in_it(n: int) -> None:
    losses = np.random.default_rng(n).random(n).tolist()
    points = _thinned(losses)
    steps = [step for step, _ in points]
    assert steps[0] == 0
    assert steps == sorted(set(steps))
    assert len(points) <= _MOST_POINTS
    for (low, mean), high in zip(points, [*steps[1:], n], strict=True):
        assert mean == pytest.approx(sum(losses[low:high]) / (high - low))


def test_without_a_loss_there_is_no_point() -> None:
    assert _thinned([]) == []
