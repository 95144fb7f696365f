"""Messages of the page's own components: each has a number, and is answered when its change is made; see sending.js."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from attnviz.app.session import address

_ENDING = ".answered"


def answered(key: str) -> float:
    """Return the number of the message of this component that was answered last."""
    return st.session_state.get(key + _ENDING, 0)


def answers() -> dict[str, float]:
    """Return the same for each component that has sent any, by its key."""
    found = {str(name): value for name, value in st.session_state.items() if str(name).endswith(_ENDING)}
    return {name.removesuffix(_ENDING): value for name, value in found.items()}


@contextmanager
def answering(key: str, number: float) -> Iterator[None]:
    """Answer a message, and write what it changes into the address at once: with the next message's change, it would
    be one step in the browser's history."""
    st.session_state[key + _ENDING] = number
    try:
        yield
    finally:
        address.write()
