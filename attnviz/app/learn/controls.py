"""What is trained: the task with its data and its law, and the settings; all of it stands in the address."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from attnviz.app.learn.pool import Job
from attnviz.app.learn.shared import current_job
from attnviz.app.learn.works import OneTraining
from attnviz.app.parts.own_share import Beside, offer_beside
from attnviz.app.refusals import told
from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import take
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message, literal
from attnviz.core.limits import MAX_SEED
from attnviz.link.parameter_table import LEARN, LEARN_HEAD, LEARN_OFF, LEARN_SENTENCE, LEARN_STEP, LEARN_TEXT
from attnviz.link.parameter_table import texts as rows
from attnviz.link.training_text import MOST_OF_LEARNED, long_text
from attnviz.training import TASKS, Model, TrainingSettings, settings_for
from attnviz.training.settings import (
    CUTS,
    LEARNED_POSITIONS,
    MAX_BATCH,
    MAX_D_FF,
    MAX_D_MODEL,
    MAX_LAYERS,
    MAX_LENGTH,
    MAX_MODEL_HEADS,
    MAX_STEPS,
    MAX_VOCABULARY,
    MODEL_NORMS,
    OPTIMIZERS,
)
from attnviz.training.tasks.own_text import OwnText, n_different
from attnviz.words import plural, say

_TEXT = "learn.own_text"  # a longer one than a link carries stays in the session
_REFUSED = "learn.refused_text"  # what was typed and can't be learned
_SHOWN_TEXTS = 3
OPENED = "learn.opened"  # what the address asks for was trained, or can't be
START_NOW = "learn.start_now"  # what was put into the address is to be trained without another click


def asked() -> tuple[TrainingSettings, DeltaGenerator]:
    """Draw the task and its settings; return them, and where the buttons go."""
    settings = settings_of_address()
    _pick_task(settings)
    with st.container(key="learn_task", gap="small"):
        if settings.task == "text":
            _own_text(settings)
        else:
            _tell_task(settings)
    row = st.container(horizontal=True, vertical_alignment="bottom", key="learn_settings")
    with row:
        _whole("steps", settings, 1, MAX_STEPS, step=100)
        _rate(settings)
        _choice("optimizer", settings, OPTIMIZERS)
        _whole("batch_size", settings, 1, MAX_BATCH)
        _whole("seed", settings, 0, MAX_SEED)
        with st.popover(say("learn.model.heading"), width="content"):
            _model(settings)
    return settings, row


def settings_of_address() -> TrainingSettings:
    """Return what the address asks for, with the text that this session holds."""
    settings: TrainingSettings = take(LEARN)
    text = take(LEARN_TEXT)
    held = st.session_state.get(_TEXT, "")
    if settings.task != "text":
        return settings
    return replace(settings, text=held if len(held) > MOST_OF_LEARNED else text or say("learn.own.example"))


def is_text_lost() -> bool:
    """Whether the address names a text that a link can't hold, and this session doesn't hold it, either."""
    return bool(n := long_text(url_texts.current(LEARN))) and len(st.session_state.get(_TEXT, "")) != n


def _as_named(settings: TrainingSettings) -> TrainingSettings:
    """Return settings without their text where it has a parameter of its own, or the link has no room for it."""
    return settings if len(settings.text) > MOST_OF_LEARNED else replace(settings, text="")


def change(**changed: Any) -> bool:
    """Take other settings into the address; where they don't fit, say why. Return whether they were taken."""
    try:  # rates were changed on the way of another training
        settings = replace(settings_of_address().whole, **{"rates": (), **changed})
    except ValueError as error:
        state.say(say("learn.refused", why=told(error)))
        return False
    _put(_thawed(settings))
    return True


def _thawed(settings: TrainingSettings) -> TrainingSettings:
    """Return settings that freeze nothing but what their model has, and say what is frozen no more."""
    names = learned_in(settings) if settings.frozen else []
    gone = [name for name in settings.frozen if name not in names]
    if not gone:
        return settings
    state.say(say("learn.thawed", names=literal(", ".join(gone))))
    return replace(settings, frozen=tuple(name for name in settings.frozen if name in names))


def name_in_address(settings: TrainingSettings) -> None:
    """Have the address name a training, the usual one, too, so that it opens again what was begun."""
    url_texts.send(LEARN, rows()[LEARN].codec.encode(_as_named(settings)))


