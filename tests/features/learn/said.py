"""Data about trainings for tests of the whole app."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import attnviz
from attnviz.core.trace import Trace
from attnviz.features.learn import training
from attnviz.features.learn.page.running import shared
from attnviz.features.learn.training import (
    Model,
    TrainingSettings,
    train,
    training_notebook,
    training_script,
)
from attnviz.words import say
from tests.pages.reader import Reader

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/learn/training/code.py": "writes Python",
    "attnviz/features/learn/commands.py": "writes a command line's help",
}
# Calls that raise a refusal, for tests/unit/core/test_refused.py.
RAISERS: Mapping[str, Callable[[], object]] = {
    "what no model freezes": lambda: Model.of(TrainingSettings(frozen=("w_x",)))
}
# Component -> (type of its data, file that declares it), for tests/pages/session/test_sent_types.py.
TYPES = {
    "attnviz_learn_kept": ("Data", "attnviz/features/learn/page/scripts/moment_store.js"),
    "attnviz_learn_seeds": ("Data", "attnviz/features/learn/page/scripts/seeds.js"),
    "attnviz_learn_time": ("Data", "attnviz/features/learn/page/scripts/time.js"),
}


def readers() -> list[Reader]:
    """Return readers who see each component of the page."""
    from tests.features.learn.pages.test_learn_closer import with_seeds  # imported late: it imports this file

    return [Reader("pages/learn.py").press(say("learn.one_step")), with_seeds()]


def held() -> list[object]:
    """Return objects that sessions share, for tests/unit/server/test_server.py."""
    return [shared()]


def traces() -> list[Trace]:
    """Return traces that a board draws, for tests/unit/rules/test_every_rule.py."""
    return [
        train("agreement", steps=1).trace(1, "the keys near"),
        train("order", steps=1, n_layers=2, n_heads=2, d_ff=3, tied=True, batch_size=2).trace(1),
    ]


def taken_home() -> dict[str, str]:
    """Return files that readers save, for tests/unit/project/test_words.py."""
    made = train("agreement", steps=2)
    return {"training notebook": training_notebook(made), "trained script": training_script(made)}


# Classes that functions return, and calls, for tests/unit/project/public_calls.py and test_wrong_types.py.
RETURNED = {
    "Ablation", "Batch", "Gradients", "Link", "Model", "Moment", "Outcome", "Place", "Step", "StepTaken", "Task",
    "Term", "Training", "Update",
}  # fmt: skip


@cache
def trained() -> Any:
    return attnviz.train("agreement", steps=1, seed=0)


@cache
def learner() -> Any:
    made = training.Learner(TrainingSettings(steps=1))
    made.advance()
    return made


BY_NAME: Mapping[str, Callable[[], Any]] = {
    "gradients": lambda: trained().gradients_of(0),
    "learner": learner,
    "settings": lambda: TrainingSettings(steps=1),
    "task": lambda: "agreement",
    "training": trained,
}
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "chain": {"trace": lambda: trained().trace(0), "matrix": lambda: "q"},
    "finite_difference": {"matrix": lambda: "w_q"},
    "generate": {"text": lambda: "the keys", "n": lambda: 1},
    "scenario_of": {"trace": lambda: trained().trace(0)},
    "settings_for": {"task": lambda: training.TASKS["agreement"]},
    "train": {"steps": lambda: 1},
    "train_many": {"seeds": lambda: (0,), "steps": lambda: 1},
}
HELD: Mapping[str, Callable[[], Any]] = {"Training": trained}
NAMED = {"train", "train_many"}
WRONG: Mapping[str, Callable[[], Any]] = {
    "task is ['agreement'], expected the name of a task": lambda: attnviz.train(["agreement"]),  # type: ignore[arg-type]
    "'w_x' can't be matrix. Take one of these: w_e": lambda: train("agreement", steps=1).gradients(0)["w_x"],
    "seeds is 3, expected several whole numbers": lambda: attnviz.train_many("agreement", 3),  # type: ignore[arg-type]
}
