"""Nothing depends on, or touches, what a process shares: the random generator, default types, other threads."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import torch

import attnviz
from attnviz import Scenario, SelfAttention, available_devices, trace
from attnviz.core.machine import check_device_name

SCENARIOS = [
    Scenario(text=text, embedding=embedding, init=init, seed=seed, d_in=16, d_out=8, bias=bias)
    for seed, (text, embedding, init, bias) in enumerate(
        (text, embedding, init, bias)
        for text in ("the cat sat", "one small step for a cat")
        for embedding in ("stable", "table")
        for init in ("uniform", "linear", "normal")
        for bias in (False, True)
    )
]
NAMES = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


def numbers(scenario: Scenario) -> list[torch.Tensor]:
    made = attnviz.trace(replace(scenario))  # with nothing computed yet
    return [getattr(made, name) for name in NAMES]


def test_threads_with_different_seeds_never_disturb_each_other() -> None:
    alone = [numbers(scenario) for scenario in SCENARIOS]
    start = Barrier(4)

    def work(offset: int) -> list[list[torch.Tensor]]:
        start.wait()
        return [
            numbers(SCENARIOS[(i * (offset + 1)) % len(SCENARIOS)]) for i in range(4 * len(SCENARIOS))
        ]  # each thread in an order of its own

    with ThreadPoolExecutor(4) as pool:
        for offset, made in enumerate(pool.map(work, range(4))):
            for i, got in enumerate(made):
                expected = alone[(i * (offset + 1)) % len(SCENARIOS)]
                assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_trace_leaves_torchs_generator_alone(scenario: Scenario) -> None:
    seed, state = torch.initial_seed(), torch.get_rng_state()
    numbers(scenario)
    attnviz.trace(Scenario(x="random:1", w_q="random:2"))
    SelfAttention(3, 2, seed=5, init=scenario.init)(torch.ones(2, 3))
    assert torch.initial_seed() == seed
    assert torch.equal(torch.get_rng_state(), state)


def test_defaults_of_the_process_change_no_number() -> None:
    code = textwrap.dedent(f"""
        import torch, attnviz
        questions = (
            dict(text="one small step", embedding="published", bias=True),
            dict(text="a b a", embedding="table", init="linear", bias=True, causal=True, edits=[("w_q", 0, 0, 0.5)]),
            dict(text="a b", init="normal", x="random:3", w_q="identity", w_k="zeros", w_v=[[1, 2], [3, 4], [5, 6]]),
            dict(text="a b", bias=True, w_v=[[1], [2], [3]]),
        )
        def numbers():
            made = [attnviz.trace(attnviz.Scenario(**question)) for question in questions]
            module = attnviz.SelfAttention(3, 2, init="linear", bias=True)
            return [getattr(one, name) for one in made for name in {NAMES}] + list(module.parameters())
        def unchanged():
            for a, b in zip(before, numbers(), strict=True):
                assert b.dtype == torch.float32 and b.device.type == "cpu", (b.dtype, b.device)
                assert torch.equal(a, b)
        before = numbers()
        torch.set_default_dtype(torch.float64)
        unchanged()
        torch.set_default_dtype(torch.float32)
        torch.set_default_device("meta")
        unchanged()
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_only_the_page_of_a_real_model_imports_transformers() -> None:
    """It takes seconds: neither the package, nor the app that starts, nor any other page waits for it."""
    code = textwrap.dedent("""
        import sys
        import attnviz, app
        from tests.pages.reader import PAGES, Reader
        last = "pages/model.py"
        for page in (*PAGES[:2], last):
            Reader(page)
            print(page, "transformers" in sys.modules)
    """)
    root = Path(__file__).parents[3]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=root)
    assert run.returncode == 0, run.stderr
    imported = dict(line.split() for line in run.stdout.splitlines() if line.startswith("pages/"))
    assert len(imported) == 3
    assert [page for page, has in imported.items() if has == "True"] == ["pages/model.py"]


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
