"""Exported code: run in a process of its own, it prints what the trace holds."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from torch import Tensor

from attnviz import Scenario
from attnviz.core.machine import one_thread
from attnviz.core.scenario import traced
from attnviz.export.script import pytorch_script
from tests.examples import examples
from tests.kernels import in_two_processes
from tests.unit.helpers import HOSTILE, overflowing
from tests.unit.rules.test_surfaces import runs

# Runs each script of a JSON list by itself, and prints what each printed as a JSON list.
RUNNER = """
import contextlib, io, json, sys, torch
printed = []
for script in json.load(sys.stdin):
    torch.set_printoptions(profile="default")
    torch.manual_seed(99)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "script", "exec"), {"__name__": "__main__"})
    printed.append(out.getvalue())
assert "attnviz" not in sys.modules
json.dump(printed, sys.stdout)
"""


def run_elsewhere(scripts: list[str], folder: Path) -> list[str]:
    """Run scripts in a fresh process that knows nothing of this one, and return what each prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER], input=json.dumps(scripts), capture_output=True, text=True, cwd=folder,
        env=environment, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def read(printed: str) -> dict[str, np.ndarray]:
    """Read the tensors that a script printed, by the lines above them."""
    _, *parts = re.split(r"^([a-z_\d]+)\n", printed, flags=re.MULTILINE)
    matrices = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):  # of several heads, all rows one below the other
        rows = re.findall(r"\[+([^\[\]]*)\]", text)
        matrices[name] = np.array([[float(cell) for cell in row.replace(",", " ").split()] for row in rows])
    return matrices


SPECIAL = [
    Scenario("Your new cat", embedding="published", init="linear", bias=True, w_k="random:4", b_k="random:5"),
    Scenario("a b", n_heads=2, w_v=[[1.0, 2.0, 3.0, 4.0]] * 3, bias=True, output=True, init="linear", b_v="random:2"),
    Scenario("a b c", edits=[("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)], causal=True),
    Scenario("a b", bias=True, d_in=9, d_out=9, edits=[("b_q", 0, i, i / 7) for i in range(9)]),
    Scenario("the cat " * 55, d_in=2, causal=True),
    *(Scenario(text, tokenizer="characters") for text in HOSTILE),
    Scenario("'''\n\"\"\"\\ # {x} %s", tokenizer="characters", embedding="table"),
]


@pytest.mark.parametrize("scenario", SPECIAL, ids=lambda scenario: ascii(scenario.text[:20]))
def test_the_script_computes_the_trace_is_ascii_but_for_what_was_typed_and_names_no_library_of_ours(
    scenario: Scenario,
) -> None:
    script = pytorch_script(scenario, digits=6)
    runs(script, traced(scenario))
    assert "attnviz" not in script
    assert set(script) - set("".join(scenario.tokens)) <= set(map(chr, range(128)))


@one_thread()
@in_two_processes
def test_several_heads_and_layers_print_every_digit_that_is_on_screen(tmp_path: Path) -> None:
    """All heads at once would add up in another order, and several threads, too."""
    cases = [
        Scenario("the cat chased a small mouse over that old wall"[: 3 * n + 10], d_in=8 * n, d_out=8 * n, n_heads=n,
                 init="linear", output=True, seed=seed, n_layers=layers, norm="sums" if layers > 1 else "none",
                 causal=seed % 2 > 0, positions=positions)
        for n, layers, seed in ((1, 3, 0), (2, 1, 1), (2, 3, 2), (4, 1, 3), (8, 1, 0), (8, 3, 1))
        for positions in ("none", "rotary")
    ]  # fmt: skip
    for scenario, printed in zip(cases, run_elsewhere([pytorch_script(each) for each in cases], tmp_path), strict=True):
        texts = re.split(r"^layers\.\d+\n", printed, flags=re.MULTILINE)[1:] or [printed]
        for text, made in zip(texts, traced(scenario).layers, strict=True):
            for name, got in read(text).items():
                want = made[name].flatten(0, -2)
                shown = [[float(f"{number:.4f}") for number in row] for row in want.tolist()]
                assert got.tolist() == shown, (scenario, name)


def printed_by(script: str) -> Iterator[tuple[int, str, Tensor]]:
    """What a script prints: the layer, the matrix's name and the matrix."""
    told: list[Any] = []
    exec(script, {"print": lambda *each, **_: told.extend(each)})
    layer, name = 0, ""
    for each in told:
        if isinstance(each, Tensor):
            yield layer, name, each
        elif each.startswith("layers."):
            layer = int(each.partition(".")[2])
        else:
            name = each


INFINITE_UNDER_MASK = Scenario("a b c", causal=True, edits=[("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)], seed=3)
LARGE_IN_GELU = Scenario("a b", d_ff=2, activation="gelu", init="normal", edits=[("b_1", 0, 0, 2e38)], bias=True)


@one_thread()
@given(overflowing())
@example(INFINITE_UNDER_MASK)
@example(LARGE_IN_GELU)
@settings(max_examples=examples(200))
def test_where_numbers_overflow_the_script_has_those_of_the_trace(scenario: Scenario) -> None:
    layers = traced(scenario).layers
    for layer, name, matrix in printed_by(pytorch_script(scenario)):
        torch.testing.assert_close(matrix, layers[layer][name], rtol=0, atol=0, equal_nan=True)


def test_a_line_against_overflow_stands_only_where_a_number_overflows() -> None:
    hides, doubles = "masked_fill", "torch.where(preactivations > 9"
    assert hides in pytorch_script(INFINITE_UNDER_MASK)
    assert hides not in pytorch_script(replace(INFINITE_UNDER_MASK, edits=()))
    assert doubles in pytorch_script(LARGE_IN_GELU)
    assert doubles not in pytorch_script(replace(LARGE_IN_GELU, edits=()))


BLOCKS: list[dict[str, Any]] = [
    {"positions": positions, "norm": norm, "mask": mask, "init": "linear", "n_kv_heads": 1, "bias": bias}
    for positions in ("sinusoidal", "learned", "rotary", "alibi", "relative")
    for norm in ("pre", "post")
    for mask in ("causal", "window:2", "padding:1")
    for bias in (True, False)
]


@pytest.mark.parametrize("layers", [{}, {"n_layers": 2}, {"n_layers": 4, "same_layers": True}], ids=str)
@pytest.mark.parametrize("more", [{}, {"embedding_factor": True, "temperature": 0.5, "device": "cuda"}], ids=str)
def test_a_block_is_read_in_one_sitting(layers: dict[str, Any], more: dict[str, Any]) -> None:
    for block in BLOCKS:
        scenario = Scenario("Your journey starts with one step", d_in=4, d_out=4, n_heads=2, output=True, d_ff=8,
                            **block, **layers, **more)  # fmt: skip
        script = pytorch_script(scenario)
        assert len(script.splitlines()) < 81, script
        if not more:  # all that goes to another device is named in one line
            assert max(len(line) for line in script.splitlines() if not line.startswith("#")) <= 150, script
