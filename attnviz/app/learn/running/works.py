"""What a page has done outside of its script: one training, or many seeds of one."""

from collections.abc import Sequence
from dataclasses import replace

from attnviz.training import Learner, StepTaken, Training, TrainingSettings, finished, outcome_of, taken_by
from attnviz.training.learning import Moment
from attnviz.training.many import Outcome


class OneTraining:
    """A training under way, whose curves may be read meanwhile."""

    def __init__(self, settings: TrainingSettings) -> None:
        self.asked = settings
        self._learner: Learner | None = None
        self._rate: float | None = None

    @property
    def settings(self) -> TrainingSettings:
        """What was asked for, with every change of the learning rate since."""
        return self.asked if self._learner is None else self._learner.settings

    @property
    def step(self) -> int:
        """How many steps are done."""
        return 0 if self._learner is None else self._learner.step

    @property
    def losses(self) -> list[float]:
        """Of the examples of each step so far."""
        return [] if self._learner is None else list(self._learner.losses)

    @property
    def moments(self) -> list[Moment]:
        """What is kept so far."""
        return [] if self._learner is None else list(self._learner.moments)

    @property
    def done(self) -> bool:
        """Whether there is no further step."""
        return self._learner is not None and self._learner.done

    def change_rate(self, rate: float) -> None:
        """Go on with another learning rate, from the next step on.

        Raises ``ValueError`` for one that is none.
        """
        replace(self.asked, learning_rate=rate)  # is checked here, and taken by the worker
        self._rate = rate

    @property
    def rate(self) -> float:
        """The learning rate of its next step."""
        return self.settings.rate_at(self.step) if self._rate is None else self._rate

    def is_of(self, settings: TrainingSettings) -> bool:
        """Whether settings name this training, as it was asked for, or as far as its rate was changed since."""
        if replace(settings.whole, rates=()) != replace(self.asked.whole, rates=()):
            return False
        named, since = ([step for step, _ in each.rates] for each in (settings, self.settings))
        return settings.rates == self.asked.rates or (bool(named) and named == since[: len(named)])

    def begin(self) -> Learner:
        """Draw the numbers that it starts with, where that isn't done yet."""
        if self._learner is None:
            self._learner = Learner(self.asked)
        return self._learner

    def settle_rate(self) -> None:
        """Have the settings say which rate was chosen; nobody else may work on it meanwhile."""
        rate, self._rate = self._rate, None
        if rate is not None:
            self.begin().change_rate(rate)

    def advance(self) -> None:
        """Do one step."""
        learner = self.begin()
        self.settle_rate()
        if not learner.done:
            learner.advance()

    def training(self) -> Training:
        """Return what there is of it; nobody may work on it meanwhile."""
        return finished(self.begin())


class ManySeeds:
    """Many seeds of one training, one after the other."""

    def __init__(self, asked: Sequence[TrainingSettings]) -> None:
        self.asked = tuple(asked)
        self.outcomes: list[Outcome] = []
        self._learner: Learner | None = None

    @property
    def done(self) -> bool:
        """Whether all are trained."""
        return len(self.outcomes) == len(self.asked)

    @property
    def part(self) -> float:
        """How much of it is done, from 0 to 1."""
        own = self._learner
        step = 0.0 if own is None else own.step / own.settings.end
        return (len(self.outcomes) + step) / len(self.asked)

    def advance(self) -> None:
        """Do one step of the seed that it is at."""
        if self._learner is None:
            self._learner = Learner(self.asked[len(self.outcomes)])
        if not self._learner.done:
            self._learner.advance()
        if self._learner.done:
            outcome = outcome_of(finished(self._learner))
            self.outcomes.append(outcome._replace(losses=()))  # which the page doesn't draw: as many as there are steps
            self._learner = None


class OneStep:
    """A step of a training, done once more from the start, to see what the optimizer does in it."""

    def __init__(self, settings: TrainingSettings, step: int) -> None:
        self.asked = settings, step
        self.taken: StepTaken | None = None
        self._learner: Learner | None = None

    @property
    def done(self) -> bool:
        """Whether the step is done."""
        return self.taken is not None

    @property
    def part(self) -> float:
        """How far it is, from 0 to 1."""
        return 0.0 if self._learner is None else self._learner.step / (self.asked[1] + 1)

    def advance(self) -> None:
        """Do a step before it, or the step itself."""
        settings, step = self.asked
        if self._learner is None:
            self._learner = Learner(settings, keeps=False)
        if self._learner.step < step:
            self._learner.advance()
        else:
            self.taken = taken_by(self._learner)
