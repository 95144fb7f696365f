"""Messages of the page's own components: each has a number, and is answered when its change is made; see sending.js."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from attnviz.app.session import address

_ANSWERED = "answered"


def answered(key: str) -> float:
    """Return the number of the message of this component that was answered last."""
    return answers().get(key, 0)


def answers() -> dict[str, float]:
    """Return the same for each component that has sent any, by its key: to be read, not to be changed."""
    found: dict[str, float] = st.session_state.get(_ANSWERED, {})
    return found


@contextmanager
def answering(key: str, number: float) -> Iterator[None]:
    """Answer a message, and write what it changes into the address at once: with the next message's change, it would
    be one step in the browser's history."""
    st.session_state[_ANSWERED] = answers() | {key: number}
    try:
        yield
    finally:
        address.write()
