"""What is drawn is what PyTorch draws, and what is switched on moves no earlier number."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attnviz import Scenario
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.seeding import EMBEDDINGS, position_seed, stable_embedding
from tests.unit.helpers import every_way, setups, under_torch_seed

# What is drawn


@given(setups(whole=True, max_d=64))
def test_all_that_is_learned_is_what_pytorch_draws_in_this_order(setup: Scenario) -> None:
    d_ff = setup.d_ff or 3
    setup = replace(setup, d_ff=d_ff)
    d_v = setup.d_out if setup.d_v is None else setup.d_v
    shapes = {"q": (setup.d_in, setup.d_out), "k": (setup.d_in, setup.d_out), "v": (setup.d_in, d_v), "o": (d_v, d_v),
              "1": (d_v, d_ff), "2": (d_ff, d_v)}  # fmt: skip
    shapes = shapes if setup.output else {name: shape for name, shape in shapes.items() if name != "o"}

    def drawn() -> dict[str, torch.Tensor]:
        matrices: dict[str, torch.Tensor] = {}
        for name, shape in shapes.items():
            biased = setup.bias or name not in "qkv"
            if setup.init == "linear":
                layer = nn.Linear(*shape, bias=biased)
                matrices |= {f"w_{name}": layer.weight.T} | ({f"b_{name}": layer.bias[None]} if biased else {})
            else:
                matrices[f"w_{name}"] = {"uniform": torch.rand, "normal": torch.randn}[setup.init](*shape)
                matrices |= {f"b_{name}": torch.zeros(1, shape[1])} if biased else {}
        return matrices

    expected = under_torch_seed(setup.seed, drawn)
    assert expected.keys() == {name for name in setup.editable if name[:2] in ("w_", "b_")}
    for name, theirs in expected.items():
        assert torch.equal(setup.matrix(name), theirs), name


@pytest.mark.parametrize("off", [
    {"positions": "none", "d_ff": None, "n_layers": 1}, {"n_layers": 1},
    {"reads": "itself", "masking": "none", "causal": False},
], ids=str)  # fmt: skip
@given(every_way() | setups(whole=True, heads=True))
def test_what_is_switched_on_moves_no_earlier_number(off: dict[str, Any], setup: Scenario) -> None:
    plain = replace(setup, edits=(), **off)
    of_places = ("p", "by_distance", "mask") if setup.reads == "kept" else ("mask",)  # of other tokens
    for name in plain.editable:
        if name not in of_places:
            assert torch.equal(setup.matrix(setup.token_matrix if name == "x" else name), plain.matrix(name)), name


@pytest.mark.parametrize("d_in", [1, 2, 3, 16, 33, 64])
@pytest.mark.parametrize("n_tokens", [1, 5, 17, MAX_TOKENS])
def test_sinusoidal_positions_are_the_papers_formula(n_tokens: int, d_in: int) -> None:
    p = Scenario("a " * n_tokens, d_in=d_in, positions="sinusoidal").matrix("p")
    expected = np.zeros((n_tokens, d_in))
    for position in range(n_tokens):
        for column in range(d_in):
            angle = position / 10000 ** (2 * (column // 2) / d_in)
            expected[position, column] = math.cos(angle) if column % 2 else math.sin(angle)
    assert np.array_equal(p.numpy(), expected.astype(np.float32)) or np.abs(p.numpy() - expected).max() <= 2**-24


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40))
def test_seeded_positions_are_the_first_rows_of_an_embedding(seed: int, n_tokens: int, d_in: int) -> None:
    p = Scenario("a " * n_tokens, d_in=d_in, positions="learned", seed=seed).matrix("p")
    table = under_torch_seed(position_seed(seed), lambda: nn.Embedding(MAX_TOKENS, d_in))
    assert torch.equal(p, table.weight[:n_tokens])


SEEDS = [0, 1, 123, 789, 2**32 - 1]


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
