"""Training step by step, with the model kept at some moments."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.layers import in_layer
from attnviz.core.limits import RefusedError, check_whole
from attnviz.core.machine import one_thread
from attnviz.core.seeding import generator_for
from attnviz.core.stages import Table, head_name
from attnviz.core.trace import run
from attnviz.features.learn.training.model import drawn_parameters, mask_of, model_table, of_text, shapes_in
from attnviz.features.learn.training.settings import MAX_STEPS, TrainingSettings, check_rate
from attnviz.features.learn.training.tasks import Batch, Task, Weights, task_of

MOMENTS = 64  # kept moments, at most; fewer if they don't fit into MOST_BYTES
MOST_BYTES = 5 * 2**20 - 2**18  # for all kept moments; with losses and text, a finished training takes 5 MiB at most
BETAS = (0.9, 0.99)  # decay rates of Adam's running means
STRIDE = 1_000_003  # difference between the seeds of two successive steps' examples


class Moment(NamedTuple):
    """A model after `step` steps, and its results on held-out examples."""

    step: int
    parameters: Mapping[str, Tensor]
    loss: float
    accuracy: float
    figures: Mapping[str, float]

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages."""
        return f"Moment(step={self.step}, loss={self.loss:.4f}, accuracy={self.accuracy:.2f}, figures={self.figures})"


class Step(NamedTuple):
    """A step: its number, the loss before it, and the moment kept."""

    step: int
    loss: float
    moment: Moment | None


@dataclass(frozen=True, repr=False)
class Model:
    """A task and the table of the model that learns it."""

    settings: TrainingSettings
    task: Task
    table: Table

    @classmethod
    def of(cls, settings: TrainingSettings) -> "Model":
        """Return the model that these settings train; ``ValueError`` for unusable ones."""
        task = task_of(settings)
        plain = replace(settings, seed=0, steps=1, until=None, text="", frozen=(), rates=())
        model = cls(settings, task, model_table(plain, task.vocabulary))
        for name in settings.frozen:
            if name not in model.shapes:
                raise RefusedError("no_such_frozen", value=name)
        if set(model.shapes) <= set(settings.frozen):
            raise RefusedError("all_frozen")
        return model

    def __repr__(self) -> str:
        """Return a short description, without the text it learns."""
        return f"Model({self.settings.task!r}, {len(self.shapes)} matrices, {self.n_numbers} numbers)"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each learned matrix, in the order of the table."""
        return shapes_in(self.settings, len(self.task.vocabulary), self.task.length, self.table)

    @property
    def n_numbers(self) -> int:
        """The number of numbers it learns."""
        return sum(math.prod(shape) for shape in self.shapes.values())

    def on(self, batch: Batch, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return all matrices for a batch; each "loss" is a text's share."""
        ids = batch.ids.tolist()
        table = of_text(self.table, _nested(ids), batch.ids.shape[1], _nested([each[1:] for each in ids]))
        dtype = next(iter(parameters.values())).dtype
        counted = batch.counted.to(dtype)[:, None, :] / batch.counted.sum()
        return run(table, {**parameters, **mask_of(table, batch.ids.shape[1]), "counted": counted})

    def examples(self, step: int) -> Batch:
        """Return the examples of a step, by seed and step alone."""
        generator = generator_for(examples_seed(self.settings.seed, step))
        return self.task.draw(self.settings.batch_size, generator)

    def weights_in(self, matrices: Mapping[str, Tensor]) -> Weights:
        """Return each head's attention weights by layer and head index."""
        return {
            (layer, head): matrices[self.name_of(layer, head, "attention_weights")]
            for layer in range(self.settings.n_layers)
            for head in range(self.settings.n_heads)
        }

    def name_of(self, layer: int, head: int | None, name: str) -> str:
        """Return the name of a layer's or head's matrix in the table."""
        own = head_name(head, name) if head is not None and self.settings.n_heads > 1 else name
        return in_layer(layer, own) if self.settings.n_layers > 1 else own

    @one_thread()
    def judged(self, step: int, parameters: Mapping[str, Tensor]) -> Moment:
        """Return a moment, with the model's results on held-out examples."""
        batch = _held_out(self.task)
        with torch.no_grad():
            made = self.on(batch, parameters)
            right = self.task.right(made["probabilities"][:, :-1].argmax(-1), batch.ids[:, 1:])[batch.foretold]
            figures = self.task.measured(batch, self.weights_in(made))
        kept = {name: matrix.detach().clone() for name, matrix in parameters.items()}
        return Moment(step, kept, made["loss"].sum().item(), right.float().mean().item(), figures)


