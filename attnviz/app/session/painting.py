"""The rest of a page waits until the browser has painted what stands first on it.

Sent at once, all of it would be drawn together, and painted when that is done: after many times as long. How long the
first part takes is known to the browser alone, which tells it by a request of its own (server/answers.py). Who tells
says a word that only this session's page was told.
"""

import secrets
from threading import Condition
from weakref import WeakValueDictionary

import streamlit as st

from attnviz.app.session.session import this_session

AT = "painted"  # where it is told, seen from the server
_LEAST = 0.1  # seconds for a browser that has told nothing when it should have


class Painting:
    """What the page of a session waits for."""

    def __init__(self) -> None:
        self.word = secrets.token_urlsafe(24)
        self._number = self._painted = 0
        self._tells = True
        self._changed = Condition()

    def begin(self) -> None:
        """Something else is going to be painted."""
        self._number += 1

    def begin_first(self) -> None:
        """What stands first on the page that was opened is going to be drawn."""
        if not self._number:
            self.begin()

    def asks(self) -> dict[str, str | int]:
        """Return what the browser is told: where it tells, and what it tells once all this is painted."""
        return {"at": AT, "word": self.word, "number": self._number}

    def tell(self, number: int) -> None:
        """All up to this one is painted."""
        with self._changed:
            self._painted = max(self._painted, number)
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Wait until what has begun last is painted, so many seconds at most; few where the browser told nothing the
        last time, as behind a proxy that lets no such request through. Who is no browser isn't waited for."""
        if "Origin" not in st.context.headers:  # which every browser sends
            return
        with self._changed:
            self._tells = self._changed.wait_for(
                lambda: self._painted >= self._number, seconds if self._tells else min(seconds, _LEAST)
            )


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
