"""Training settings in the address: reading, changing and drawing their fields."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.session import Attachment, this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message, literal, message_of
from attnviz.features.learn.page.running import learning
from attnviz.features.learn.parameters import (
    LEARN,
    LEARN_HEAD,
    LEARN_OFF,
    LEARN_SENTENCE,
    LEARN_STEP,
    LEARN_TEXT,
    MOST_OF_LEARNED,
    LongText,
    long_text,
)
from attnviz.features.learn.training import Model, TrainingSettings
from attnviz.features.learn.training.settings import CUTS, MAX_LENGTH, MAX_VOCABULARY
from attnviz.features.learn.training.tasks.own_text import OwnText, n_different
from attnviz.link.parameter_table import texts as rows
from attnviz.words import plural, say, thousands


def settings_of_address() -> TrainingSettings:
    """Return the training settings of the address, with this session's text."""
    settings: TrainingSettings = take(LEARN)
    text = take(LEARN_TEXT)
    held = learning().text
    if settings.task != "text":
        return settings
    return replace(settings, text=held if len(held) > MOST_OF_LEARNED else text or say("learn.own.example"))


def is_text_lost() -> bool:
    """Whether the address names a text that neither link nor session holds."""
    named = named_text()
    return named is not None and not named.is_that(learning().text)


def named_text() -> LongText | None:
    """Return the text too long for the link; None if it fits."""
    return long_text(url_texts.current(LEARN))


def _as_named(settings: TrainingSettings) -> TrainingSettings:
    """Return settings as the link names them, without a text stored elsewhere."""
    return settings if len(settings.text) > MOST_OF_LEARNED else replace(settings, text="")


def change(**changed: Any) -> bool:
    """Put changed settings into the address; return whether they were valid."""
    try:  # without changes of the rate, which belong to the earlier training
        settings = replace(settings_of_address().whole, **{"rates": (), **changed})
    except ValueError as error:
        state.add_message(say("learn.refused", why=message_of(error)))
        return False
    _put(_thawed(settings))
    return True


def _thawed(settings: TrainingSettings) -> TrainingSettings:
    """Return settings without frozen matrices that their model lacks, and say so."""
    names = learned_in(settings) if settings.frozen else []
    gone = [name for name in settings.frozen if name not in names]
    if not gone:
        return settings
    state.add_message(say("learn.thawed", names=literal(", ".join(gone))))
    return replace(settings, frozen=tuple(name for name in settings.frozen if name in names))


def name_in_address(settings: TrainingSettings) -> None:
    """Write a training into the address, even the default one."""
    url_texts.send(LEARN, rows()[LEARN].codec.encode(_as_named(settings)))


def _put(settings: TrainingSettings) -> None:
    url_texts.put(LEARN, _as_named(settings))
    url_texts.put(LEARN_STEP, None)


def begin_with(settings: TrainingSettings) -> None:
    """Switch to another task or seed, and reset what is shown."""
    _put(settings)
    url_texts.put(LEARN_SENTENCE, "")
    url_texts.put(LEARN_HEAD, (settings.n_layers - 1, 0))
    url_texts.put(LEARN_OFF, ())


def open_settings(settings: TrainingSettings) -> None:
    """Take other settings with their text, and have them trained at once."""
    if settings.task == "text":
        hold_text(settings.text)
    if settings.task == settings_of_address().task:
        _put(settings)
    else:
        begin_with(settings)
    learning().start_now = True


def hold_text(text: str) -> None:
    """Keep a text in the session and, if it fits, the address."""
    learning().text = text
    url_texts.put(LEARN_TEXT, text if len(text) <= MOST_OF_LEARNED else "")


def learned_in(settings: TrainingSettings) -> list[str]:
    """Return the names of all learnable matrices, frozen ones included."""
    try:
        return list(Model.of(replace(settings, frozen=())).shapes)
    except ValueError:
        return list(settings.frozen)


def whole(name: str, settings: TrainingSettings, low: int, high: int, step: int = 1) -> None:
    """Draw the field of a whole number."""
    st.number_input(min_value=low, max_value=high, value=None, step=step, width=122, **_field(name, settings))


def choice(name: str, settings: TrainingSettings, choices: tuple[str, ...]) -> None:
    """Draw a choice among some names."""
    st.selectbox(
        options=choices, width=118, format_func=lambda choice: say(f"learn.choices.{choice}"), **_field(name, settings)
    )


