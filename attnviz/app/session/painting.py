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
        PAINTINGS[self.word] = self

    def wait(self, seconds: float) -> None:
        """Wait for a browser to paint, at most this many seconds."""
        if self.begun and "Origin" in st.context.headers:  # which every browser sends
            self.begun = False  # once is enough
            self.painted.wait(seconds)


# By their words: each is held by its session, and goes with it.
PAINTINGS: WeakValueDictionary[str, Painting] = WeakValueDictionary()
