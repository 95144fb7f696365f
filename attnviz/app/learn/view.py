"""The page Watch it learn: a task, a training under way, its curves, and the board at any moment of it."""

import math
import time

import streamlit as st

from attnviz.app.learn.asked.address import (
    OPENED,
    START_NOW,
    is_text_lost,
    name_in_address,
    settings_of_address,
)
from attnviz.app.learn.asked.controls import asked
from attnviz.app.learn.moment.shown import show_moment
from attnviz.app.learn.moment.time import show_under_way
from attnviz.app.learn.running.pool import FAILED, LEFT, WAITING, FullError, Job
from attnviz.app.learn.running.shared import BESIDE, JOB, current_job, job_of, leave, shared
from attnviz.app.learn.running.works import OneTraining
from attnviz.app.parts.pace import Pace
from attnviz.app.refusals import told
from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import take
from attnviz.app.text import as_message
from attnviz.link.parameter_table import LEARN, LEARN_STEP
from attnviz.scaling.in_words import said_time
from attnviz.training import MOMENTS, MOST_BYTES, Model, Training, TrainingSettings, n_kept
from attnviz.words import plural, say
from attnviz.words.numbers import significant

_ENOUGH = 60  # kept moments, of fewer of which it is said why
_EVERY = 0.4  # seconds, after which a training under way is looked at
_SHOWN = "learn.shown"
_SETTLED = 5.0  # seconds that a step may still take when it was stopped


def show_learn() -> None:
    """Draw the whole page."""
    ended = current_job()
    if ended is not None and ended[1].done and not ended[0].active and ended[0].error is None:
        _keep(ended[1])
    settings, row = asked()
    _open(settings)
    found, starts = current_job(), st.session_state.pop(START_NOW, False)
    if found is not None and not found[1].is_of(settings):
        leave()
        st.session_state.pop(JOB)
        if not starts:
            state.say(say("learn.anew"))
        found = None
    if starts and found is None:
        _again(settings)
        found = current_job()
    with row:
        _buttons(settings, found)
    if found is not None and found[0].active:
        st.fragment(_under_way, run_every=_EVERY)()
        return
    training = _training(settings, found)
    if training is None:
        return
    _tell_end(training, found)
    show_moment(training)


def _open(settings: TrainingSettings) -> None:
    """On the first run, have what a link asks for trained: it is seconds, and the line is everybody's."""
    if OPENED in st.session_state:
        return
    st.session_state[OPENED] = True
    linked = bool(url_texts.current(LEARN)) or take(LEARN_STEP) is not None
    if not linked:
        return
    if is_text_lost():  # another text in its place would be another training
        return
    name_in_address(settings)
    if not _show_finished(settings):
        _start(settings)


def _show_finished(settings: TrainingSettings) -> bool:
    """Show at once what somebody has trained already, to the very same numbers; return whether there is that."""
    key = settings, settings.end
    if shared().shelf.get(key) is None:
        return False
    st.session_state[_SHOWN] = key
    return True


def _start(settings: TrainingSettings, steps: int | None = None) -> None:
    """Begin a training, or go on with it: `steps` of it, or all. What goes on beside it gives way to it."""
    leave(BESIDE)
    found = current_job()
    if found is None:
        try:
            Model.of(settings)
        except ValueError as error:
            state.say(say("learn.refused", why=told(error)))
            return
        st.session_state[JOB] = job_of(OneTraining(settings))
    job: Job = st.session_state[JOB]
    st.session_state["learn.pace"] = Pace()
    try:
        shared().pool.go_on(job, steps)
    except FullError:
        state.say(say("learn.full"))
        return
    if steps is not None:
        shared().pool.settled(job, _SETTLED)


def _go_on(settings: TrainingSettings, steps: int | None = None) -> None:
    """Begin or go on, and show how far that comes: the address names the training, but no earlier moment of it."""
    found = current_job()
    if found is not None and not found[0].active and shared().pool.settled(found[0], _SETTLED):
        found[1].settle_rate()
    name_in_address((settings if found is None else found[1].settings).whole)
    url_texts.put(LEARN_STEP, None)
    _start(settings, steps)


def _again(settings: TrainingSettings, steps: int | None = None) -> None:
    """Train these settings from their start, to the last of their steps."""
    settings = settings.whole
    st.session_state.pop(JOB, None)
    name_in_address(settings)
    url_texts.put(LEARN_STEP, None)
    if steps is not None or not _show_finished(settings):
        _start(settings, steps)


def _pause() -> None:
    found = current_job()
    if found is not None:
        shared().pool.pause(found[0])
        shared().pool.settled(found[0], _SETTLED)


