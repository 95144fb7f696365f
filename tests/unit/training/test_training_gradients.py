"""Losses and gradients of tasks and settings drawn at random are those of plain torch."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz.training import TASKS, Training, TrainingSettings, settings_for, train
from attnviz.training.settings import LEARNED_POSITIONS, MODEL_NORMS, OPTIMIZERS
from tests.examples import examples
from tests.unit.training.test_training import SETTINGS, plainly

STEPS = 2


@st.composite
def asked(draw: st.DrawFn) -> TrainingSettings:
    """Any task, any model and any way to learn it, so small that much of it can be tried."""
    name = draw(st.sampled_from(sorted(TASKS)))
    n_heads, positions = draw(st.integers(1, 4)), draw(st.sampled_from(LEARNED_POSITIONS))
    own = draw(st.integers(1, 3)) * (2 if positions == "rotary" else 1)
    more: dict[str, Any] = {
        "n_layers": st.integers(1, 3), "d_model": st.integers(3, 12), "norm": st.sampled_from(MODEL_NORMS),
        "d_ff": st.none() | st.integers(1, 8), "activation": st.sampled_from(("relu", "gelu")),
        "tied": st.booleans(), "bias": st.booleans(), "heads_alike": st.booleans(), "batch_size": st.integers(1, 4),
        "seed": st.integers(0, 2**32 - 1), "optimizer": st.sampled_from(OPTIMIZERS),
        "learning_rate": st.floats(0.001, 0.05), "frozen": st.sampled_from(((), ("w_e",))),
    }  # fmt: skip
    drawn = {each: draw(kind) for each, kind in more.items()}
    return settings_for(
        TASKS[name], steps=STEPS, n_heads=n_heads, d_k=n_heads * own, positions=positions,
        **SETTINGS.get(name, {}), **drawn,
    )  # fmt: skip


def in_float64(training: Training) -> dict[str, Tensor]:
    return {name: each.double() for name, each in training.at(STEPS).parameters.items()}


@given(asked())
@settings(max_examples=examples(250), deadline=None)
def test_every_gradient_is_that_of_plain_torch(asked: TrainingSettings) -> None:
    training = train(asked)
    found = training.gradients(STEPS, torch.float64)
    parameters = {name: each.requires_grad_() for name, each in in_float64(training).items()}
    loss = plainly(training, training.model.examples(STEPS), parameters)
    wanted = torch.autograd.grad(loss, list(parameters.values()))
    before = plainly(training, training.model.examples(1), training.at(1).parameters)
    assert training.losses[1] == pytest.approx(before.item(), rel=1e-4)
    assert found.loss == pytest.approx(loss.item(), rel=1e-10)
    assert found.of.keys() == parameters.keys()
    for (name, gradient), want in zip(found.of.items(), wanted, strict=True):
        torch.testing.assert_close(gradient, want, rtol=1e-7, atol=1e-10, msg=name)
