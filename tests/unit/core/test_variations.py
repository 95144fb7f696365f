"""Variants of attention against torch and against laws."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Edit, Scenario, trace
from attnviz.core.carried import edit_matrix
from attnviz.core.seeding import sinusoidal_positions
from attnviz.teach.variations import next_token_loss, training_step, with_matrix, with_stage_of_positions


@given(st.lists(st.decimals(-1000, 1000, places=3).map(float), max_size=4), st.booleans())
def test_positions_of_an_older_link_become_the_stage(values: list[float], as_edits: bool) -> None:
    """Older links hold E + P as X: as its numbers, with edits on top, or as edits of the numbers that are drawn."""
    plain = Scenario("dog bites man", d_in=4, init="normal", seed=9)
    sums = plain.matrix("x") + sinusoidal_positions(3, 4)
    if as_edits:
        old, values = edit_matrix(plain, "x", sums), []
    else:
        own = [
            float(str(np.float32(value + sums[i, i] - plain.matrix("x")[i, i]))) for i, value in enumerate(values[:3])
        ]
        edits = tuple(Edit("x", i, i, value) for i, value in enumerate(own))
        old = replace(plain, x=tuple(map(tuple, sums.tolist())), edits=edits)
    new = with_stage_of_positions(old)
    assert (new.positions, new.x) == ("sinusoidal", None)
    torch.testing.assert_close(new.inputs, old.matrix("x"), rtol=1e-6, atol=1e-6)
    assert {(edit.matrix, edit.row, edit.column) for edit in new.edits} == {("e", i, i) for i in range(len(values[:3]))}
    assert with_stage_of_positions(plain) == plain
    assert with_stage_of_positions(new) == new


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
