"""The command that trains a small model and exports it."""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from attnviz.commands import Parser
from attnviz.core.limits import MAX_TEXT_CHARACTERS
from attnviz.features.learn.training import (
    TASKS,
    Learner,
    Training,
    TrainingSettings,
    finished,
    moment_safetensors,
    settings_for,
    training_script,
)
from attnviz.words.numbers import DEFAULT_DIGITS, for_json, written

_ROWS = 12  # moments that are printed; --json has all of them
_BAR = 30  # width of the progress bar, in characters
_REDRAWN = 0.1  # seconds between two drawings of the progress bar
_NOT_ASKED = ("task", "frozen", "rates")


def learn(arguments: Sequence[str]) -> int:
    """Train and print the curves; return 1 if the loss isn't finite."""
    given = _parser().parse_args(arguments)
    learner = Learner(_asked(given))
    _watched(learner, sys.stderr)
    training = finished(learner)
    _write(training, given)
    if training.stopped:
        print(f"attnviz: the loss of step {len(training.losses)} is no finite number. It ends here.", file=sys.stderr)
        return 1
    return 0


def _parser() -> Parser:
    parser = Parser("train")
    parser.add_argument("task", choices=tuple(TASKS))
    for field in fields(TrainingSettings):
        if field.name not in _NOT_ASKED:
            _add(parser, field.name, field.default)
    parser.add("--file", type=Path)
    parser.add("--json", action="store_true")
    parser.add("--script", type=Path, metavar="FILE")
    parser.add("--tensors", type=Path, metavar="FILE")
    return parser


def _add(parser: Parser, name: str, default: Any) -> None:
    flag = f"--{name.replace('_', '-')}"
    assert default is not MISSING
    if isinstance(default, bool):
        parser.add(flag, action=argparse.BooleanOptionalAction)
    else:
        kind = str if isinstance(default, str) else float if isinstance(default, float) else int
        parser.add(flag, type=kind)


def _asked(given: argparse.Namespace) -> TrainingSettings:
    names = (field.name for field in fields(TrainingSettings) if field.name not in _NOT_ASKED)
    settings = {name: value for name in names if (value := getattr(given, name)) is not None}
    if given.file is not None:
        with given.file.open(encoding="utf-8-sig") as file:
            try:
                settings["text"] = file.read(MAX_TEXT_CHARACTERS + 1)
            except UnicodeDecodeError:
                raise ValueError(f"{given.file} is no text, expected one in UTF-8") from None
    return settings_for(TASKS[given.task], **settings)


def _watched(learner: Learner, shown: TextIO) -> None:
    """Train to the end; show the progress if it's a terminal."""
    start = drawn = time.monotonic()
    for step in learner.steps():
        now = time.monotonic()
        if shown.isatty() and (now - drawn > _REDRAWN or learner.done):
            drawn = now
            shown.write(f"\r{progress(step.step, learner.settings.end, step.loss, now - start)}")
    if shown.isatty():
        shown.write("\n")


def progress(step: int, steps: int, loss: float, seconds: float) -> str:
    """Return a line with the progress of a training."""
    done = _BAR * step // steps
    left = seconds / max(step, 1) * (steps - step)
    told = written(loss, DEFAULT_DIGITS)
    return f"[{'#' * done}{' ' * (_BAR - done)}] step {step} of {steps}, loss {told}, {left:.1f} s left "


def _write(training: Training, given: argparse.Namespace) -> None:
    if given.script is not None:
        given.script.write_text(training_script(training), encoding="utf-8")
    if given.tensors is not None:
        given.tensors.write_bytes(moment_safetensors(training, len(training.losses)))
    print(_json(training) if given.json else curves(training))


def _json(training: Training) -> str:
    moments = [
        {"step": at.step, "loss": for_json(at.loss), "accuracy": at.accuracy,
         "figures": {name: for_json(value) for name, value in at.figures.items()}}
        for at in training.moments
    ]  # fmt: skip
    said = {"settings": asdict(training.settings), "losses": training.losses, "moments": moments}
    return json.dumps(said | {"stopped": training.stopped})


def curves(training: Training) -> str:
    """Return a table of loss, accuracy and heads' figures on held-out examples."""
    last = len(training.moments) - 1
    places = sorted({round(i * last / (_ROWS - 1)) for i in range(_ROWS)})
    rows = [
        {"step": at.step, "held-out loss": at.loss, "right": at.accuracy, **at.figures}
        for at in (training.moments[place] for place in places)
    ]
    return pd.DataFrame(rows).to_string(index=False, float_format=lambda value: written(value, DEFAULT_DIGITS))
