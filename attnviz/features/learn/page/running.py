"""Trainings in the background: each session's own, and finished ones for all."""

import os
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple, cast

from attnviz.app.operations import metrics
from attnviz.app.operations.run_queue import CLOCK
from attnviz.app.session import state
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx, is_connected
from attnviz.core.cache import Cache
from attnviz.features.learn.page.pool import LEFT, WAITING, FullError, Job, Pool, Work
from attnviz.features.learn.training import Learner, Training, TrainingSettings, finished
from attnviz.features.learn.training.learning import Moment
from attnviz.words import say

MOST_KEPT = 24  # trainings, each of 5 MiB at most

Key = tuple[TrainingSettings, int]  # (settings, steps that are done)
EVERY = 0.4  # seconds between two checks of the progress of work


@dataclass
class Learning:
    """A session's trainings, as far as the address doesn't hold them."""

    job: Job | None = None  # the training under way, or paused
    beside: dict[str, Job] = field(default_factory=dict)  # MANY or STEP of extra_runs.py -> its job
    shown: Key | None = None  # the training that was finished last, or opened
    part: str | None = None  # the closer look that is open, one of _PARTS of step_panels.py
    begun: int = 0  # how many trainings were started
    text: str = ""  # the reader's own text, which may be too long for a link
    refused: str | None = None  # a typed text that can't be learned
    too_long: tuple[str, str] | None = None  # (sentence in use, typed sentence that is too long)
    opened: bool = False  # whether the address's training was started, or can't be
    start_now: bool = False  # whether to train new settings of the address without another click
    fields: dict[str, tuple[Any, int]] = field(default_factory=dict)  # a menu's control -> (value, changes)
    sent: tuple[str, int] = ("", 0)  # (training, number of its moments) that the page has


def learning() -> Learning:
    """Return the record of this session's trainings."""
    return this_session().part(Learning)


class Shared(NamedTuple):
    """The workers, and the trainings that were finished last, by their keys."""

    pool: Pool
    shelf: Cache


@cache
def shared() -> Shared:
    """Return the workers and finished trainings that all sessions share."""
    made = Shared(Pool(max(1, n_cores() - 1), busy=lambda: CLOCK.times_any), Cache(most=MOST_KEPT))
    metrics.TRAININGS.set_function(lambda: made.pool.length)
    return made


def n_cores() -> int:
    """Return how many cores this process may use, as containers limit them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 2


shared()  # made here, because two threads asking at once would each make a pool


def job_of(work: Work) -> Job:
    """Return this session's own job, which ends where its page is closed."""
    context = get_script_run_ctx()
    session = "" if context is None else context.session_id
    return Job(work, lambda: is_connected(session))


def leave() -> None:
    """Stop this session's jobs; they resume when the reader asks."""
    own = learning()
    for job in (own.job, *own.beside.values()):
        if job is not None:
            shared().pool.pause(job, LEFT)


class OneTraining:
    """A training under way, whose curves may be read meanwhile."""

    def __init__(self, settings: TrainingSettings) -> None:
        self.asked = settings
        self._learner: Learner | None = None
        self._rate: float | None = None

    @property
    def settings(self) -> TrainingSettings:
        """The settings, with every change of the learning rate so far."""
        return self.asked if self._learner is None else self._learner.settings

    @property
    def step(self) -> int:
        """How many steps are done."""
        return 0 if self._learner is None else self._learner.step

    @property
    def progress(self) -> tuple[list[float], list[Moment]]:
        """The losses so far, and the moments kept."""
        return ([], []) if self._learner is None else (list(self._learner.losses), list(self._learner.moments))

    @property
    def done(self) -> bool:
        """Whether there is no further step."""
        return self._learner is not None and self._learner.done

    def change_rate(self, rate: float) -> None:
        """Go on with another learning rate, from the next step on.

        Raises ``ValueError`` for an invalid rate.
        """
        replace(self.asked, learning_rate=rate)  # checks the rate; the worker applies it
        self._rate = rate

    @property
    def rate(self) -> float:
        """The learning rate of the training's next step."""
        return self.settings.rate_at(self.step) if self._rate is None else self._rate

    def is_of(self, settings: TrainingSettings) -> bool:
        """Whether settings name this training, before or after its rate changes."""
        if replace(settings.whole, rates=()) != replace(self.asked.whole, rates=()):
            return False
        named, since = ([step for step, _ in each.rates] for each in (settings, self.settings))
        return settings.rates == self.asked.rates or (bool(named) and named == since[: len(named)])

    def begin(self) -> Learner:
        """Draw the initial numbers if that isn't done; return the learner."""
        if self._learner is None:
            self._learner = Learner(self.asked)
        return self._learner

    def settle_rate(self) -> None:
        """Apply the chosen learning rate; no worker may run this meanwhile."""
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
        """Return the training so far; no worker may run this meanwhile."""
        return finished(self.begin())


def current_job() -> tuple[Job, OneTraining] | None:
    """Return the training that this session has under way."""
    job = learning().job
    return None if job is None else (job, cast("OneTraining", job.work))


def run_on(job: Job, steps: int | None = None) -> bool:
    """Queue a job, or so many steps; return whether there was room."""
    try:
        shared().pool.go_on(job, steps)
    except FullError:
        state.add_message(say("learn.full"))
        return False
    return True


def waiting_in_words(job: Job) -> str:
    """Say how many trainings come before a job; blank if none do."""
    before = shared().pool.before(job)
    return say("learn.waiting", n=before) if job.state == WAITING and before else ""
