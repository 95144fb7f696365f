"""Variants of attention against torch and against laws."""

from typing import Any

import pytest
import torch

from attnviz import Scenario, trace
from attnviz.features.questions.variations import next_token_loss, training_step, with_matrix

OTHERWISE: list[dict[str, Any]] = [
    {"causal": True, "mask_use": use} for use in ("added", "factor", "zeroed", "renormalized")
] + [{"positions": "alibi", "causal": True}, {"what_if": "softmax:columns"}, {"bias": True, "temperature": 0.5}]


@pytest.mark.parametrize("settings", OTHERWISE)
def test_a_training_step_goes_down_the_slope_of_its_own_set_up(settings: dict[str, Any]) -> None:
    scenario = Scenario("the cat sat", d_in=3, d_out=3, init="normal", seed=4, **settings)
    rate, step = 0.1, 1e-2
    stepped = training_step(scenario, rate)
    assert torch.equal(stepped.matrix("x"), scenario.matrix("x"))
    for name in ("w_q", "w_k", "w_v"):
        before = scenario.matrix(name)
        losses = []
        for sign in (1, -1):
            moved = before.clone()
            moved[1, 2] += sign * step
            losses.append(float(next_token_loss(trace(with_matrix(scenario, name, moved)))))
        slope = (losses[0] - losses[1]) / (2 * step)
        gone = float((before - stepped.matrix(name))[1, 2]) / rate
        assert gone == pytest.approx(slope, rel=0.05, abs=2e-3)
