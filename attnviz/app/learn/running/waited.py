"""What a part of the page has done in the pool, at a click: its progress, and what came of it."""

from collections.abc import Callable
from typing import Protocol, cast

import streamlit as st

from attnviz.app.learn.running.pool import FAILED, LEFT, PAUSED, WAITING, FullError, Job
from attnviz.app.learn.running.shared import job_of, shared
from attnviz.app.session import state
from attnviz.app.text import as_message
from attnviz.words import say

_EVERY = 0.4  # seconds


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
    job = st.session_state.get(name)
    if job is None or job.work.asked != asked:
        return None
    return cast("Told", job.work)


def offer(name: str, asked: object, label: str, make: Callable[[], Told]) -> None:
    """Draw the button that has work done, or goes on with what was stopped, or how far it is; of what broke off, say
    so."""
    job: Job | None = st.session_state.get(name)
    own = job is not None and cast("Told", job.work).asked == asked
    if own and job is not None and job.active:
        st.fragment(_under_way, run_every=_EVERY)(name)
        return
    if job is not None and not own:  # of what is no longer asked for nobody sees how far it is, or stops it
        shared().pool.pause(job)
    stopped = own and job is not None and job.state in (PAUSED, LEFT)
    st.button(
        say("learn.go_on") if stopped else label, key=f"{name}.start", on_click=_start, args=(name, make, stopped)
    )
    if own and job is not None and job.state == FAILED:
        st.error(as_message(say("learn.closer.failed", again=label)))


def _start(name: str, make: Callable[[], Told], goes_on: bool) -> None:
    before = st.session_state.get(name)
    if before is not None and not goes_on:
        shared().pool.pause(before)
    job: Job = before if before is not None and goes_on else job_of(make())
    st.session_state[name] = job
    try:
        shared().pool.go_on(job)
    except FullError:
        state.say(say("learn.full"))


def _under_way(name: str) -> None:
    job: Job = st.session_state[name]
    if not job.active:
        st.rerun()
    before = shared().pool.before(job)
    part = cast("Told", job.work).part
    waits = job.state == WAITING and before
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(part, say("learn.waiting", n=before) if waits else f"{100 * part:.0f} %")
        st.button(say("learn.stop"), key=f"{name}.stop", on_click=shared().pool.pause, args=(job,))
