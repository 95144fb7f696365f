"""What is taken home of a training gives the same numbers there, in the playground, and from any executor."""

import html
import json
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from distributed import Client, LocalCluster
from hypothesis import example, given, settings

from attnviz import documents, train_many
from attnviz.commands.main import main
from attnviz.core.scenario import trace
from attnviz.features.learn.page.exports import scenario_of_layer
from attnviz.features.learn.training import TASKS, TrainingSettings, scenario_of, settings_for, train, training_script
from attnviz.features.learn.training.code import numbers
from attnviz.features.learn.training.seeds import Outcome
from attnviz.link.set_up import query_of, scenario_from_query
from tests.examples import examples
from tests.features.learn.unit.test_training import TEXT, asked
from tests.kernels import in_two_processes

EXAMPLES = {"order": "<s> man sees cat , poor", "text": "the dog "}


@given(asked())
@example(settings_for(TASKS["text"], text=TEXT, length=10, steps=12, optimizer="sgd", rates=((5, 0.001),)))
@example(settings_for(TASKS["order"], steps=12, n_layers=3, n_heads=4, norm="post", positions="rotary", d_ff=8))
@settings(max_examples=examples(100), deadline=None)
def test_a_script_trains_the_same_model(asked: TrainingSettings) -> None:
    training, name = train(asked), asked.task
    script = training_script(training, asked.steps, EXAMPLES.get(name))
    assert len(script.splitlines()) < (400 if name == "stories" else 120)  # which has its whole grammar
    assert "torch.nn.functional.cross_entropy(" in script
    assert ("for layer in" in script) == (training.settings.n_layers > 1)  # no loop over one
    assert "path" not in script
    assert not re.search('"""|# (fmt|noqa)', script)  # what is said in it is said by the catalogue
    found: dict[str, Any] = {}
    exec(script, found)
    for matrix, learned in training.at(asked.steps).parameters.items():
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


@given(asked().map(lambda drawn: replace(drawn, d_model=24)))  # as wide as all heads need
@settings(max_examples=examples(100), deadline=None)
def test_all_layers_make_the_same_numbers_in_the_playground(asked: TrainingSettings) -> None:
    training = train(asked)
    made = training.trace(asked.steps)
    scenario = scenario_of(training, made)
    again, ignored = scenario_from_query(query_of(scenario))
    assert ignored == []
    assert again == scenario
    found = trace(again)
    assert found.tokens == made.tokens
    for layer in range(asked.n_layers):
        for head in range(asked.n_heads):
            matrix = training.model.name_of(layer, head, "attention_weights")
            torch.testing.assert_close(found[matrix], made[matrix], rtol=1e-4, atol=1e-5)
        alone, ignored = scenario_from_query(query_of(scenario_of_layer(made, layer)))
        assert (alone.tokens, ignored) == (made.tokens, [])
        weights = made.layers[layer].attention_weights
        torch.testing.assert_close(trace(alone).attention_weights, weights, rtol=1e-4, atol=1e-5)
    before = made.stages["logits"].sources[0]
    assert before == list(found.stages)[-1]
    torch.testing.assert_close(found[before], made[before], rtol=1e-4, atol=1e-4)


def test_a_head_that_is_switched_off_opens_switched_off() -> None:
    training = train("repeat", steps=6)
    made = training.trace(6, without=[(0, 0)])
    found = trace(scenario_of(training, made))
    assert not found["layers.0.output"].any()
    torch.testing.assert_close(found["layers.1.residual_1"], made["layers.1.residual_1"], rtol=1e-4, atol=1e-4)


def test_numbers_travel_in_few_digits_and_come_back_to_the_last_bit() -> None:
    matrix = torch.randn(9, 7, generator=torch.Generator().manual_seed(1))
    rows = numbers(matrix)
    assert torch.equal(torch.tensor(rows), matrix)
    assert max(len(repr(value)) for row in rows for value in row) <= 16


SEEDS = (5, 0, 3)


@contextmanager
def processes(_: Path) -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@contextmanager
def threads(_: Path) -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@contextmanager
def cluster(folder: Path) -> Iterator[Executor]:
    """Two workers on this machine, each a process."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder)) as workers,  # type: ignore[no-untyped-call]
        Client(workers) as client,  # type: ignore[no-untyped-call]
        client.get_executor() as executor,
    ):
        yield executor


@pytest.fixture(scope="module")
def alone() -> list[Outcome]:
    return train_many("order", SEEDS, steps=6, batch_size=4)


@pytest.mark.parametrize("executor", [threads, processes, cluster])
@in_two_processes
def test_many_seeds_are_the_same_to_the_last_bit(executor, alone: list[Outcome], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with executor(tmp_path) as pool:
        assert train_many("order", SEEDS, pool, steps=6, batch_size=4) == alone


def test_each_outcome_is_that_of_its_own_training(alone: list[Outcome]) -> None:
    assert [each.settings.seed for each in alone] == list(SEEDS)
    assert len({each.losses for each in alone}) == len(SEEDS)
    one = train(alone[1].settings)
    assert alone[1].losses == one.losses == train("order", seed=0, steps=6, batch_size=4).losses
    assert alone[1].steps == (0, 1, 2, 3, 4, 5, 6)
    assert alone[1].accuracies == tuple(moment.accuracy for moment in one.moments)
    assert alone[1].accuracy == one.moments[-1].accuracy


def test_a_notebook_shows_the_board_of_its_last_moment() -> None:
    learned = train("agreement", steps=2)
    bundle, last = learned._repr_mimebundle_(), learned.trace(2)
    assert bundle["text/plain"] == repr(learned)
    assert html.escape(documents.board_page(last)) in bundle["text/html"]
