"""Torch's numbers for an edit on the board, told without a run of the page.

A run of the page, and what the browser makes of it, takes longer than whoever released a number should wait, and costs
a server more than all of the computation. So the board sends what was done by a request of its own (server/numbers.py).
It is told the numbers that a run would draw, made by the same functions from the scenario that the board stands on.
Where none of the session's runs is under way, the session takes the edit then and there, and the board is told so, with
what the address is to say: the page runs once the hand rests (rest_of_page.py). Else the session stays as it is, and
the board tells the page of the edit as it tells of all else.

Who asks says a word that only this session's page was told, and which numbers it shows: where the board stands on
others by now, it hears nothing, and a run tells it.
"""

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, cast
from weakref import WeakValueDictionary

import streamlit as st

from attnviz.app.components.drawing import Drawing, Drawn
from attnviz.app.keeper import figures
from attnviz.app.session.pace import Pace
from attnviz.app.streamlit_internals import kept, session_of_now, within_session
from attnviz.core.changes import edit_cells
from attnviz.core.scenario import Scenario

AT = "numbers"  # where they are asked for, seen from the server
UNUSABLE = (ValueError, TypeError, KeyError, OverflowError)  # what comes of a message that no board sends
Change = Callable[[Scenario], Scenario]
Take = Callable[[Mapping[str, Any]], bytes | None]
_PAGE = "board.at_once"


class AskingPage:
    """The page of a session, as it asks for numbers: one thing at a time, and no faster than it may."""

    def __init__(self, session: str) -> None:
        self.word = secrets.token_urlsafe(24)
        self.pace = Pace()
        self.taken = 0  # how often the session has taken what was done, beside its runs
        self._session = session
        self._computes = Lock()
        self._stands: tuple[Drawn, dict[str, Any], Take] | None = None
        self._made: Drawn | None = None

    def drawn(self, drawing: Drawing) -> Drawn:
        """Return what is drawn, made anew only where it isn't what was made last: the run draws what was told."""
        made = self._made
        if made is None or made.drawing != drawing:
            self._made = made = drawing.made()
        return made

    def stand(self, drawn: Drawn, beside: dict[str, Any], take: Take) -> None:
        """Keep what the board was drawn with, what the session added to that, and what takes, within the session, what
        was done on the board, and returns what it is sent then."""
        self._stands = drawn, beside, take

    def answer(self, message: Mapping[str, Any]) -> bytes | None:
        """Return what the board will be sent once the edits of a message are made; None where a run is to tell."""
        if not self._computes.acquire(blocking=False):
            return None
        try:
            stands = self._standing(message)
            if stands is None:
                return None
            before = stands[0].drawing
            changed = replace(before, scenario=change_of(message["edits"])(before.scenario))
            return self.drawn(changed).beside(stands[1])
        except UNUSABLE:
            return None
        finally:
            self._computes.release()

    def take(self, message: Mapping[str, Any]) -> bytes | None:
        """Have the session take what was done, once it has been answered; return what the board is sent then. None
        where that is left to a run. On the thread of the server's event loop, as within_session has it."""
        stands = self._standing(message)
        if stands is None or "number" not in message or not self._session:
            return None
        with within_session(self._session) as within:
            if not within:
                return None
            self.taken += 1
            sent = stands[2](message)
            figures.EDITS.inc(sent is not None)
            return sent

    def _standing(self, message: Mapping[str, Any]) -> tuple[Drawn, dict[str, Any], Take] | None:
        """Return what the board was drawn with, where that is still what a message is about."""
        if self._stands is None:
            return None
        drawn, beside, _ = self._stands
        return self._stands if (message["key"], message["of"]) == (beside["key"], drawn.numbers_of) else None


# Each page is held by its session, and goes with it.
_PAGES: WeakValueDictionary[str, AskingPage] = WeakValueDictionary()


def page_that_says(word: str) -> AskingPage | None:
    """Return the page that was told this word; None where there is none, or no longer."""
    return _PAGES.get(word)


def asking_page() -> AskingPage:
    """Return the page of this session."""
    page: AskingPage | None = kept(_PAGE)
    if page is None:
        page = AskingPage(session_of_now())
        _PAGES[page.word] = st.session_state[_PAGE] = page
    return page


def change_of(edits: Sequence[Mapping[str, Any]]) -> Change:
    """Return the change that the board sends as these edits."""
    cells = {(each["matrix"], each["row"], each["column"]): _number(each["value"]) for each in edits}
    return lambda scenario: edit_cells(scenario, cells)


def _number(sent: float | str | None) -> float | None:
    """Return a number as the board sends it: −∞, which JSON does not have, comes as a word."""
    return -math.inf if sent == "-Infinity" else cast("float | None", sent)
