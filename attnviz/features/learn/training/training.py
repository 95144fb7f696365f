"""A finished training: its curves, moments, traces and gradients."""

import html
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import MAX_SEED, RefusedError, check_choice, check_temperature, check_type, check_whole
from attnviz.core.machine import one_thread
from attnviz.core.scenario.chance import ALL
from attnviz.core.seeding import generator_for
from attnviz.core.trace import run
from attnviz.features.learn.training.learning import Learner, Model, Moment, lost
from attnviz.features.learn.training.model import mask_of, of_text
from attnviz.features.learn.training.settings import TrainingSettings
from attnviz.features.learn.training.tasks import kind_of, settings_for

MOST_GENERATED = 500


class Ablation(NamedTuple):
    """A model's held-out loss and accuracy, with and without some heads."""

    loss: float
    accuracy: float
    loss_without: float
    accuracy_without: float


@dataclass(frozen=True, repr=False)
class Gradients:
    """The loss of one step's examples, and its gradient by matrix name."""

    loss: float
    of: Mapping[str, Tensor]

    def __getitem__(self, matrix: str) -> Tensor:
        check_choice("matrix", matrix, self.of)
        return self.of[matrix]

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages."""
        return f"Gradients(loss={self.loss:.4f}, of={', '.join(self.of)})"


class Update(NamedTuple):
    """What one step did to a learned matrix.

    `mean` and `mean_square` are Adam's running means of gradients and their squares; None with SGD.
    """

    before: Tensor
    gradient: Tensor
    mean: Tensor | None
    mean_square: Tensor | None
    after: Tensor

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages."""
        return f"Update of {tuple(self.after.shape)}"


