"""Seeded numbers are PyTorch's own, and embeddings depend on nothing but what they should."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from attnviz import Scenario
from attnviz.core.seeding import EMBEDDINGS, seeded_projections, stable_embedding
from tests.unit.helpers import under_torch_seed

SHAPES = [(1, 1), (3, 2), (2, 5), (4, 4), (16, 16), (17, 64), (64, 1)]
SEEDS = [0, 1, 123, 789, 2**32 - 1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("d_in", "d_out"), SHAPES)
@pytest.mark.parametrize(("init", "draw"), [("uniform", torch.rand), ("normal", torch.randn)])
def test_projections_are_three_draws_after_manual_seed(
    init: str, draw: Callable[..., torch.Tensor], d_in: int, d_out: int, seed: int
) -> None:
    expected = under_torch_seed(seed, lambda: [draw(d_in, d_out) for _ in range(3)])
    drawn = seeded_projections(d_in, d_out, init, seed)
    for ours, theirs in zip(drawn[:3], expected, strict=True):
        assert torch.equal(ours, theirs)
    assert drawn[3:] == (None, None, None)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("d_in", "d_out"), SHAPES)
@pytest.mark.parametrize("bias", [False, True])
def test_linear_projections_are_three_linear_layers(d_in: int, d_out: int, bias: bool, seed: int) -> None:
    layers = under_torch_seed(seed, lambda: [nn.Linear(d_in, d_out, bias=bias) for _ in range(3)])
    drawn = seeded_projections(d_in, d_out, "linear", seed, bias)
    for weight, b, layer in zip(drawn[:3], drawn[3:], layers, strict=True):
        assert torch.equal(weight, layer.weight.T)
        assert (layer.bias is None) if b is None else torch.equal(b, layer.bias)


def _drawn(draw: Callable[..., torch.Tensor], shapes: list[tuple[int, int]]) -> list[torch.Tensor]:
    return [draw(*shape) for shape in shapes]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("d_in", "d_out", "d_v"), [(3, 2, 5), (3, 5, 1), (16, 4, 16), (17, 64, 3)])
def test_values_of_another_width_are_drawn_last_by_the_same_generator(
    d_in: int, d_out: int, d_v: int, bias: bool
) -> None:
    widths = (d_out, d_out, d_v)
    for init, draw in (("uniform", torch.rand), ("normal", torch.randn)):
        expected = under_torch_seed(7, partial(_drawn, draw, [(d_in, width) for width in widths]))
        drawn = seeded_projections(d_in, d_out, init, 7, bias, d_v)
        assert all(torch.equal(ours, theirs) for ours, theirs in zip(drawn[:3], expected, strict=True))
        assert drawn.b_v is None or torch.equal(drawn.b_v, torch.zeros(d_v))
    layers = under_torch_seed(7, lambda: [nn.Linear(d_in, width, bias=bias) for width in widths])
    drawn = seeded_projections(d_in, d_out, "linear", 7, bias, d_v)
    for weight, b, layer in zip(drawn[:3], drawn[3:], layers, strict=True):
        assert torch.equal(weight, layer.weight.T)
        assert (layer.bias is None) if b is None else torch.equal(b, layer.bias)


@pytest.mark.parametrize("init", ["uniform", "normal"])
def test_biases_start_at_zero_and_leave_the_projections_alone(init: str) -> None:
    plain, biased = seeded_projections(3, 2, init, 5), seeded_projections(3, 2, init, 5, bias=True)
    for before, after, bias in zip(plain[:3], biased[:3], biased[3:], strict=True):
        assert torch.equal(before, after)
        assert bias is not None
        assert torch.equal(bias, torch.zeros(2))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("d_in", [1, 3, 16, 33])
def test_table_embeddings_are_the_rows_of_an_embedding_layer(d_in: int, seed: int) -> None:
    tokens = ("the", "cat", "sat", "on", "the", "mat", "Zoe")
    distinct = sorted(set(tokens))
    layer = under_torch_seed(seed, lambda: nn.Embedding(len(distinct), d_in))
    expected = layer(torch.tensor([distinct.index(token) for token in tokens]))
    assert torch.equal(EMBEDDINGS["table"].draw(tokens, d_in, seed), expected)


@pytest.mark.parametrize(
    "setting",
    [
        {"init": "normal"}, {"d_out": 5}, {"causal": True}, {"temperature": 2.0}, {"scale": False},
        {"tokenizer": "whitespace"}, {"bias": True}, {"w_q": "identity"}, {"text": "on the big red cat"},
    ],
)  # fmt: skip
def test_stable_vectors_depend_on_text_d_in_and_seed_alone(setting: dict[str, Any]) -> None:
    before = Scenario(text="the cat", embedding="stable")
    after = Scenario(**{"text": "the cat", "embedding": "stable"} | setting)
    for row, token in enumerate(after.tokens):
        if token in before.tokens:
            assert torch.equal(after.matrix("x")[row], before.matrix("x")[before.tokens.index(token)])


def test_stable_vectors_are_standard_normal() -> None:
    sample = torch.stack([stable_embedding(f"word {i}", 8, 1) for i in range(4000)])
    # 32,000 numbers: the mean has a standard error of 0.0056, the variance one of 0.0079; four of them.
    assert abs(sample.mean().item()) < 0.0224
    assert abs(sample.var().item() - 1) < 0.0316


def test_stable_vectors_are_the_same_in_another_process() -> None:
    other_hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    code = (
        "import attnviz; "
        "print(attnviz.Scenario(text='the cat 猫', embedding='stable', d_in=5, seed=7).matrix('x').tolist())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": other_hash_seed, "PYTHONPATH": ":".join(sys.path), "PYTHONUTF8": "1"},
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert told.stdout.strip() == str(Scenario(text="the cat 猫", d_in=5, seed=7).matrix("x").tolist())