@lru_cache(maxsize=16)
def _held_out(task: Task) -> Batch:
    return task.held_out()


def _nested(rows: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, rows))


def examples_seed(seed: int, step: int) -> int:
    """Return the seed of one step's examples.

    >>> examples_seed(2, 0), examples_seed(2, 1)
    (1000005, 2000008)
    """
    return (seed + STRIDE * (step + 1)) % 2**32


@typed
def moment_steps(steps: int, most: int = MOMENTS) -> tuple[int, ...]:
    """Return the steps with kept moments, denser at the start.

    >>> moment_steps(600)[:8], len(moment_steps(600)), moment_steps(600)[-1]
    ((0, 1, 2, 3, 4, 5, 6, 7), 64, 600)
    """
    steps, most = check_whole("steps", steps, 0, MAX_STEPS), check_whole("most", most, 2, MOMENTS)
    if steps < most:
        return tuple(range(steps + 1))
    kept = [0]
    for i in range(1, most):
        kept.append(max(kept[-1] + 1, round(steps * (i / (most - 1)) ** 2)))
    return tuple(min(step, steps - (most - 1 - i)) for i, step in enumerate(kept))


@typed
def n_moments(n_numbers: int) -> int:
    """Return how many float32 moments of this size fit, at least 2."""
    return max(2, min(MOMENTS, MOST_BYTES // (4 * check_whole("n_numbers", n_numbers, 1, MOST_BYTES))))


class Learner:
    """A training that goes on step by step, and can be paused.

    `losses` has the loss of each step's examples, `moments` the kept moments. `stopped` says why it ended before its
    last step: "loss" if the loss wasn't finite. With `keeps` False, it has only the moment before the first step.
    """

    @typed
    def __init__(self, settings: TrainingSettings, keeps: bool = True) -> None:
        self.model = Model.of(settings)
        drawn = drawn_parameters(settings, self.model.shapes)
        self.parameters = {name: each.requires_grad_(name not in settings.frozen) for name, each in drawn.items()}
        self.optimizer = _optimizer(settings, [each for each in self.parameters.values() if each.requires_grad])
        self.losses: list[float] = []
        self.stopped = ""
        self._kept = frozenset(moment_steps(settings.steps, n_moments(self.model.n_numbers)) if keeps else ())
        self.moments = [self.model.judged(0, self.parameters)]

    @property
    def settings(self) -> TrainingSettings:
        """The settings, with every change of the learning rate so far."""
        return self.model.settings

    @property
    def step(self) -> int:
        """How many steps are done."""
        return len(self.losses)

    @property
    def done(self) -> bool:
        """Whether there is no further step."""
        return bool(self.stopped) or self.step >= self.settings.end

    def change_rate(self, rate: float) -> None:
        """Set the learning rate from here on; ``ValueError`` for an invalid one."""
        rates = (*(each for each in self.settings.rates if each[0] < self.step), (self.step, check_rate(rate)))
        self.model = replace(self.model, settings=replace(self.settings, rates=rates))

    def steps(self) -> Iterator[Step]:
        """Do the steps one by one, and yield each."""
        while not self.done:
            yield self.advance()

    @one_thread()
    def advance(self) -> Step:
        """Do one step; on a non-finite loss, learn nothing and stop."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate_at(self.step)
        self.optimizer.zero_grad()
        loss = self.model.on(self.model.examples(self.step), self.parameters)["loss"].sum()
        value = loss.item()
        if not math.isfinite(value):
            self.stopped = "loss"
            return Step(self.step, value, None)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.losses.append(value)
        kept = self.step in self._kept
        if kept:
            self.moments.append(self.model.judged(self.step, self.parameters))
            self.stopped = lost(self.moments[-1])
        return Step(self.step, value, self.moments[-1] if kept else None)


def lost(moment: Moment) -> str:
    """Return "loss" if a moment's loss is NaN, else an empty string.

    An infinite loss doesn't end a training: a probability of 0 may grow again.
    """
    return "loss" if math.isnan(moment.loss) else ""


def _optimizer(settings: TrainingSettings, parameters: list[Tensor]) -> Any:
    if settings.optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=settings.learning_rate)
    return torch.optim.Adam(parameters, lr=settings.learning_rate, betas=BETAS)
