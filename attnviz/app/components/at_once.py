"""Torch's numbers for an edit on the board, told before the page has run.

A run of the page, and what the browser makes of it, takes longer than whoever released a number should wait. So the
board asks for the numbers first, by a request of its own (server/numbers.py), and tells the page of the edit once they
are painted. They are what the run is going to draw, made by the same functions from the scenario that the board stands
on; the session stays as it is.

Who asks says a word that only this session's page was told, and which numbers it shows: where the board stands on
others by now, it hears nothing, and the run tells it.
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
from attnviz.app.session.pace import Pace
from attnviz.core.changes import edit_cells
from attnviz.core.scenario import Scenario

AT = "numbers"  # where they are asked for, seen from the server
UNUSABLE = (ValueError, TypeError, KeyError, OverflowError)  # what comes of a message that no board sends
Change = Callable[[Scenario], Scenario]
_PAGE = "board.at_once"


class AskingPage:
    """The page of a session, as it asks for numbers: one thing at a time, and no faster than it may."""

    def __init__(self) -> None:
        self.word = secrets.token_urlsafe(24)
        self.pace = Pace()
        self._computes = Lock()
        self._stands: tuple[Drawn, dict[str, Any]] | None = None
        self._made: Drawn | None = None

    def drawn(self, drawing: Drawing) -> Drawn:
        """Return what is drawn, made anew only where it isn't what was made last: the run draws what was told."""
        made = self._made
        if made is None or made.drawing != drawing:
            self._made = made = drawing.made()
        return made

    def stand(self, drawn: Drawn, beside: dict[str, Any]) -> None:
        """Keep what the board was drawn with, and what the session added to that."""
        self._stands = drawn, beside

    def answer(self, message: Mapping[str, Any]) -> bytes | None:
        """Return what the board will be sent once the edits of a message are made; None where the run is to tell."""
        if not self._computes.acquire(blocking=False):
            return None
        try:
            if self._stands is None:
                return None
            drawn, beside = self._stands
            if (message["key"], message["of"]) != (beside["key"], drawn.numbers_of):
                return None
            before = drawn.drawing
            changed = replace(before, scenario=change_of(message["edits"])(before.scenario))
            return self.drawn(changed).beside(beside)
        except UNUSABLE:
            return None
        finally:
            self._computes.release()


# Each page is held by its session, and goes with it.
_PAGES: WeakValueDictionary[str, AskingPage] = WeakValueDictionary()


def page_that_says(word: str) -> AskingPage | None:
    """Return the page that was told this word; None where there is none, or no longer."""
    return _PAGES.get(word)


def asking_page() -> AskingPage:
    """Return the page of this session."""
    if _PAGE not in st.session_state:
        page = AskingPage()
        _PAGES[page.word] = st.session_state[_PAGE] = page
    found: AskingPage = st.session_state[_PAGE]
    return found


def change_of(edits: Sequence[Mapping[str, Any]]) -> Change:
    """Return the change that the board sends as these edits."""
    cells = {(each["matrix"], each["row"], each["column"]): _number(each["value"]) for each in edits}
    return lambda scenario: edit_cells(scenario, cells)


def _number(sent: float | str | None) -> float | None:
    """Return a number as the board sends it: −∞, which JSON does not have, comes as a word."""
    return -math.inf if sent == "-Infinity" else cast("float | None", sent)
