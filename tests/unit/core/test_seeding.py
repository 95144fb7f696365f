"""Seeded numbers are PyTorch's own, and embeddings depend on nothing but what they should."""

import os
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from attnviz import Scenario
from attnviz.core.seeding import EMBEDDINGS, stable_embedding
from tests.unit.helpers import under_torch_seed

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
