"""The rest of a page waits until the browser has painted what stands first on it.

Sent at once, all of it would be drawn together, and painted when that is done: after many times as long. How long the
first part takes is known to the browser alone, which tells it by a request of its own (server/answers.py). Who tells
says a word that only this session's page was told.
"""

import secrets
from threading import Event
from weakref import WeakValueDictionary

import streamlit as st

from attnviz.app.session.session import this_session

AT = "painted"  # where it is told, seen from the server


class Painting:
    """The first picture of a session's page: whether one is `begun`, and whether it's painted."""

    def __init__(self) -> None:
        self.word = secrets.token_urlsafe(24)
        self.begun = False
        self.painted = Event()

    def asks(self) -> dict[str, str]:
        """Return what the browser is told: where it tells, and what."""
        return {"at": AT, "word": self.word}

    def wait(self, seconds: float) -> None:
        """Wait until what has begun is painted, so many seconds at most. Who is no browser isn't waited for."""
        if self.begun and "Origin" in st.context.headers:  # which every browser sends
            self.painted.wait(seconds)


# Each page is held by its session, and goes with it.
_PAGES: WeakValueDictionary[str, Painting] = WeakValueDictionary()


def painting_that_says(word: str) -> Painting | None:
    """Return what was told this word; None where there is none, or no longer."""
    return _PAGES.get(word)


def painting() -> Painting:
    """Return what the page of this session waits for."""
    session = this_session()
    if session.painting is None:
        session.painting = Painting()
        _PAGES[session.painting.word] = session.painting
    return session.painting
