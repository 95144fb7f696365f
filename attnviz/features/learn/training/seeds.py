"""The training of one set-up with many seeds, optionally on an executor."""

from collections.abc import Iterable
from concurrent.futures import Executor
from typing import Any, NamedTuple

from attnviz.core.arguments import typed
from attnviz.core.limits import MAX_SEED, check_type, check_whole, in_short
from attnviz.features.learn.training.settings import TrainingSettings
from attnviz.features.learn.training.tasks import kind_of, settings_for
from attnviz.features.learn.training.training import Training, train

MOST_SEEDS = 200


class Outcome(NamedTuple):
    """The result of one seed: its curves, and settings to repeat it.

    `losses` has the loss of each step's examples. The other curves are results on held-out examples, after the kept
    `steps`.
    """

    settings: TrainingSettings
    losses: tuple[float, ...]
    steps: tuple[int, ...]
    held_out_losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    stopped: str = ""

    @property
    def accuracy(self) -> float:
        """The share of right answers at the end."""
        return self.accuracies[-1]


def train_many(
    task: str = "agreement", seeds: Iterable[int] = range(20), executor: Executor | None = None, **settings: Any
) -> list[Outcome]:
    """Train a task with each seed; return the outcomes in their order.

    With an `executor` of ``concurrent.futures``, or one with the same interface, they run there: in processes of one
    machine or, with Dask or Ray, of many. All give the same numbers, as long as the machines compute alike.

    Raises ``ValueError`` for more than 200 seeds, or values outside of their limits.

    >>> [round(outcome.losses[0], 2) for outcome in train_many("agreement", range(2), steps=1)]
    [3.3, 3.33]
    """
    check_type("task", task, str, "the name of a task")
    check_type("seeds", seeds, Iterable, "several whole numbers, such as range(3)")
    if executor is not None and not callable(getattr(executor, "map", None)):
        raise ValueError(f"executor is {in_short(executor)}, expected one of concurrent.futures or its interface")
    kind = kind_of(task)
    asked = [settings_for(kind, **{**settings, "seed": check_whole("seed", seed, 0, MAX_SEED)}) for seed in seeds]
    check_whole("number of seeds", len(asked), 1, MOST_SEEDS)
    if executor is None:
        return list(map(trained, asked))
    return list(executor.map(trained, asked))


def trained(settings: TrainingSettings) -> Outcome:
    """Train, and return the outcome, small enough to pass between processes."""
    return outcome_of(train(settings))


@typed
def outcome_of(training: Training) -> Outcome:
    """Return the curves of a training, without its moments."""
    return Outcome(
        training.settings, training.losses, tuple(moment.step for moment in training.moments),
        tuple(moment.loss for moment in training.moments), tuple(moment.accuracy for moment in training.moments),
        training.stopped,
    )  # fmt: skip
