"""Sentences whose numbers the page can update while one is dragged.

They refer to numbers by their cells; attnviz/board/spine/lesson_text.js fills in the same numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnviz.core.attention import AttentionTrace
from attnviz.explanation.summary import attends_most
from attnviz.words import catalogue, say
from attnviz.words.numbers import written

MOST_NUMBERS = 6  # numbers of a row in a sentence, at most


@dataclass(frozen=True)
class Numbers:
    """A reference to a cell's number, or, without a column, a row's."""

    matrix: str
    row: int
    column: int | None = None

    def text(self, trace: AttentionTrace, digits: int) -> str:
        """Return the number, or the first ones of the row in brackets."""
        row = trace[self.matrix][self.row]
        if self.column is not None:
            return written(row[self.column].item(), digits)
        shown = ", ".join(written(value, digits) for value in row[:MOST_NUMBERS].tolist())
        return f"({shown}, …)" if len(row) > MOST_NUMBERS else f"({shown})"

    def sent(self) -> dict[str, Any]:
        """Return the reference for the page's script."""
        return {"matrix": self.matrix, "row": self.row, "column": self.column}


@dataclass(frozen=True)
class Statement:
    """A text of the catalogue, filled with texts and a trace's numbers."""

    key: str
    places: Mapping[str, object]

    def text(self, trace: AttentionTrace, digits: int) -> str:
        """Return the text with the trace's numbers."""
        filled = {
            name: place.text(trace, digits) if isinstance(place, Numbers) else place
            for name, place in self.places.items()
        }
        return say(self.key, **filled)

    def sent(self) -> dict[str, Any]:
        """Return the text and its places, which the page fills."""
        places = {name: place.sent() if isinstance(place, Numbers) else place for name, place in self.places.items()}
        return {"sentence": catalogue()[self.key], "places": places}


@dataclass(frozen=True)
class MostRead:
    """The sentence that says what a query reads most."""

    query: int

    def text(self, trace: AttentionTrace, digits: int) -> str:
        """Return the sentence with the trace's numbers."""
        return attends_most(trace, self.query, digits)

    def sent(self) -> dict[str, Any]:
        """Return the query, from which the page makes the sentence."""
        return {"reads": self.query}


@dataclass(frozen=True)
class Compared:
    """One sentence if two numbers are written alike, another if not."""

    one: Numbers
    other: Numbers
    alike: Statement
    differ: Statement

    def text(self, trace: AttentionTrace, digits: int) -> str:
        """Return the sentence that is true of the trace's numbers."""
        same = self.one.text(trace, digits) == self.other.text(trace, digits)
        return (self.alike if same else self.differ).text(trace, digits)

    def sent(self) -> dict[str, Any]:
        """Return both sentences, from which the page chooses."""
        pair = [self.one.sent(), self.other.sent()]
        return {"pair": pair, "alike": self.alike.sent(), "differ": self.differ.sent()}


AnyStatement = Statement | MostRead | Compared


def said(key: str, /, **places: object) -> Statement:
    """Return a sentence of the catalogue with these in its places."""
    return Statement(key, places)
