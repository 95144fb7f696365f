"""What is taken home of a training gives the same numbers there, and the command line shows its curves."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
import safetensors.torch
import torch

from attnviz.commands.main import main
from attnviz.training import (
    Training,
    moment_steps,
    train,
    training_notebook,
    training_script,
)

TEXT = "the cat sat on the mat. the dog sat on the log. " * 3
TAKEN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("agreement", {}),
    ("repeat", {"batch_size": 8}),
    ("sort", {"n_heads": 2, "norm": "pre", "d_ff": 8, "tied": True, "bias": False}),
    ("order", {"n_layers": 3, "n_heads": 4, "norm": "post", "positions": "rotary", "d_ff": 8, "activation": "gelu"}),
    ("text", {"text": TEXT, "length": 10, "n_heads": 2, "heads_alike": True, "frozen": ("b_u",), "optimizer": "sgd",
              "rates": ((5, 0.001),)}),
)  # fmt: skip
EXAMPLES = {"order": "<s> man sees cat , poor", "text": "the dog "}


def ran(script: str, folder: Path) -> str:
    """What a script prints, in a process of its own, without this package."""
    file = folder / "script.py"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", file], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


def held_to(printed: str, training: Training, step: int, text: str | None) -> None:
    """Losses and attention weights are there, to four decimals."""
    losses = re.findall(r"step (\d+): loss ([\d.]+)", printed)
    assert [int(at) for at, _ in losses] == [at for at in moment_steps(training.settings.steps) if at < step]
    assert all(loss == f"{training.losses[int(at)]:.4f}" for at, loss in losses)
    trace = training.trace(step, text)
    read = [name for name in trace.matrices if name.endswith("attention_weights")]
    matrices = re.findall(r"tensor\((.*?)\)$", printed, re.DOTALL | re.MULTILINE)
    assert len(matrices) == len(read) == training.settings.n_layers * training.settings.n_heads
    for matrix, name in zip(matrices, read, strict=True):
        torch.testing.assert_close(torch.tensor(json.loads(matrix)), trace[name], rtol=0, atol=6e-5)


@pytest.mark.parametrize(("name", "settings"), TAKEN, ids=lambda case: str(case)[:20])
def test_a_script_trains_the_same_model(name: str, settings: dict[str, Any]) -> None:
    training, text = train(name, steps=12, **settings), EXAMPLES.get(name)
    script = training_script(training, 12, text)
    assert len(script.splitlines()) < 120
    assert "torch.nn.functional.cross_entropy(" in script
    assert ("for layer in" in script) == (training.settings.n_layers > 1)  # no loop over one
    assert "path" not in script
    found: dict[str, Any] = {}
    exec(script, found)
    for matrix, learned in training.at(12).parameters.items():
        assert torch.equal(found["w"][matrix], learned), matrix  # to the last bit


def test_a_script_prints_the_same_numbers_in_a_process_of_its_own(tmp_path: Path) -> None:
    training = train("order", steps=70, n_layers=2, n_heads=2)
    held_to(ran(training_script(training, 65), tmp_path), training, training.at(65).step, None)
    assert "attnviz" not in training_script(training)


LARGE: dict[str, Any] = {
    "steps": 3,
    "d_model": 64,
    "d_k": 64,
    "d_ff": 64,
    "n_layers": 2,
    "n_heads": 4,
    "batch_size": 64,
}
_IN_ANOTHER_PROCESS = f"""
import torch
from attnviz import train
from attnviz.training import training_script
training, found = train("repeat", **{LARGE}), {{}}
exec(training_script(training), found)
assert all(torch.equal(found["w"][name], each) for name, each in training.at(3).parameters.items())
print(training.losses, training.moments[-1][2:])
print([each.double().sum().item() for each in training.at(3).parameters.values()])
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_numbers_are_the_same_however_many_threads_torch_has(threads: str | None) -> None:
    """Of sums that several threads share, the last bits would be others: from some size on, they would share these."""
    given = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    own = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads} if threads else {}
    done = subprocess.run(
        [sys.executable, "-c", _IN_ANOTHER_PROCESS], env=given | own,
        capture_output=True, text=True, check=True, timeout=120, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    training = train("repeat", **LARGE)
    sums = [each.double().sum().item() for each in training.at(3).parameters.values()]
    said = done.stdout.splitlines()[-2:]
    assert said == [f"{training.losses} {training.moments[-1][2:]}", str(sums)]


def test_a_notebook_holds_the_same_lines() -> None:
    training = train("agreement", steps=2)
    notebook = nbformat.reads(training_notebook(training), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    script = "\n".join(line for line in training_script(training).splitlines() if not line.startswith("# "))
    assert re.sub(r"\n+", "\n", code).strip() == re.sub(r"\n+", "\n", script).strip()


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
        (["text", "--text", ""], 2, "text has 0 characters, expected at least 8"),
        (["text", "--text", "word", "--cut", "words"], 2, "text has 1 words, expected at least 8"),
        (["agreement", "--steps", "0"], 2, "0 can't be steps: take a whole number from 1 to 5000"),
    ],
)
def test_what_cannot_be_learned_is_said_on_the_command_line(
    arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *arguments]) == status
    assert said in capsys.readouterr().err


def test_a_file_that_is_too_long_or_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "text.txt"
    for content, said in ((b"a" * 20_001, "20001 characters, expected at most 20000"), (b"\xff\xfe\x00", "is no text")):
        file.write_bytes(content)
        assert main(["train", "text", "--file", str(file)]) == 2
        assert said in capsys.readouterr().err
    printed = []
    for mark, end in ((b"", "\n"), (b"\xef\xbb\xbf", "\r\n")):  # and as Windows writes it
        file.write_bytes(mark + TEXT.replace(". ", f".{end}").encode())
        assert main(["train", "text", "--file", str(file), "--steps", "1"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


class Terminal(io.StringIO):
    """What is drawn on a terminal, or into a file."""

    def __init__(self, shown: bool) -> None:
        super().__init__()
        self.shown = shown

    def isatty(self) -> bool:
        return self.shown


def test_a_progress_bar_is_drawn_on_a_terminal_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("attnviz.commands.training._REDRAWN", 0)
    drawn = {}
    for shown in (True, False):
        terminal = Terminal(shown)
        monkeypatch.setattr("sys.stderr", terminal)
        assert main(["train", "agreement", "--steps", "4"]) == 0
        drawn[shown] = terminal.getvalue()
    assert drawn[False] == ""
    assert drawn[True].endswith("\n")
    bars = drawn[True].strip().split("\r")
    losses = train("agreement", steps=4).losses
    assert [bar.split("] ")[0].count("#") for bar in bars] == [7, 15, 22, 30]
    for step, (bar, loss) in enumerate(zip(bars, losses, strict=True), 1):
        assert f"] step {step} of 4, loss {loss:.4f}, " in bar
    assert bars[-1].endswith("0.0 s left")
    assert "step" in capsys.readouterr().out
