"""What a page that isn't about the set-up gives Share to take home instead of it."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from attnviz.core.attention import AttentionTrace

_OWN = "share.own"


class Own(NamedTuple):
    """A computation of a page, called by its `name` in files: its trace, a script that prints its numbers and is
    said to be `about` these, a report of it, and a page of all that stands around it."""

    name: str
    about: str
    trace: AttentionTrace
    script: Callable[[], str]
    report: Callable[[], str]
    page: Callable[[], str]


def offer_own(own: Own) -> None:
    """Give this to Share in this run."""
    st.session_state[_OWN] = own


def take_own() -> Own | None:
    """Return what this run's page gave, or None."""
    own: Own | None = st.session_state.pop(_OWN, None)
    return own
