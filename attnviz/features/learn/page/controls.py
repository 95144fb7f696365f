"""The two popovers for what is learned and the training settings."""

from typing import Any

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import message_of
from attnviz.core.limits import MAX_SEED
from attnviz.features.learn.page.address import (
    begin_with,
    change,
    choice,
    held,
    learned_in,
    open_settings,
    settings_of_address,
    show_own_text,
    switch,
    tell_blank,
    whole,
)
from attnviz.features.learn.page.running import OneTraining, current_job, learning, shared
from attnviz.features.learn.page.step_panels import show_parts
from attnviz.features.learn.parameters import LEARN, LEARN_SENTENCE, MOST_OF_LEARNED_SENTENCE
from attnviz.features.learn.training import TASKS, TrainingSettings, settings_for, task_of
from attnviz.features.learn.training.settings import (
    LEARNED_POSITIONS,
    MAX_BATCH,
    MAX_D_FF,
    MAX_D_MODEL,
    MAX_LAYERS,
    MAX_MODEL_HEADS,
    MAX_STEPS,
    MODEL_NORMS,
    OPTIMIZERS,
)
from attnviz.link.parameter_table import texts
from attnviz.words import plural, say
from attnviz.words.numbers import significant

_SHOWN_TEXTS = 3
_TASK_OPEN = "learn.task.open"  # whether the menu is open; each change of it starts a run

# Task -> variations of it that teach something, each one click away.
VARIATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "agreement": {"learns": {"seed": 5}, "sticks": {"seed": 4}, "saturated": {"learning_rate": 0.5}},
    "repeat": {"two_layers": {}, "one_layer": {"n_layers": 1}, "alike": {"n_heads": 2, "heads_alike": True}},
    "order": {"with_positions": {}, "no_positions": {"positions": "none"}},
}


def show_asked(settings: TrainingSettings, *, active: bool) -> str | None:
    """Draw the training's controls; return which closer look is open."""
    name = settings.task
    place = st.container(horizontal=True, vertical_alignment="center", key="learn_asked")
    place.markdown(f"{say('learn.rule')} **{say(f'learn.tasks.{name}.rule')}**", width="stretch")
    with place, st.container(horizontal=True, key="learn_controls", width="content"):
        part = show_parts(active=active)
        with st.popover(say("learn.task", task=say(f"learn.tasks.{name}.title").lower()), key=_TASK_OPEN,
                        on_change="rerun"):  # fmt: skip
            _show_task(settings)
        label = say(
            "learn.set_to", steps=plural(settings.steps, "step"), optimizer=say(f"learn.choices.{settings.optimizer}")
        )
        with st.popover(label, key="learn.settings.open"):
            _show_settings(settings)
    return part


