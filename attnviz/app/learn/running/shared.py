"""What all sessions share: the workers that train, and the trainings that were finished last."""

import os
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple, cast

import streamlit as st

from attnviz.app.keeper import figures
from attnviz.app.learn.running.pool import LEFT, Job, Pool, Work
from attnviz.app.learn.running.works import OneTraining
from attnviz.app.parts.newest import Newest
from attnviz.app.streamlit_internals import get_script_run_ctx, is_a_page_running, is_connected
from attnviz.training import Training, TrainingSettings

MOST_KEPT = 24  # trainings, of 5 MiB at most
JOB = "learn.job"  # what a session has under way
MANY = "learn.many"  # the same of many seeds
STEP = "learn.again"  # the same of one step of a training
BESIDE = (MANY, STEP)  # what is seen beside a training alone that isn't under way
_JOBS = (JOB, *BESIDE)

Key = tuple[TrainingSettings, int]  # what was asked for, and how many steps of it are done


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
    made = Shared(Pool(max(1, n_cores() - 1), busy=is_a_page_running), Shelf())
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


def current_job() -> tuple[Job, OneTraining] | None:
    """Return the training that this session has under way."""
    job = st.session_state.get(JOB)
    return None if job is None else (job, cast("OneTraining", job.work))


def leave(names: Iterable[str] = _JOBS) -> None:
    """Free the places of what this session has under way: it goes on when the reader is back and says so."""
    for name in names:
        job = st.session_state.get(name)
        if job is not None and job.active:
            shared().pool.pause(job, LEFT)
