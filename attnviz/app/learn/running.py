"""What is trained outside of a page's script: by one reader, and by all, whose finished trainings are shared."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple, Protocol, cast

import streamlit as st

from attnviz.app.keeper import figures
from attnviz.app.keeper.memory import Newest
from attnviz.app.keeper.runs import CLOCK, in_turn
from attnviz.app.learn.pool import FAILED, LEFT, PAUSED, WAITING, FullError, Job, Pool, Work
from attnviz.app.session import state
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx, is_connected
from attnviz.app.text import as_message
from attnviz.training import Learner, StepTaken, Training, TrainingSettings, finished, outcome_of, taken_by
from attnviz.training.learning import Moment
from attnviz.training.many import Outcome
from attnviz.words import say

MOST_KEPT = 24  # trainings, of 5 MiB at most
MANY, STEP = "many", "step"  # what is seen beside a training alone that isn't under way

Key = tuple[TrainingSettings, int]  # what was asked for, and how many steps of it are done
EVERY = 0.4  # seconds, after which the progress of work is looked at


@dataclass
class Learning:
    """What one session has of its trainings, beside what the address says."""

    job: Job | None = None  # the training under way, or paused
    beside: dict[str, Job] = field(default_factory=dict)  # the same of many seeds, and of one step
    shown: Key | None = None  # the training that was finished last, or opened
    part: str | None = None  # what is looked at closer
    begun: int = 0  # how many trainings were started
    text: str = ""  # of one's own, which may be longer than a link
    refused: str | None = None  # what was typed, and can't be learned
    too_long: tuple[str, str] | None = None  # a sentence that no link carries, and the one in whose place it stands
    opened: bool = False  # whether what the address asks for was trained, or can't be
    start_now: bool = False  # whether what was put into the address is to be trained without another click
    sent: tuple[str, int] = ("", 0)  # the training whose moments the page has, and how many


def learning() -> Learning:
    """Return what this session has of its trainings."""
    return this_session().part(Learning)


class Shelf(Newest[Training]):
    """The trainings that were finished last, for whoever asks for the same."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        super().__init__(most)

    def keep(self, training: Training) -> Key:
        """Keep a training; return its key."""
        key = training.settings, len(training.losses)
        self.put(key, training)
        return key


class Shared(NamedTuple):
    """The workers, and the shelf."""

    pool: Pool
    shelf: Shelf


@cache
def shared() -> Shared:
    """Return what all sessions share: at most as many workers as there are cores, less one."""
    made = Shared(Pool(max(1, n_cores() - 1), busy=lambda: CLOCK.times_any), Shelf())
    figures.count_trainings(lambda: made.pool.length)
    return made


def n_cores() -> int:
    """Return how many cores this process may use: in a container they may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 2


shared()  # before anybody asks for it: two at once would each have workers of their own


def job_of(work: Work) -> Job:
    """Return this session's own job, which ends where its page is closed."""
    context = get_script_run_ctx()
    session = "" if context is None else context.session_id
    return Job(work, lambda: is_connected(session))


def leave() -> None:
    """Free the places of what this session has under way: it goes on when the reader is back and says so."""
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
        """What was asked for, with every change of the learning rate since."""
        return self.asked if self._learner is None else self._learner.settings

    @property
    def step(self) -> int:
        """How many steps are done."""
        return 0 if self._learner is None else self._learner.step

    @property
    def progress(self) -> tuple[list[float], list[Moment]]:
        """The losses of the steps so far, and the moments that are kept."""
        return ([], []) if self._learner is None else (list(self._learner.losses), list(self._learner.moments))

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


def current_job() -> tuple[Job, OneTraining] | None:
    """Return the training that this session has under way."""
    job = learning().job
    return None if job is None else (job, cast("OneTraining", job.work))


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


class Told(Protocol):
    """Work that tells how much of it is done, and of what."""

    @property
    def asked(self) -> object:
        """What it was asked for: of another, it isn't the work."""

    @property
    def done(self) -> bool:
        """Whether all is."""

    @property
    def part(self) -> float:
        """How much is, from 0 to 1."""

    def advance(self) -> object:
        """Do one step."""


def work_in(name: str, asked: object) -> Told | None:
    """Return the work of this name, done or under way, if it is what is asked for."""
    job = learning().beside.get(name)
    work = None if job is None else cast("Told", job.work)
    return work if work is not None and work.asked == asked else None


def offer(name: str, asked: object, label: str, make: Callable[[], Told]) -> None:
    """Draw the button that has work done, or how far it is; of what broke off, say so."""
    job = learning().beside.get(name)
    own = work_in(name, asked) is not None
    if own and job is not None and job.active:
        st.fragment(in_turn()(_under_way), run_every=EVERY)(name)
        return
    if job is not None and not own:  # of what is no longer asked for nobody sees how far it is, or stops it
        shared().pool.pause(job)
    stopped = own and job is not None and job.state in (PAUSED, LEFT)
    label_now = say("learn.go_on") if stopped else label
    st.button(label_now, key=f"learn.{name}.start", on_click=_start, args=(name, make, stopped))
    if own and job is not None and job.state == FAILED:
        st.error(as_message(say("learn.closer.failed", again=label)))


def _start(name: str, make: Callable[[], Told], goes_on: bool) -> None:
    own = learning()
    if not goes_on:
        leave()
        own.beside[name] = job_of(make())
    run_on(own.beside[name])


def run_on(job: Job, steps: int | None = None) -> bool:
    """Have a job done, or so many steps of it; return whether there was room for it."""
    try:
        shared().pool.go_on(job, steps)
    except FullError:
        state.say(say("learn.full"))
        return False
    return True


def _under_way(name: str) -> None:
    job = learning().beside[name]
    if not job.active:
        st.rerun()
    part = cast("Told", job.work).part
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(part, waiting_in_words(job) or f"{100 * part:.0f} %")
        st.button(say("learn.stop"), key=f"learn.{name}.stop", on_click=shared().pool.pause, args=(job,))


def waiting_in_words(job: Job) -> str:
    """Say how many trainings are before a job; blank where it has its turn."""
    before = shared().pool.before(job)
    return say("learn.waiting", n=before) if job.state == WAITING and before else ""
