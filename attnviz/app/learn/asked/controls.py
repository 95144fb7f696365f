"""What is trained: the task with its data and its law, and the settings; all of it stands in the address."""

from typing import Any

import streamlit as st

from attnviz.app.learn.asked.address import begin_with, change, learned_in, settings_of_address, task_kind
from attnviz.app.learn.asked.fields import choice, is_blank, switch, whole
from attnviz.app.learn.asked.own_text import show_own_text
from attnviz.app.learn.running.pool import Job
from attnviz.app.learn.running.shared import current_job, shared
from attnviz.app.learn.running.works import OneTraining
from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.core.limits import MAX_SEED
from attnviz.training import TASKS, TrainingSettings, settings_for
from attnviz.training.settings import (
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
from attnviz.words import say
from attnviz.words.numbers import significant

_SHOWN_TEXTS = 3


def asked() -> tuple[TrainingSettings, DeltaGenerator]:
    """Draw the task and its settings; return them, and where the buttons go."""
    settings = settings_of_address()
    _pick_task(settings)
    with st.container(key="learn_task", gap="small"):
        if settings.task == "text":
            show_own_text(settings)
        else:
            _tell_task(settings)
    row = st.container(horizontal=True, vertical_alignment="bottom", key="learn_settings")
    with row:
        whole("steps", settings, 1, MAX_STEPS, step=100)
        _rate(settings)
        choice("optimizer", settings, OPTIMIZERS)
        whole("batch_size", settings, 1, MAX_BATCH)
        whole("seed", settings, 0, MAX_SEED)
        with st.popover(say("learn.model.heading"), width="content"):
            _model(settings)
    return settings, row


def _pick_task(settings: TrainingSettings) -> None:
    st.session_state["learn.task"] = settings.task
    st.segmented_control(
        say("learn.task"), tuple(TASKS), key="learn.task", format_func=lambda name: say(f"learn.tasks.{name}.title"),
        on_change=_take_task, label_visibility="collapsed",
    )  # fmt: skip


def _take_task() -> None:
    name = st.session_state["learn.task"]
    if name in TASKS:
        begin_with(settings_for(TASKS[name]))


def _tell_task(settings: TrainingSettings) -> None:
    task = TASKS[settings.task]()  # type: ignore[call-arg]
    ids = task.held_out().ids
    texts = [ids[at].tolist() for at in range(0, len(ids), max(1, len(ids) // _SHOWN_TEXTS))][:_SHOWN_TEXTS]
    left, right = st.columns((3, 2), vertical_alignment="center")
    with left.container(gap="xxsmall"):
        st.text(say(f"learn.tasks.{settings.task}.law"))
        st.text(say(f"learn.tasks.{settings.task}.look"))
        with st.container(horizontal=True):
            for name, changed in VARIATIONS.get(settings.task, {}).items():
                st.button(
                    say(f"learn.variations.{name}"), key=f"learn.variation.{name}", type="tertiary",
                    on_click=begin_with, args=(settings_for(task_kind(settings), **changed),),
                )  # fmt: skip
    right.code("\n".join(task.joined.join(task.vocabulary[i] for i in row) for row in texts), language=None)


# What teaches something by going otherwise, one click away.
VARIATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "agreement": {"learns": {}, "sticks": {"seed": 4}, "saturated": {"learning_rate": 0.5}},
    "repeat": {"two_layers": {}, "one_layer": {"n_layers": 1}, "alike": {"n_heads": 2, "heads_alike": True}},
    "order": {"with_positions": {}, "no_positions": {"positions": "none"}},
}


def _rate(settings: TrainingSettings) -> None:
    found = _job_of(settings)
    under_way = found is not None and found[1].step > 0 and not found[1].done
    rate = settings.learning_rate if found is None else found[1].rate
    st.session_state["learn.rate"] = rate
    st.number_input(
        say("learn.settings.learning_rate"), 0.0, value=None, step=0.005, format="%g", key="learn.rate",
        on_change=_take_rate, help=say("learn.settings.rate_goes_on") if under_way else None, width=122,
    )  # fmt: skip


def _take_rate() -> None:
    if is_blank("learning_rate", "learn.rate"):
        return
    rate, found = st.session_state["learn.rate"], _job_of(settings_of_address())
    if found is None or found[1].step == 0 or found[1].done:
        change(learning_rate=rate)
        return
    try:
        found[1].change_rate(rate)
    except ValueError as error:
        state.say(say("learn.refused", why=told(error)))
        return
    if not found[0].active and shared().pool.settled(found[0], 0):
        found[1].settle_rate()  # so that its link has it, and what is stopped now keeps it
    state.say(say("learn.rate_changed", rate=significant(rate)))


def _job_of(settings: TrainingSettings) -> tuple[Job, OneTraining] | None:
    """Return the training under way, if it is the one that the address names."""
    found = current_job()
    return found if found is not None and found[1].is_of(settings) else None


def _model(settings: TrainingSettings) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole("n_layers", settings, 1, MAX_LAYERS)
        whole("n_heads", settings, 1, MAX_MODEL_HEADS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole("d_model", settings, 1, MAX_D_MODEL)
        whole("d_k", settings, 1, MAX_D_MODEL)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("positions", settings, LEARNED_POSITIONS)
        choice("norm", settings, MODEL_NORMS)
    st.session_state["learn.d_ff"] = settings.d_ff or 0
    st.number_input(
        say("learn.settings.d_ff"), 0, MAX_D_FF, key="learn.d_ff", width=122,
        on_change=_take_d_ff,
    )  # fmt: skip
    for name in ("tied", "bias", "heads_alike"):
        switch(name, settings)
    st.session_state["learn.frozen"] = list(settings.frozen)
    st.multiselect(
        say("learn.settings.frozen"), learned_in(settings), key="learn.frozen",
        on_change=_take_frozen,
    )  # fmt: skip


def _take_d_ff() -> None:
    change(d_ff=st.session_state["learn.d_ff"] or None)


def _take_frozen() -> None:
    change(frozen=tuple(st.session_state["learn.frozen"]))
