"""What the board is sent: made of plain values alone, whether or not a page runs."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from attnviz.app.components.board_looks import Looks
from attnviz.app.components.followed import numbers_of
from attnviz.app.components.token_picker import tips_of
from attnviz.app.parts import examples
from attnviz.board.data import board_data
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.explanation.numbers_from import features_of, numbers_in_words
from attnviz.explanation.summary import out_of_the_ordinary
from attnviz.explanation.what_if import scores_switched


@dataclass(frozen=True)
class Drawing:
    """All that decides what the board of the current scenario shows, but for what is picked on it, and what the session
    adds."""

    scenario: Scenario
    head: int
    layer: int
    digits: int
    looks: Looks

    def made(self) -> "Drawn":
        """Return the trace, and what the board is sent of it."""
        trace = traced(self.scenario).seen_from(self.head, self.layer)
        data = drawn_data(self.scenario, trace, 0, self.digits, self.looks, of_now=True)
        del data["query"]  # which stands beside it
        return Drawn(self, trace, packed(data), data["numbersOf"])


class Drawn(NamedTuple):
    """A drawing, its trace, what the board is sent of it as JSON, and what tells its numbers from others."""

    drawing: Drawing
    trace: AttentionTrace
    data: bytes
    numbers_of: str

    def beside(self, more: dict[str, Any]) -> bytes:
        """Return what the board is sent of it together with more."""
        return self.data[:-1] + b", " + packed(more)[1:]


def drawn_data(
    scenario: Scenario, trace: AttentionTrace, query: int, digits: int, looks: Looks, *, of_now: bool
) -> dict[str, Any]:
    """Return what a board is sent of a scenario, beside what the session adds to it."""
    about = _about(scenario, trace) if looks.about is None and looks.sentence else looks.about or ""
    return board_data(scenario, trace, query, digits, looks.names, features_of(scenario)) | looks.sent() | {
        "plane": looks.sentence and looks.says and of_now and not scores_switched(trace),
        "tips": tips_of(scenario) if looks.sentence else [],
        "text": scenario.text,
        "examples": list(examples.offered()) if looks.sentence and of_now else [],
        "about": about,
        "ofNow": of_now,
        "numbersOf": numbers_of(scenario),
    }  # fmt: skip


def packed(data: dict[str, Any]) -> bytes:
    """Return the data as the board takes them. Of a dict, Streamlit would look for a table in each of its values, and
    write it as JSON twice: a fifth of the time in which a change is answered."""
    return json.dumps(data).encode()


def _about(scenario: Scenario, trace: AttentionTrace) -> str:
    # Where not all of it has room, what was done to attention is seen before anything is scrolled.
    return " ".join((*out_of_the_ordinary(trace), numbers_in_words(scenario), *trace.notices))