def _rewind() -> None:
    """Back to before the first step, with the same settings."""
    _pause()
    found = current_job()
    if found is not None:
        work = OneTraining(found[1].asked.whole)
        st.session_state[JOB] = job_of(work)
        work.begin()
        name_in_address(work.asked)  # without what was changed on the way: it begins with the rate that it had
        url_texts.put(LEARN_STEP, None)


def _stop() -> None:
    """End a training, and keep what there is of it."""
    _pause()
    found = current_job()
    if found is None:
        return
    if found[0].state == FAILED and not found[1].moments:  # it broke off before there was anything to keep
        st.session_state.pop(JOB)
    else:
        _keep(found[1])


def _keep(work: OneTraining) -> None:
    training = work.training()
    st.session_state[_SHOWN] = shared().shelf.keep(training)
    if work.is_of(settings_of_address()):
        name_in_address(training.settings)  # with the rate that was changed on the way, and where it was stopped
    st.session_state.pop(JOB, None)


def _buttons(settings: TrainingSettings, found: tuple[Job, OneTraining] | None) -> None:
    begun = found is not None and found[1].step > 0
    with st.container(horizontal=True, vertical_alignment="bottom", key="learn_buttons", width="content"):
        if found is not None and found[0].active:
            st.button(say("learn.pause"), key="learn.pause", icon=":material/pause:", on_click=_pause)
            st.button(say("learn.stop"), key="learn.stop", icon=":material/stop:", on_click=_stop)
            return
        label = say("learn.go_on" if found else "learn.start")
        begin = _go_on if found else _again
        st.button(label, key="learn.start", type="primary", on_click=begin, args=(settings,))
        st.button(say("learn.one_step"), key="learn.one", icon=":material/skip_next:", on_click=begin,
                  args=(settings, 1))  # fmt: skip
        if found is not None:
            st.button(say("learn.rewind"), key="learn.rewind", icon=":material/replay:", on_click=_rewind,
                      disabled=not begun)  # fmt: skip
            st.button(say("learn.stop"), key="learn.stop", icon=":material/stop:", on_click=_stop)


def _under_way() -> None:
    """Tell how far the training is, and draw its curves; where it has ended, draw the page anew."""
    found = current_job()
    if found is None:
        st.rerun()
    job, work = found
    if not job.active:
        st.rerun()
    before = shared().pool.before(job)
    steps = work.settings.end
    part = work.step / max(1, steps)
    left = st.session_state.setdefault("learn.pace", Pace()).left(time.monotonic(), part)
    done = say("learn.progress", done=f"{work.step:,}", steps=plural(steps, "step"))
    if job.state == WAITING and before:
        text = say("learn.waiting", n=before)
    elif math.isfinite(left):
        text = say("learn.left", done=done, left=said_time(left))
    else:
        text = done
    st.progress(part, text)
    if work.moments:
        show_under_way(work)


def _training(settings: TrainingSettings, found: tuple[Job, OneTraining] | None) -> Training | None:
    """Return what is shown: what is paused, or was finished; None where there is nothing."""
    if found is not None:
        job, work = found
        if job.state == FAILED:
            st.error(as_message(say("learn.failed")))
            return work.training() if work.moments else None
        shared().pool.settled(job, _SETTLED)
        made = work.training()
        name_in_address(made.settings)  # how far it is, so that its link trains to the very same numbers
        return made
    shown = st.session_state.get(_SHOWN)  # what others have trained is shown to none but who asks for the same
    if shown is None:
        st.text(say("learn.first", steps=plural(settings.steps, "step")))
        return None
    training = shared().shelf.get(shown)
    if training is None:
        st.info(say("learn.dropped"))
    elif shown[0] != settings:
        st.info(say("learn.others"))
    return training


def _tell_end(training: Training, found: tuple[Job, OneTraining] | None) -> None:
    done, steps = len(training.losses), training.settings.steps
    if training.stopped:
        st.warning(as_message(say("learn.no_number", steps=plural(done, "step"))), icon=":material/warning:")
    elif found is not None:
        left = "learn.left_page" if found[0].state == LEFT else "learn.paused"
        st.caption(say(left, done=f"{done:,}", steps=plural(steps, "step")))
    elif done < steps:
        st.caption(say("learn.stopped", done=f"{done:,}", steps=plural(steps, "step")))
    numbers = training.model.n_numbers
    if (kept := n_kept(numbers)) < min(_ENOUGH, steps + 1):
        st.caption(say("learn.few_moments", numbers=plural(numbers, "number"), megabytes=round(MOST_BYTES / 2**20),
                       kept=kept, fitting=plural(MOST_BYTES // (4 * MOMENTS), "number"), most=MOMENTS))  # fmt: skip
    for step, rate in training.settings.rates:
        st.caption(say("learn.rate_since", step=f"{step:,}", rate=significant(rate)))
