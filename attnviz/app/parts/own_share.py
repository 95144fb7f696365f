"""What a page that isn't about the set-up gives Share to take home instead of it, or beside its link."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from attnviz.core.attention import AttentionTrace

SHARE = "share"  # whether it is open, in the session
_OWN, _BESIDE = "share.own", "share.goes_along"


class Own(NamedTuple):
    """A computation of a page, called by its `name` in files: its trace, a script that prints its numbers and is
    said to be `about` these, a report of it, and a page of all that stands around it."""

    name: str
    about: str
    trace: AttentionTrace
    script: Callable[[], str]
    report: Callable[[], str]
    page: Callable[[], str]


class Beside(NamedTuple):
    """What the link of a page can't hold: what is `told` of that, and a text file that has to go with the link."""

    told: str
    label: str
    file_name: str
    text: str


def offer_beside(beside: Beside) -> None:
    """Have Share say in this run what the link can't hold."""
    st.session_state[_BESIDE] = beside


def take_beside() -> Beside | None:
    """Return what the link of this run's page can't hold, or None."""
    beside: Beside | None = st.session_state.pop(_BESIDE, None)
    return beside


def offer_own(own: Own) -> None:
    """Give this to Share in this run."""
    st.session_state[_OWN] = own


def take_own() -> Own | None:
    """Return what this run's page gave, or None."""
    own: Own | None = st.session_state.pop(_OWN, None)
    return own
