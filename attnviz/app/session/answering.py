"""Messages of the page's own components: each has a number, and is answered when its change is made; see sending.js."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from attnviz.app import streamlit_internals
from attnviz.app.session import address

_ANSWERED = "answered"


def answered(key: str) -> float:
    """Return the number of the message of this component that was answered last."""
    return answers().get(key, 0)


def answers() -> dict[str, float]:
    """Return the same for each component that has sent any, by its key: to be read, not to be changed."""
    found: dict[str, float] = streamlit_internals.kept(_ANSWERED, {})
    return found


def sent_by(key: str, name: str) -> Any:
    """Return what a component has sent under this name, in a callback; None where it is nothing.

    Of one whose page was left by the next click, before a busy server had heard of what was done, Streamlit holds no
    state any more, but still what was sent.
    """
    found = st.session_state.get(key, {}).get(name)
    return streamlit_internals.sent_event(key, name) if found is None else found


@contextmanager
def answering(key: str, number: float) -> Iterator[None]:
    """Answer a message, and write what it changes into the address at once: with the next message's change, it would
    be one step in the browser's history."""
    note_answer(key, number)
    try:
        yield
    finally:
        address.write()


def note_answer(key: str, number: float) -> None:
    """Note which message of a component is answered."""
    st.session_state[_ANSWERED] = answers() | {key: number}
