"""What is trained, as the address has it: read, changed, and put back."""

from dataclasses import replace
from typing import Any

from attnviz.app.learn.running import learning
from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import take
from attnviz.app.text import literal, told
from attnviz.link.model_texts import MOST_OF_LEARNED, LongText, long_text
from attnviz.link.parameter_table import LEARN, LEARN_HEAD, LEARN_OFF, LEARN_SENTENCE, LEARN_STEP, LEARN_TEXT
from attnviz.link.parameter_table import texts as rows
from attnviz.training import Model, TrainingSettings
from attnviz.words import say


def settings_of_address() -> TrainingSettings:
    """Return what the address asks for, with the text that this session holds."""
    settings: TrainingSettings = take(LEARN)
    text = take(LEARN_TEXT)
    held = learning().text
    if settings.task != "text":
        return settings
    return replace(settings, text=held if len(held) > MOST_OF_LEARNED else text or say("learn.own.example"))


def is_text_lost() -> bool:
    """Whether the address names a text that a link can't hold, and this session doesn't hold it, either."""
    named = named_text()
    return named is not None and not named.is_that(learning().text)


def named_text() -> LongText | None:
    """Return what the address says of a text that a link can't hold; None where it holds all."""
    return long_text(url_texts.current(LEARN))


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


def begin_with(settings: TrainingSettings) -> None:
    """Take another task, or another seed of it, with what is shown of it at first."""
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
    """Keep a text in the session, and in the address where there is room for it."""
    learning().text = text
    url_texts.put(LEARN_TEXT, text if len(text) <= MOST_OF_LEARNED else "")


def learned_in(settings: TrainingSettings) -> list[str]:
    """Return the names of what these settings learn, and of what they freeze."""
    try:
        return list(Model.of(replace(settings, frozen=())).shapes)
    except ValueError:
        return list(settings.frozen)
