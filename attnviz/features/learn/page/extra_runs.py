"""Extra work beside a training: many seeds, or repeating one step."""

from collections.abc import Callable, Sequence
from typing import Protocol, cast

import streamlit as st

from attnviz.app.operations.run_queue import in_turn
from attnviz.app.text import as_message
from attnviz.features.learn.page.pool import FAILED, LEFT, PAUSED, Work
from attnviz.features.learn.page.running import EVERY, job_of, learning, leave, run_on, shared, waiting_in_words
from attnviz.features.learn.training import Learner, StepTaken, TrainingSettings, finished, outcome_of, taken_by
from attnviz.features.learn.training.seeds import Outcome
from attnviz.words import say

MANY, STEP = "many", "step"  # extra work, shown only while no training is under way


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
        """The share that is done, from 0 to 1."""
        own = self._learner
        step = 0.0 if own is None else own.step / own.settings.end
        return (len(self.outcomes) + step) / len(self.asked)

    def advance(self) -> None:
        """Do one step of the current seed."""
        if self._learner is None:
            self._learner = Learner(self.asked[len(self.outcomes)])
        if not self._learner.done:
            self._learner.advance()
        if self._learner.done:
            outcome = outcome_of(finished(self._learner))
            self.outcomes.append(outcome._replace(losses=()))  # the page doesn't draw the losses, one for each step
            self._learner = None


class OneStep:
    """One training step, repeated from the start to inspect the optimizer."""

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
        """The share that is done, from 0 to 1."""
        return 0.0 if self._learner is None else self._learner.step / (self.asked[1] + 1)

    def advance(self) -> None:
        """Do one of the steps before it, or the step itself."""
        settings, step = self.asked
        if self._learner is None:
            self._learner = Learner(settings, keeps=False)
        if self._learner.step < step:
            self._learner.advance()
        else:
            self.taken = taken_by(self._learner)


class Told(Work, Protocol):
    """Work that knows the request that it answers, and its progress."""

    @property
    def asked(self) -> object:
        """The request that the work answers; only this request shows it."""

    @property
    def part(self) -> float:
        """The share that is done, from 0 to 1."""


def work_in(name: str, asked: object) -> Told | None:
    """Return the work of this name if it answers this request."""
    job = learning().beside.get(name)
    work = None if job is None else cast("Told", job.work)
    return work if work is not None and work.asked == asked else None


def offer(name: str, asked: object, label: str, make: Callable[[], Told]) -> None:
    """Draw the button that starts some work, its progress, or its failure."""
    job = learning().beside.get(name)
    own = work_in(name, asked) is not None
    if own and job is not None and job.active:
        st.fragment(in_turn()(_under_way), run_every=EVERY)(name)
        return
    if job is not None and not own:  # pause work for an earlier request: nobody sees its progress, or could stop it
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


def _under_way(name: str) -> None:
    job = learning().beside[name]
    if not job.active:
        st.rerun()
    part = cast("Told", job.work).part
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(part, waiting_in_words(job) or f"{100 * part:.0f} %")
        st.button(say("learn.stop"), key=f"learn.{name}.stop", on_click=shared().pool.pause, args=(job,))