def switch(name: str, settings: TrainingSettings) -> None:
    """Draw a switch."""
    st.toggle(**_field(name, settings))


def _field(name: str, settings: TrainingSettings) -> dict[str, Any]:
    """Return label, key and callback of a setting's field, with its value."""

    def take(value: Any) -> None:
        if value is None:
            tell_blank(name)
        else:
            change(**{name: value})

    return {"label": say(f"learn.settings.{name}"), **held(name, getattr(settings, name), take)}


def held(name: str, value: Any, take: Callable[[Any], object]) -> dict[str, Any]:
    """Set a menu's control before it's drawn; return key and callback.

    A control of a closed menu isn't in the page, so it doesn't receive a value that was set elsewhere. The page would
    go on sending the old value, which would count as typed. So whenever the value is one that the control didn't send
    itself, a new control with another key takes its place.
    """
    fields = learning().fields
    told, changes = fields.get(name, (value, 0))
    changes += told != value
    fields[name] = value, changes
    key = f"learn.{name}.{changes}" if changes else f"learn.{name}"

    def taken() -> None:
        if fields[name][1] != changes:  # from an older control, which the page still sends until the run has ended
            return
        sent = this_session().get(key)
        fields[name] = sent, changes
        take(sent)

    return this_session().held(key, value, lambda _: taken())


def tell_blank(name: str) -> None:
    """Say that a field holds no usable number."""
    state.add_message(say("learn.no_value", name=say(f"learn.settings.{name}")))


def show_own_text(settings: TrainingSettings) -> None:
    """Draw the field for the reader's text, its tokenizing and held-out part."""
    own = learning()
    if is_text_lost() and (named := named_text()):
        st.warning(as_message(say("learn.own.lost", characters=plural(named.n_characters, "character"))))
    st.text_area(  # without max_chars: the field would silently refuse a longer paste
        say("learn.own.text"), height=110,
        **held("typed", settings.text if own.refused is None else own.refused, _take_typed),
    )  # fmt: skip
    st.file_uploader(say("learn.own.file"), key="learn.file", max_upload_size=1, on_change=_take_file)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("cut", settings, CUTS)
        whole("length", settings, 2, MAX_LENGTH)
    if len(settings.text) > MOST_OF_LEARNED:
        told = say(
            "learn.own.no_link", characters=plural(len(settings.text), "character"), most=thousands(MOST_OF_LEARNED)
        )
        st.info(as_message(told))
        this_session().shared.attachment = Attachment(told, say("learn.own.save"), "text.txt", settings.text)
    if (different := n_different(settings)) > MAX_VOCABULARY:
        st.text(say("learn.own.rare", different=thousands(different), kept=MAX_VOCABULARY - 1))
    _tell_held_out(settings)


def _tell_held_out(settings: TrainingSettings) -> None:
    """Say which part of the text is held out, if any."""
    try:
        task = OwnText.of(settings)
    except ValueError:  # reported where the training is drawn
        return
    key = "repeats" if task.repeats else "in_both" if task.n_in_both else "held_out"
    st.text(say(f"learn.own.{key}", length=plural(task.length, "token"), n=task.n_in_both))


def _take_typed(text: str) -> None:
    """Use the typed text; one that can't be learned stays for correction."""
    taken = take_text(text)
    learning().refused = text if not taken and text.strip() else None


def take_text(text: str) -> bool:
    """Use a text for training, or say why not; return which."""
    if not text.strip():
        state.add_message(say("learn.own.blank"))
        return False
    if is_text_lost() and (named := named_text()) and named.is_that(text):  # so the link can be opened now
        learning().refused = None
        hold_text(text)
        learning().opened = False
        return True
    if not change(text=text):
        return False
    learning().refused = None
    hold_text(text)
    url_texts.put(LEARN_SENTENCE, "")
    return True


def _take_file() -> None:
    upload = this_session().get("learn.file")
    if not hasattr(upload, "getvalue"):  # no file, or one that the server no longer has
        return
    try:
        text = upload.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        state.add_message(say("learn.own.no_text"))
        return
    take_text(text.replace("\r\n", "\n").replace("\r", "\n"))  # the same line ends as in a pasted text