def _put(settings: TrainingSettings) -> None:
    url_texts.put(LEARN, _as_named(settings))
    url_texts.put(LEARN_STEP, None)


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


def begin_with(settings: TrainingSettings) -> None:
    """Take another task, or another seed of it, with what is shown of it at first."""
    _put(settings)
    url_texts.put(LEARN_SENTENCE, "")
    url_texts.put(LEARN_HEAD, (settings.n_layers - 1, 0))
    url_texts.put(LEARN_OFF, ())


def open_settings(settings: TrainingSettings) -> None:
    """Take other settings with their text, and have them trained at once."""
    if settings.task == "text":
        _hold(settings.text)
    if settings.task == settings_of_address().task:
        _put(settings)
    else:
        begin_with(settings)
    st.session_state[START_NOW] = True


def _tell_task(settings: TrainingSettings) -> None:
    task = TASKS[settings.task]()  # type: ignore[call-arg]
    ids = task.held_out().ids
    texts = [ids[at].tolist() for at in range(0, len(ids), max(1, len(ids) // _SHOWN_TEXTS))][:_SHOWN_TEXTS]
    left, right = st.columns((3, 2), vertical_alignment="center")
    with left:
        st.text(say(f"learn.tasks.{settings.task}.law"))
        st.text(say(f"learn.tasks.{settings.task}.look"))
        with st.container(horizontal=True):
            for name, changed in VARIATIONS.get(settings.task, {}).items():
                st.button(
                    say(f"learn.variations.{name}"), key=f"learn.variation.{name}", type="tertiary",
                    on_click=begin_with, args=(settings_for(task_kind(settings), **changed),),
                )  # fmt: skip
    right.code("\n".join(task.joined.join(task.vocabulary[i] for i in row) for row in texts), language=None)


def task_kind(settings: TrainingSettings) -> Any:
    """Return the kind of task of some settings."""
    return TASKS[settings.task]


# What teaches something by going otherwise, one click away.
VARIATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "agreement": {"learns": {}, "sticks": {"seed": 4}, "saturated": {"learning_rate": 0.5}},
    "repeat": {"two_layers": {}, "one_layer": {"n_layers": 1}, "alike": {"n_heads": 2, "heads_alike": True}},
    "order": {"with_positions": {}, "no_positions": {"positions": "none"}},
}


def _own_text(settings: TrainingSettings) -> None:
    st.text(say("learn.tasks.text.law"))
    st.session_state["learn.typed"] = st.session_state.get(_REFUSED, settings.text)
    if is_text_lost():
        st.warning(
            as_message(say("learn.own.lost", characters=plural(long_text(url_texts.current(LEARN)), "character")))
        )
    left, right = st.columns((3, 2))
    left.text_area(  # without max_chars: the browser would refuse a longer paste without a word
        say("learn.own.text"), key="learn.typed", height=110, on_change=_take_typed
    )
    with right:
        st.file_uploader(say("learn.own.file"), key="learn.file", max_upload_size=1, on_change=_take_file)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _choice("cut", settings, CUTS)
            _whole("length", settings, 2, MAX_LENGTH)
    if len(settings.text) > MOST_OF_LEARNED:
        told = say("learn.own.no_link", characters=plural(len(settings.text), "character"), most=f"{MOST_OF_LEARNED:,}")
        st.info(as_message(told))
        offer_beside(Beside(told, say("learn.own.save"), "text.txt", settings.text))
    if (different := n_different(settings)) > MAX_VOCABULARY:
        st.text(say("learn.own.rare", different=f"{different:,}", kept=MAX_VOCABULARY - 1))
    _tell_held_out(settings)
    st.text(say("learn.tasks.text.look"))


def _tell_held_out(settings: TrainingSettings) -> None:
    """Say which piece of a text is held out; of a text too short for that, that it is learned from, too."""
    try:
        task = OwnText.of(settings)
    except ValueError:  # which Start tells
        return
    key = "in_both" if task.n_in_both else "held_out"
    st.text(say(f"learn.own.{key}", length=plural(task.length, "token"), n=task.n_in_both))


def _take_typed() -> None:
    """Take what was typed; what can't be learned stays in its field, to be mended."""
    text = st.session_state["learn.typed"]
    st.session_state.pop(_REFUSED, None)
    if not take_text(text) and text.strip():
        st.session_state[_REFUSED] = text


def take_text(text: str) -> bool:
    """Have a text learned from, or say why it can't be; return whether it is."""
    if not text.strip():
        state.say(say("learn.own.blank"))
        return False
    if is_text_lost() and len(text) == long_text(url_texts.current(LEARN)):  # the one of the link: it opens now
        st.session_state.pop(_REFUSED, None)
        _hold(text)
        st.session_state.pop(OPENED, None)
        return True
    if not change(text=text):
        return False
    st.session_state.pop(_REFUSED, None)
    _hold(text)
    url_texts.put(LEARN_SENTENCE, "")
    return True


def _hold(text: str) -> None:
    st.session_state[_TEXT] = text
    url_texts.put(LEARN_TEXT, text if len(text) <= MOST_OF_LEARNED else "")


def _take_file() -> None:
    upload = st.session_state["learn.file"]
    if upload is None:
        return
    try:
        text = upload.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        state.say(say("learn.own.no_text"))
        return
    if "\0" in text:
        state.say(say("learn.own.no_text"))
        return
    take_text(text)


def _take(name: str, key: str) -> Callable[[], None]:
    def take_it() -> None:
        if not _is_blank(name, key):
            change(**{name: st.session_state[key]})

    return take_it


def _is_blank(name: str, key: str) -> bool:
    """Whether a field was left without a number that can be used; it keeps what it had then, and that is told."""
    if st.session_state[key] is not None:
        return False
    state.say(say("learn.no_value", name=say(f"learn.settings.{name}")))
    return True


def _whole(name: str, settings: TrainingSettings, low: int, high: int, step: int = 1) -> None:
    key = f"learn.{name}"
    st.session_state[key] = getattr(settings, name)
    st.number_input(
        say(f"learn.settings.{name}"), low, high, None, step=step, key=key, on_change=_take(name, key), width=122
    )


def _choice(name: str, settings: TrainingSettings, choices: tuple[str, ...]) -> None:
    key = f"learn.{name}"
    st.session_state[key] = getattr(settings, name)
    st.selectbox(
        say(f"learn.settings.{name}"), choices, key=key, on_change=_take(name, key), width=118,
        format_func=lambda choice: say(f"learn.choices.{choice}"),
    )  # fmt: skip


def _switch(name: str, settings: TrainingSettings) -> None:
    key = f"learn.{name}"
    st.session_state[key] = getattr(settings, name)
    st.toggle(say(f"learn.settings.{name}"), key=key, on_change=_take(name, key))


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
    if _is_blank("learning_rate", "learn.rate"):
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
    state.say(say("learn.rate_changed", step=plural(found[1].step, "step"), rate=f"{rate:g}"))


def _job_of(settings: TrainingSettings) -> tuple[Job, OneTraining] | None:
    """Return the training under way, if it is the one that the address names."""
    found = current_job()
    return found if found is not None and found[1].is_of(settings) else None


def _model(settings: TrainingSettings) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _whole("n_layers", settings, 1, MAX_LAYERS)
        _whole("n_heads", settings, 1, MAX_MODEL_HEADS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _whole("d_model", settings, 1, MAX_D_MODEL)
        _whole("d_k", settings, 1, MAX_D_MODEL)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choice("positions", settings, LEARNED_POSITIONS)
        _choice("norm", settings, MODEL_NORMS)
    st.session_state["learn.d_ff"] = settings.d_ff or 0
    st.number_input(
        say("learn.settings.d_ff"), 0, MAX_D_FF, key="learn.d_ff", width=122,
        on_change=_take_d_ff,
    )  # fmt: skip
    for name in ("tied", "bias", "heads_alike"):
        _switch(name, settings)
    st.session_state["learn.frozen"] = list(settings.frozen)
    st.multiselect(
        say("learn.settings.frozen"), learned_in(settings), key="learn.frozen",
        on_change=_take_frozen,
    )  # fmt: skip


def _take_d_ff() -> None:
    change(d_ff=st.session_state["learn.d_ff"] or None)


def _take_frozen() -> None:
    change(frozen=tuple(st.session_state["learn.frozen"]))


def learned_in(settings: TrainingSettings) -> list[str]:
    """Return the names of what these settings learn, and of what they freeze."""
    try:
        return list(Model.of(replace(settings, frozen=())).shapes)
    except ValueError:
        return list(settings.frozen)
