"""Each step of the chain rule adds up to autograd's number, and a finite difference of the loss is the same."""

from typing import Any

import pytest
import torch

from attnviz.features.learn.training import Training, chain, finite_difference, train

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "agreement": ("agreement", {}),
    "two layers": ("repeat", {}),
    "wide": ("sort", {"norm": "pre", "d_ff": 8}),
    "rotary": ("agreement", {"positions": "rotary"}),
    "heads": ("agreement", {"n_heads": 2, "positions": "rotary", "d_k": 8}),
    "layers of heads": ("repeat", {"n_heads": 2, "norm": "post", "tied": True}),
}


@pytest.fixture(scope="module", params=MODELS, ids=str)
def training(request: pytest.FixtureRequest) -> Training:
    task, settings = MODELS[request.param]
    return train(task, steps=20, **settings)


def test_the_terms_of_each_link_are_autograds_gradient(training: Training) -> None:
    trace, gradients = training.trace(20), training.gradients_of(20)
    for matrix, shape in training.model.shapes.items():
        if len(shape) == 1:
            continue
        largest = divmod(int(gradients[matrix].abs().argmax()), shape[1])
        for row, column in {largest, (0, 0), (shape[0] // 2, shape[1] - 1)}:
            links = chain(trace, gradients, matrix, row, column)
            for link in links[:-1]:
                assert link.terms
                torch.testing.assert_close(link.sum, link.gradient, rtol=1e-4, atol=1e-7)
            assert not links[-1].terms


@pytest.mark.parametrize("own", ["w_q", "w_k", "w_v", "w_o"])
def test_in_every_model_the_matrices_of_a_head_are_followed_to_its_output(training: Training, own: str) -> None:
    """Several heads and rotary positions among them: no number of a head is left to autograd alone."""
    trace, gradients = training.trace(20), training.gradients_of(20)
    settings = training.settings
    matrix = training.model.name_of(settings.n_layers - 1, None, own)
    output = training.model.name_of(settings.n_layers - 1, None, "output")
    for column in range(training.model.shapes[matrix][1]):
        way = [link.place.matrix for link in chain(trace, gradients, matrix, 1, column)]
        assert output in way
        if own in ("w_q", "w_k"):
            head = column // (settings.d_k // settings.n_heads)
            assert training.model.name_of(settings.n_layers - 1, head, "attention_weights") in way
        turned = [name for name in way if name.endswith("_rotated")]
        assert len(turned) == (settings.positions == "rotary" and own in ("w_q", "w_k"))


def test_a_finite_difference_is_autograds_gradient(training: Training) -> None:
    gradients = training.gradients_of(20)
    for matrix in training.model.shapes:
        gradient = gradients[matrix] if gradients[matrix].dim() > 1 else gradients[matrix][None]
        row, column = divmod(int(gradient.abs().argmax()), gradient.shape[1])
        measured = finite_difference(training, 20, matrix, row, column)
        assert measured == pytest.approx(gradient[row, column].item(), rel=1e-3, abs=1e-6), matrix
