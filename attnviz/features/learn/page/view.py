"""The page Watch it learn: a sentence, its predictions, and the training."""

from functools import lru_cache

import streamlit as st

from attnviz.app.operations.run_queue import in_turn
from attnviz.app.session import state, url_texts
from attnviz.app.session.url_texts import take
from attnviz.app.streamlit_internals import is_fragment_run
from attnviz.app.text import as_message, message_of
from attnviz.features.learn.page.address import is_text_lost, name_in_address, settings_of_address
from attnviz.features.learn.page.controls import show_asked
from attnviz.features.learn.page.moment import show_time
from attnviz.features.learn.page.moment_view import Shown, shown_of
from attnviz.features.learn.page.pool import FAILED, LEFT, Job
from attnviz.features.learn.page.running import (
    EVERY,
    OneTraining,
    current_job,
    job_of,
    learning,
    leave,
    run_on,
    shared,
    waiting_in_words,
)
from attnviz.features.learn.page.step_panels import show_part
from attnviz.features.learn.parameters import LEARN, LEARN_STEP
from attnviz.features.learn.training import (
    MOMENTS,
    MOST_BYTES,
    Learner,
    Training,
    TrainingSettings,
    finished,
    n_moments,
)
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import significant

_ENOUGH = 60  # kept moments: the page explains why a training has fewer
_SETTLED = 5.0  # seconds to wait, at most, for the current step when a training is paused
_STYLE = """<style>
.st-key-learn_stage { position: relative; gap: 0.4rem; }
[data-testid="stLayoutWrapper"]:has(> .st-key-learn_stage) { /* the slider stays in sight while the board scrolls */
  position: sticky; top: 48px; z-index: 9; }
.stElementContainer.st-key-learn-time { opacity: 1 !important; transition: none !important; } /* never dimmed */
.stMainBlockContainer:has(.st-key-learn_stage) { padding-bottom: 26px; }
[data-testid="stLayoutWrapper"]:has(> .st-key-learn_buttons) {
  position: absolute; bottom: 92px; left: 0; right: 0; width: auto; z-index: 2; pointer-events: none; }
.st-key-learn_buttons { align-items: center; justify-content: center; }
.st-key-learn_buttons > * { pointer-events: auto; }
.st-key-learn_buttons button[kind="tertiary"] { padding: 2px 6px; background: var(--attnviz-page); }
.st-key-learn_buttons .stButton button[kind="primary"] { min-height: var(--act-large); padding-inline: 44px; }
.st-key-learn_buttons .stButton button[kind="primary"] p { font-size: var(--act-large-letters); }
:has(> .st-key-learn_kept) { display: none; }
@media (max-width: 640px) { CONTROLS_LAST }
:root[data-presents] { CONTROLS_LAST
  [data-testid="stLayoutWrapper"]:has(> .st-key-learn_buttons) { inset: 0 0 auto auto; }
  .stMainBlockContainer .st-key-learn_buttons button[kind="primary"][kind] { min-height: 30px; padding-inline: 12px; }
  .stMainBlockContainer .st-key-learn_buttons button[kind="primary"][kind] p { font-size: 15px; }
}
</style>""".replace(
    "CONTROLS_LAST",
    """
  .stVerticalBlock > :has(> .st-key-learn_asked), .st-key-learn_asked { display: contents; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-learn_controls) { order: 9; }
  .st-key-learn_buttons .stButton button[kind="primary"] { padding-inline: 24px; }""",
)


def show_learn() -> None:
    """Draw the whole page."""
    own = learning()
    found = current_job()
    if found is not None and found[1].done and not found[0].active and found[0].error is None:
        _keep(found[1])
    settings = settings_of_address()
    _open(settings)
    found = current_job()
    if found is not None and not found[1].is_of(settings):
        leave()
        own.job = None
        if not own.start_now:
            state.add_message(say("learn.anew"))
    if own.start_now and own.job is None:
        _again(settings)
    own.start_now = False  # reset last, so that an interrupted run leaves it to the next one
    st.html(_STYLE)
    active = own.job is not None and own.job.active
    part = show_asked(settings, active=active)
    try:
        _show(settings, part, active=active)
    except ValueError as error:  # nothing can be learned from this
        if not is_text_lost():
            state.add_message(say("learn.refused", why=message_of(error)))


def _show(settings: TrainingSettings, part: str | None, *, active: bool) -> None:
    found = current_job()
    training = _training(settings, found)
    _tell(training, found)
    shown = shown_of(training, ahead=active or not training.losses)
    st.fragment(in_turn()(_stage), run_every=EVERY if active else None)(shown, part is not None, active)
    shown.tell()
    if part is not None:
        show_part(part, shown)


def _stage(shown: Shown, small: bool, active: bool) -> None:
    """Draw the running training and its controls; redraw the page when done."""
    found = current_job()
    work = found[1] if found is not None and found[0].active else None
    if is_fragment_run() and (work is None or not active):  # the training has begun or ended, or has done a step
        st.rerun()
    with st.container(key="learn_stage"):
        step = None if shown.ahead else shown.step
        show_time(shown.training, work, step, shown.made, shown.head, shown.off, small=small)
        if not small:
            _buttons(shown.training, found)


