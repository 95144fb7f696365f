"""Delay the rest of a page until its first part is painted.

Sent at once, all of it would be drawn together, and painted when that is done: after many times as long. How long the
first part takes is known to the browser alone, which tells it by a request of its own (server/answers.py). Who tells
says a word that only this session's page was told.
"""

import secrets
from threading import Event
from weakref import WeakValueDictionary

import streamlit as st

AT = "painted"  # where it is told, seen from the server


class Painting:
    """The first picture of a page: whether it's `begun`, and `painted`."""

    def __init__(self) -> None:
        self.word = secrets.token_urlsafe(24)
        self.begun = False
        self.painted = Event()
        _PAGES[self.word] = self

    def asks(self) -> dict[str, str]:
        """Return what the browser is told: where it tells, and what."""
        return {"at": AT, "word": self.word}

    def wait(self, seconds: float) -> None:
        """Wait for a browser to paint, at most this many seconds."""
        if self.begun and "Origin" in st.context.headers:  # which every browser sends
            self.painted.wait(seconds)


# Each page is held by its session, and goes with it.
_PAGES: WeakValueDictionary[str, Painting] = WeakValueDictionary()


def painting_that_says(word: str) -> Painting | None:
    """Return the picture with this word; None without one."""
    return _PAGES.get(word)
