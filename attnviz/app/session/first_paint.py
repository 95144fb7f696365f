"""Delay the rest of a page until its first part is painted.

A browser that gets the whole page at once paints nothing until all of it is laid out, which takes many times as long as
the first part alone. Only the browser knows when the first part is painted. It then sends a request
(server/endpoints.py), with a secret word that only this session's page has.
"""

import secrets
from threading import Event
from weakref import WeakValueDictionary

import streamlit as st

AT = "painted"  # path of that request, below the server's base path


class Painting:
    """The first paint of a page: whether it's `begun`, and `painted`."""

    def __init__(self) -> None:
        self.word = secrets.token_urlsafe(24)
        self.begun = False
        self.painted = Event()
        PAINTINGS[self.word] = self

    def wait(self, seconds: float) -> None:
        """Wait for a browser to paint, at most this many seconds."""
        # Browsers send this header. Other clients never report a paint, so there is nothing to wait for.
        if self.begun and "Origin" in st.context.headers:
            self.begun = False  # each page waits once
            self.painted.wait(seconds)


# The paintings by their secret words. The references are weak, so that a painting lives as long as its session.
PAINTINGS: WeakValueDictionary[str, Painting] = WeakValueDictionary()