def _show_task(settings: TrainingSettings) -> None:
    st.segmented_control(
        say("learn.what"), tuple(TASKS), format_func=lambda name: say(f"learn.tasks.{name}.title"),
        label_visibility="collapsed", **held("task", settings.task, _take_task),
    )  # fmt: skip
    st.text(say(f"learn.tasks.{settings.task}.law"))
    if settings.task == "text":
        show_own_text(settings)
    else:
        task = TASKS[settings.task]()  # type: ignore[call-arg]
        ids = task.held_out().ids
        texts = [ids[at].tolist() for at in range(0, len(ids), max(1, len(ids) // _SHOWN_TEXTS))][:_SHOWN_TEXTS]
        st.code("\n".join(task.joined.join(task.vocabulary[i] for i in row) for row in texts), language=None)
    for name, changed in VARIATIONS.get(settings.task, {}).items():
        st.button(say(f"learn.variations.{name}"), key=f"learn.variation.{name}", type="tertiary",
                  icon=":material/play_arrow:", on_click=_try,
                  args=(settings_for(TASKS[settings.task], **changed),))  # fmt: skip
    st.text(say(f"learn.tasks.{settings.task}.look"))
    own, is_current = learning(), take(LEARN_SENTENCE) or example_of(settings)
    # A sentence that is too long to be used stays in its field until the sentence in use changes.
    typed = own.too_long[1] if own.too_long and own.too_long[0] == is_current else is_current
    st.text_input(  # without max_chars: the field would silently refuse a longer paste
        say("learn.board.sentence"), icon=":material/edit:",
        **held("sentence", typed, lambda text: _take_sentence(text, is_current)),
    )  # fmt: skip


def _take_task(name: str) -> None:
    opened = texts()[LEARN].default
    if name in TASKS:
        begin_with(opened if name == opened.task else settings_for(TASKS[name]))


def _try(settings: TrainingSettings) -> None:
    """Train at once; close the popover, which would cover the training."""
    this_session().put(_TASK_OPEN, False)
    begin_with(settings)
    open_settings(settings)


def example_of(settings: TrainingSettings) -> str:
    """Return the example text of a task; blank if it has none."""
    try:
        return task_of(settings).example
    except ValueError:
        return ""


def _take_sentence(text: str, before: str) -> None:
    own = learning()
    own.too_long = None
    if len(text) > MOST_OF_LEARNED_SENTENCE:
        own.too_long = before, text
        characters = plural(len(text), "character")
        state.add_message(say("learn.board.too_long", characters=characters, most=MOST_OF_LEARNED_SENTENCE))
        return
    url_texts.put(LEARN_SENTENCE, text)


def _show_settings(settings: TrainingSettings) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole("steps", settings, 1, MAX_STEPS, step=100)
        _rate(settings)
        choice("optimizer", settings, OPTIMIZERS)
        whole("batch_size", settings, 1, MAX_BATCH)
        whole("seed", settings, 0, MAX_SEED)
    st.markdown(f"**{say('learn.model.heading')}**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole("n_layers", settings, 1, MAX_LAYERS)
        whole("n_heads", settings, 1, MAX_MODEL_HEADS)
        whole("d_model", settings, 1, MAX_D_MODEL)
        whole("d_k", settings, 1, MAX_D_MODEL)
        choice("positions", settings, LEARNED_POSITIONS)
        choice("norm", settings, MODEL_NORMS)
        st.number_input(say("learn.settings.d_ff"), 0, MAX_D_FF, width=122,
                        **held("d_ff", settings.d_ff or 0, lambda d_ff: change(d_ff=d_ff or None)))  # fmt: skip
    with st.container(horizontal=True):
        for name in ("tied", "bias", "heads_alike"):
            switch(name, settings)
    st.multiselect(say("learn.settings.frozen"), learned_in(settings),
                   **held("frozen", list(settings.frozen), lambda names: change(frozen=tuple(names))))  # fmt: skip


def _rate(settings: TrainingSettings) -> None:
    work = _under_way(settings)
    st.number_input(
        say("learn.settings.learning_rate"), 0.0, value=None, step=0.005, format="%g", width=122,
        help=None if work is None else say("learn.settings.rate_goes_on"),
        **held("rate", settings.learning_rate if work is None else work.rate, _take_rate),
    )  # fmt: skip


def _take_rate(rate: float | None) -> None:
    if rate is None:
        tell_blank("learning_rate")
        return
    work, found = _under_way(settings_of_address()), current_job()
    if work is None or found is None:
        change(learning_rate=rate)
        return
    try:
        work.change_rate(rate)
    except ValueError as error:
        state.add_message(say("learn.refused", why=message_of(error)))
        return
    if not found[0].active and shared().pool.settled(found[0], 0):
        work.settle_rate()  # so that the link has the new rate
    state.add_message(say("learn.rate_changed", rate=significant(rate)))


def _under_way(settings: TrainingSettings) -> OneTraining | None:
    """Return the training named by the address if its rate may change."""
    found = current_job()
    work = None if found is None else found[1]
    return work if work is not None and work.is_of(settings) and work.step and not work.done else None