def _buttons(training: Training, found: tuple[Job, OneTraining] | None) -> None:
    settings, done = training.settings.whole, len(training.losses)
    with st.container(horizontal=True, key="learn_buttons"):
        if found is not None and found[0].active:
            st.text(waiting_in_words(found[0]) or say("learn.learning"), width="content")
            st.button(say("learn.pause"), key="learn.pause", icon=":material/pause:", on_click=_pause)
        elif done < settings.steps and not training.stopped:
            begin = _go_on if found else _again
            label = say("learn.go_on") if done else say("learn.start", steps=plural(settings.steps, "step"))
            st.button(label, key="learn.start", type="primary", on_click=begin, args=(settings,))
            st.button(say("learn.one_step"), key="learn.one", type="tertiary", on_click=begin, args=(settings, 1))


def _open(settings: TrainingSettings) -> None:
    """Start the training that a link asks for, on the first run."""
    own = learning()
    if own.opened:
        return
    linked = bool(url_texts.current(LEARN)) or take(LEARN_STEP) is not None
    if linked and not is_text_lost():  # with another text, it would be another training
        name_in_address(settings)
        if not _show_finished(settings):
            _start(settings)
    own.opened = True  # set last, so that an interrupted run leaves it to the next one


def _show_finished(settings: TrainingSettings) -> bool:
    """Show a training that is already finished; return whether one is."""
    key = settings, settings.end
    if shared().shelf.find(key) is None:
        return False
    learning().shown = key
    return True


def _start(settings: TrainingSettings, steps: int | None = None) -> None:
    """Start or resume a training, all or `steps`; pause other work."""
    leave()
    own = learning()
    if own.job is None:
        try:
            work = OneTraining(settings)
            work.begin()
        except ValueError:  # show_learn reports it when it draws the training
            return
        own.job = job_of(work)
    if run_on(own.job, steps) and steps is not None:
        shared().pool.settled(own.job, _SETTLED)


def _go_on(settings: TrainingSettings, steps: int | None = None) -> None:
    """Resume a training, and show its progress from the latest moment."""
    found = current_job()
    if found is not None and not found[0].active and shared().pool.settled(found[0], _SETTLED):
        found[1].settle_rate()
    name_in_address((settings if found is None else found[1].settings).whole)
    url_texts.put(LEARN_STEP, None)
    _start(settings, steps)


def _again(settings: TrainingSettings, steps: int | None = None) -> None:
    """Train these settings from their start, to the last of their steps."""
    own, settings = learning(), settings.whole
    own.job, own.begun = None, own.begun + 1
    name_in_address(settings)
    url_texts.put(LEARN_STEP, None)
    if steps is not None or not _show_finished(settings):
        _start(settings, steps)


def _pause() -> None:
    found = current_job()
    if found is not None:
        shared().pool.pause(found[0])
        shared().pool.settled(found[0], _SETTLED)


def _keep(work: OneTraining) -> None:
    training = work.training()
    key = training.settings, len(training.losses)
    shared().shelf.put(key, training)
    learning().shown, learning().job = key, None
    if work.is_of(settings_of_address()):
        name_in_address(training.settings)  # with changes of the rate, and the step at which it was stopped


@lru_cache(maxsize=8)
def _untrained(settings: TrainingSettings) -> Training:
    """Return a training before its first step.

    Raises ``ValueError`` if nothing can be learned with these settings.
    """
    return finished(Learner(settings))


def _training(settings: TrainingSettings, found: tuple[Job, OneTraining] | None) -> Training:
    """Return the training to show: paused, finished, or its initial state."""
    if found is not None and not found[0].active:
        shared().pool.settled(found[0], _SETTLED)
        made = found[1].training()
        name_in_address(made.settings)  # with the step it has reached, so that its link gives the same numbers
        return made
    shown = learning().shown  # only what this session has asked for, as others' trainings are on the shelf, too
    if found is None and shown is not None and shown[0] == settings:
        training = shared().shelf.find(shown)
        if training is not None:
            return training
        st.info(say("learn.dropped"))
    return _untrained(settings.whole)


def _tell(training: Training, found: tuple[Job, OneTraining] | None) -> None:
    """Say why a training ended early, and what the page can't show."""
    done, settings = len(training.losses), training.settings
    steps = plural(settings.steps, "step")
    if found is not None and found[0].state == FAILED:
        st.error(as_message(say("learn.failed")))
    if training.stopped:
        st.warning(as_message(say("learn.no_number", steps=plural(done, "step"))), icon=":material/warning:")
    elif found is not None and found[0].state == LEFT:
        st.caption(say("learn.left_page", done=thousands(done), steps=steps))
    elif 0 < done < settings.steps:
        st.caption(say("learn.stopped", done=thousands(done), steps=steps))
    numbers = training.model.n_numbers
    if (kept := n_moments(numbers)) < min(_ENOUGH, settings.steps + 1):
        st.caption(say("learn.few_moments", numbers=plural(numbers, "number"), megabytes=round(MOST_BYTES / 2**20),
                       kept=kept, fitting=plural(MOST_BYTES // (4 * MOMENTS), "number"), most=MOMENTS))  # fmt: skip
    for step, rate in settings.rates:
        st.caption(say("learn.rate_since", step=thousands(step), rate=significant(rate)))
