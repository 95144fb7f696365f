"""A setting of a training as a field, whose change is taken into the address."""

from collections.abc import Callable

import streamlit as st

from attnviz.app.learn.address import change
from attnviz.app.session import state
from attnviz.app.session.session import this_session
from attnviz.training import TrainingSettings
from attnviz.words import say


def whole(name: str, settings: TrainingSettings, low: int, high: int, step: int = 1) -> None:
    """Draw the field of a whole number."""
    key = f"learn.{name}"
    this_session().put(key, getattr(settings, name))
    st.number_input(
        say(f"learn.settings.{name}"), low, high, None, step=step, key=key, on_change=_take(name, key), width=122
    )


def choice(name: str, settings: TrainingSettings, choices: tuple[str, ...]) -> None:
    """Draw a choice among some names."""
    key = f"learn.{name}"
    this_session().put(key, getattr(settings, name))
    st.selectbox(
        say(f"learn.settings.{name}"), choices, key=key, on_change=_take(name, key), width=118,
        format_func=lambda choice: say(f"learn.choices.{choice}"),
    )  # fmt: skip


def switch(name: str, settings: TrainingSettings) -> None:
    """Draw a switch."""
    key = f"learn.{name}"
    this_session().put(key, getattr(settings, name))
    st.toggle(say(f"learn.settings.{name}"), key=key, on_change=_take(name, key))


def _take(name: str, key: str) -> Callable[[], None]:
    def take_it() -> None:
        if not is_blank(name, key):
            change(**{name: this_session().get(key)})

    return take_it


def is_blank(name: str, key: str) -> bool:
    """Whether a field was left without a number that can be used; it keeps what it had then, and that is told."""
    if this_session().get(key) is not None:
        return False
    state.say(say("learn.no_value", name=say(f"learn.settings.{name}")))
    return True
