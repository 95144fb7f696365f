"""Devices: what is there is used, what is not falls back with a notice, what is no device is an error."""

from typing import Any

import pytest
import torch

from attnviz import Scenario, available_devices, trace
from attnviz.core.trace import check_device_name

CPU = torch.device("cpu")
NAMES = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


@pytest.mark.parametrize(
    "name", ["", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:a", "cuda:1234", "cpu:0", "cuda:0 ", None, 0]
)
def test_a_name_that_is_no_device_is_an_error_that_names_it(name: object) -> None:
    with pytest.raises(ValueError, match="Take one of these: cpu, mps, cuda, cuda:N") as caught:
        check_device_name(name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize(("name", "full"), [("cpu", "cpu"), ("cuda", "cuda:0"), ("cuda:3", "cuda:3"), ("mps", "mps")])
def test_a_device_has_one_full_name(name: str, full: str) -> None:
    assert check_device_name(name) == full
    assert Scenario(device=name).device == full


def test_available_devices_are_those_that_torch_can_compute_on() -> None:
    for name in available_devices():
        assert torch.ones(2, device=name).sum().item() == 2


@pytest.mark.cuda
@pytest.mark.parametrize("init", ["uniform", "linear", "normal"])
@pytest.mark.parametrize("embedding", ["stable", "table", "published"])
@pytest.mark.parametrize(
    "settings", [{}, {"causal": True, "bias": True, "temperature": 0.5}, {"d_in": 64, "d_out": 64}]
)
def test_cuda_gives_the_numbers_of_the_cpu(init: str, embedding: str, settings: dict[str, Any]) -> None:
    on_cpu, on_cuda = (
        trace(Scenario(init=init, embedding=embedding, device=device, **settings)) for device in ("cpu", "cuda")
    )
    assert on_cuda.notices == ()
    for name in NAMES:
        computed = getattr(on_cuda, name)
        assert computed.device == torch.device("cuda:0")
        assert computed.dtype == torch.float32
        if name in ("x", "w_q", "w_k", "w_v"):
            assert torch.equal(computed.cpu(), getattr(on_cpu, name)), name
        torch.testing.assert_close(computed.cpu(), getattr(on_cpu, name), rtol=1e-4, atol=1e-4)
