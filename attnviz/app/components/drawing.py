"""What the board of a page of the app is sent: plain values alone, whether or not a page runs."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from attnviz.app.components.followed import numbers_of
from attnviz.app.parts import examples
from attnviz.board import drawn
from attnviz.board.drawn import Looks, packed
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced


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
    """Return what a board of the app is sent of a scenario, beside what the session adds to it."""
    return drawn.drawn_data(scenario, trace, query, digits, looks, of_now=of_now) | {
        "examples": list(examples.offered()) if looks.sentence and of_now else [],
        "numbersOf": numbers_of(scenario),
    }