class StepTaken(NamedTuple):
    """One step: its texts, loss, learning rate, and the learned matrices' updates."""

    step: int
    texts: tuple[tuple[str, ...], ...]
    loss: float
    rate: float
    updates: Mapping[str, Update]

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages."""
        done = f"step={self.step}, texts={len(self.texts)}, loss={self.loss:.4f}, rate={self.rate:g}"
        return f"StepTaken({done}, updates={', '.join(self.updates)})"


@dataclass(frozen=True, repr=False)
class Training:
    """A training that ended; `stopped` says why, if early.

    `losses` has the loss of each step's examples, before the step. `moments` are the model after some of the steps,
    the first and the last included, each with its loss, accuracy and heads' figures on held-out examples.
    """

    model: Model
    losses: tuple[float, ...]
    moments: tuple[Moment, ...]
    stopped: str = ""

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages.

        >>> train("agreement", steps=2)
        Training('agreement', seed=28, steps=2, moments=3, loss=2.7977, accuracy=0.06)
        """
        asked, last = self.settings, self.moments[-1]
        done = f"steps={len(self.losses)}, moments={len(self.moments)}" + (
            f", stopped={self.stopped!r}" if self.stopped else ""
        )
        return (
            f"Training({asked.task!r}, seed={asked.seed}, {done}, loss={last.loss:.4f}, accuracy={last.accuracy:.2f})"
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Show the training's example at its last moment."""
        bundle = self.trace(self.moments[-1].step)._repr_mimebundle_()
        own = repr(self)
        return bundle | {"text/plain": own, "text/html": f"<p>{html.escape(own)}</p>{bundle['text/html']}"}

    @property
    def settings(self) -> TrainingSettings:
        """The settings that the model was trained with."""
        return self.model.settings

    @property
    def n_bytes(self) -> int:
        """The memory that the training's numbers and text take, in bytes."""
        kept = sum(each.numel() * each.element_size() for at in self.moments for each in at.parameters.values())
        return kept + 32 * len(self.losses) + sys.getsizeof(self.settings.text) + self.model.task.n_bytes

    def at(self, step: int) -> Moment:
        """Return the last kept moment up to a step; ``ValueError`` outside."""
        step = check_whole("step", step, 0, len(self.losses))
        return [moment for moment in self.moments if moment.step <= step][-1]

    @one_thread()
    @typed
    def trace(self, step: int, text: str | None = None, without: Iterable[tuple[int, int]] = ()) -> AttentionTrace:
        """Return all matrices of a text at a kept moment.

        The moment is the last one kept up to `step`; :meth:`at` tells its own step. The trace ends with the
        probabilities of the next token and the loss of each place. The heads `without`, each given as (layer, head),
        are switched off: later stages don't use their contexts.

        Raises ``ValueError`` for a step outside of the training, or a text that doesn't fit the vocabulary.
        """
        task = self.model.task
        tokens = task.tokens_of(task.example if text is None else text)
        ids = task.ids_of(tokens)
        table = of_text(self.model.table, ids, len(ids), ids[1:])
        given = {**self._without(self.at(step), without), **mask_of(table, len(ids))}
        if len(ids) > 1:
            n = len(tokens) - 1
            told = [self.model.task.counts(tokens, place) for place in range(n)]
            counted = torch.tensor([told if any(told) else [True] * n], dtype=torch.float32)
            given["counted"] = counted / counted.sum()
        # Before the first step, all learned matrices are random.
        chances = () if self.at(step).step else (ALL,) * self.settings.n_layers
        return AttentionTrace(table, run(table, given), tokens, (), chances)

    @typed
    def without(self, step: int, heads: Iterable[tuple[int, int]]) -> Ablation:
        """Return the results without some heads, given as (layer, head).

        Raises ``ValueError`` for a step, a layer or a head that isn't there.
        """
        whole = self.at(step)
        without = self.model.judged(step, self._without(whole, heads))
        return Ablation(whole.loss, whole.accuracy, without.loss, without.accuracy)

    def _without(self, moment: Moment, heads: Iterable[tuple[int, int]]) -> dict[str, Tensor]:
        parameters = dict(moment.parameters)
        for name, rows in self.rows_of(heads):
            parameters[name] = parameters[name].clone()
            parameters[name][rows] = 0
        return parameters

    @typed
    def rows_of(self, heads: Iterable[tuple[int, int]]) -> list[tuple[str, slice]]:
        """Return the rows of W_o that each head's context is multiplied by.

        Raises ``ValueError`` for a layer or a head that isn't there.

        >>> train("repeat", steps=1, n_heads=2).rows_of([(1, 1)])
        [('layers.1.w_o', slice(16, 32, None))]
        """
        width, found = self.settings.d_k // self.settings.n_heads, []
        for layer, head in heads:
            layer = check_whole("layer", layer, 0, self.settings.n_layers - 1)
            head = check_whole("head", head, 0, self.settings.n_heads - 1)
            found.append((self.model.name_of(layer, None, "w_o"), slice(head * width, (head + 1) * width)))
        return found

    @one_thread()
    @typed
    def gradients(self, step: int, dtype: torch.dtype = torch.float32) -> Gradients:
        """Return all learned matrices' gradients for the examples of the next step.

        They are those of the last moment kept up to `step`.

        Raises ``ValueError`` for a step outside of the training.
        """
        moment = self.at(step)
        parameters = {
            name: each.detach().clone().to(dtype).requires_grad_() for name, each in moment.parameters.items()
        }
        loss = self.model.on(self.model.examples(moment.step), parameters)["loss"].sum()
        found = torch.autograd.grad(loss, list(parameters.values()))
        return Gradients(loss.item(), dict(zip(parameters, found, strict=True)))

    @one_thread()
    @typed
    def gradients_of(self, step: int, text: str | None = None) -> dict[str, Tensor]:
        """Return a text's loss gradient for all matrices of :meth:`trace`.

        Raises ``ValueError`` for a step or a text that doesn't fit, or a text of one token, which has no loss.
        """
        trace = self.trace(step, text)
        if "loss" not in trace.matrices:
            raise RefusedError("one_token")
        given = {
            name: trace[name].clone().requires_grad_(stage.origin == "learned")
            for name, stage in trace.stages.items()
            if stage.rule is None
        }
        made = run(trace.stages, given)
        moved = {name: each for name, each in made.items() if each.requires_grad}
        found = torch.autograd.grad(made["loss"].sum(), list(moved.values()), materialize_grads=True, allow_unused=True)
        return dict(zip(moved, found, strict=True))

    def step_taken(self, step: int) -> StepTaken:
        """Return what the step after `step` steps did.

        Raises ``ValueError`` if the training has no such step.
        """
        step = check_whole("step", step, 0, len(self.losses) - 1)
        learner = Learner(self.settings, keeps=False)
        while learner.step < step:
            learner.advance()
        return taken_by(learner)

    @one_thread()
    @typed
    def generate(
        self, step: int, text: str, n: int = 20, *, temperature: float = 1.0, top_k: int | None = None, seed: int = 0,
        without: Iterable[tuple[int, int]] = (),
    ) -> tuple[str, ...]:  # fmt: skip
        """Return a text's tokens, and `n` more that the model draws.

        Each is drawn by its probability, at this `temperature`, among the `top_k` most probable; with 1, it's always
        the most probable one. Of a longer text, the model sees only the last tokens, one fewer than the texts that it
        learned from have: it never learned what follows their last token. The heads `without` are switched off, as in
        :meth:`trace`.

        Raises ``ValueError`` for values outside of their limits, or where the model's numbers aren't finite.
        """
        task, n = self.model.task, check_whole("n", n, 1, MOST_GENERATED)
        n_entries, temperature = len(task.vocabulary), check_temperature(temperature)
        most = n_entries if top_k is None else check_whole("top_k", top_k, 1, n_entries)
        generator = generator_for(check_whole("seed", seed, 0, MAX_SEED))
        parameters, ids = self._without(self.at(step), without), list(task.ids_of(task.tokens_of(text)))
        for _ in range(n):
            seen = tuple(ids[1 - task.length :])
            table = of_text(self.model.table, seen, len(seen))
            logits = run(table, {**parameters, **mask_of(table, len(seen))})["logits"][-1] / temperature
            if not logits.isfinite().all():
                raise RefusedError("expects_no_number", step=step)
            best = logits.topk(most)
            chosen = torch.multinomial(torch.softmax(best.values, dim=-1), 1, generator=generator)
            ids.append(int(best.indices[chosen]))
        return tuple(task.vocabulary[i] for i in ids)


@typed
def taken_by(learner: Learner) -> StepTaken:
    """Take a learner's next step; return what happened in it."""
    model, step = learner.model, learner.step
    before = {name: each.detach().clone() for name, each in learner.parameters.items()}
    loss = learner.advance().loss
    updates = {}
    for name, after in learner.parameters.items():
        if after.grad is not None:
            state = learner.optimizer.state.get(after, {})
            means = state.get("exp_avg"), state.get("exp_avg_sq")
            updates[name] = Update(before[name], after.grad, *means, after.detach())
    vocabulary = model.task.vocabulary
    texts = tuple(tuple(vocabulary[i] for i in row) for row in model.examples(step).ids.tolist())
    return StepTaken(step, texts, loss, learner.settings.rate_at(step), updates)


@typed
def finished(learner: Learner) -> Training:
    """Return the training so far; its settings repeat it exactly."""
    moments, model = learner.moments, learner.model
    if moments[-1].step != learner.step:
        moments = [*moments, model.judged(learner.step, learner.parameters)]
    stopped = learner.stopped or lost(moments[-1])
    if not learner.done and not stopped:
        model = replace(model, settings=replace(model.settings, until=learner.step))
    return Training(model, tuple(learner.losses), tuple(moments), stopped)


def train(
    task: str | TrainingSettings = "agreement", steps: int | None = None, seed: int | None = None, **settings: Any
) -> Training:
    """Train a small model on a task, and return the training.

    Tasks are "agreement", "repeat", "order", "sort", "stories", and "text" with a `text` of your own. The default
    `seed` is one with which the task is learned. `settings` are fields of :class:`attnviz.TrainingSettings`, for which
    each task has its own defaults. Such settings may be given instead of a task, too; all other arguments then replace
    theirs.

    Raises ``ValueError`` for values outside of their limits. If the loss isn't finite any more, for example with too
    large a learning rate, the training ends there: its `stopped` is "loss".

    >>> training = train("agreement", steps=3)
    >>> len(training.losses), [moment.step for moment in training.moments]
    (3, [0, 1, 2, 3])
    >>> tuple(training.trace(3, "the keys near the cat").probabilities.shape)
    (6, 18)
    """
    check_type("task", task, (str, TrainingSettings), "the name of a task, or settings")
    given = {name: value for name, value in (("steps", steps), ("seed", seed)) if value is not None} | settings
    asked = replace(task, **given) if isinstance(task, TrainingSettings) else settings_for(kind_of(task), **given)
    learner = Learner(asked)
    for _ in learner.steps():
        pass
    return finished(learner)
