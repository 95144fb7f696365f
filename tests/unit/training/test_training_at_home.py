"""What is taken home of a training gives the same numbers there, and the command line shows its curves."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from attnviz.commands.main import main
from attnviz.training import train, training_script

TEXT = "the cat sat on the mat. the dog sat on the log. " * 3
TAKEN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("agreement", {}),
    ("repeat", {"batch_size": 8}),
    ("stories", {"batch_size": 4}),
    ("sort", {"n_heads": 2, "norm": "pre", "d_ff": 8, "tied": True, "bias": False}),
    ("order", {"n_layers": 3, "n_heads": 4, "norm": "post", "positions": "rotary", "d_ff": 8, "activation": "gelu"}),
    ("text", {"text": TEXT, "length": 10, "n_heads": 2, "heads_alike": True, "frozen": ("b_u",), "optimizer": "sgd",
              "rates": ((5, 0.001),)}),
)  # fmt: skip
EXAMPLES = {"order": "<s> man sees cat , poor", "text": "the dog "}


@pytest.mark.parametrize(("name", "settings"), TAKEN, ids=lambda case: str(case)[:20])
def test_a_script_trains_the_same_model(name: str, settings: dict[str, Any]) -> None:
    training, text = train(name, steps=12, **settings), EXAMPLES.get(name)
    script = training_script(training, 12, text)
    assert len(script.splitlines()) < (400 if name == "stories" else 120)  # which has its whole grammar
    assert "torch.nn.functional.cross_entropy(" in script
    assert ("for layer in" in script) == (training.settings.n_layers > 1)  # no loop over one
    assert "path" not in script
    assert not re.search('"""|# (fmt|noqa)', script)  # what is said in it is said by the catalogue
    found: dict[str, Any] = {}
    exec(script, found)
    for matrix, learned in training.at(12).parameters.items():
        assert torch.equal(found["w"][matrix], learned), matrix  # to the last bit


def test_the_command_trains_and_shows_its_curves(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script, tensors = tmp_path / "script.py", tmp_path / "learned.safetensors"
    files = ["--script", str(script), "--tensors", str(tensors)]
    assert main(["train", "agreement", "--steps", "5", "--seed", "2", "--json", *files]) == 0
    out, _ = capsys.readouterr()
    said, same = json.loads(out), train("agreement", steps=5, seed=2)
    assert said["losses"] == list(same.losses)
    assert said["settings"]["seed"] == 2
    assert [at["step"] for at in said["moments"]] == [0, 1, 2, 3, 4, 5]
    assert script.read_text(encoding="utf-8") == training_script(same)
    held = safetensors.torch.load(tensors.read_bytes())
    assert all(torch.equal(held[name], each) for name, each in same.at(5).parameters.items())
    assert main(["train", "agreement", "--steps", "20", "--until", "3", "--json"]) == 0  # as one that was stopped
    assert json.loads(capsys.readouterr().out)["losses"] == list(train("agreement", steps=20).losses[:3])
    assert main(["train", "order", "--steps", "3", "--no-bias"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["step", "held-out", "loss", "right", "bitten"]
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["agreement", "--learning-rate", "1e9", "--steps", "9"], 1, "is no finite number. It ends here."),
        (["text", "--text", ""], 2, "has only 0 tokens, and at least 8 are needed"),
        (["text", "--text", "word", "--cut", "words"], 2, "has only 1 token, and at least 8 are needed"),
        (["agreement", "--steps", "0"], 2, "0 can't be steps: take a whole number from 1 to 5000"),
    ],
)
def test_what_cannot_be_learned_is_said_on_the_command_line(
    arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *arguments]) == status
    assert said in capsys.readouterr().err
