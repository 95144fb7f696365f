"""Boards of pages, computed from a query alone, without a session."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from attnviz.app.components.board import drawn_data
from attnviz.board.drawn import BoardOptions, as_place, packed
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import as_seen
from attnviz.core.scenario import Scenario
from attnviz.feature import filled
from attnviz.link import parameter_table as rows
from attnviz.link.state import State, state_of

# The parameters, apart from the set-up, that a board of the set-up's numbers depends on.
OF_NOW = (rows.QUERY, rows.HEAD, rows.LAYER, rows.CELL, rows.PREDICTED, rows.PREDICTIONS, rows.PRESENT)


class Board(NamedTuple):
    """A board whose numbers can be changed, drawn from a query.

    `reads` are the parameters that it depends on apart from the set-up. `draw` returns the JSON, or None if the page
    has no board.
    """

    reads: tuple[str, ...]
    draw: Callable[[State], bytes | None]


@cache
def boards() -> Mapping[str, Board]:
    """Return all boards by the name that a page asks for.

    The first one is the board of the page that the app opens with.
    """
    return {asked: board for given in filled("boards").values() for asked, board in given().items()}


def board_of(asked: str, query: str) -> bytes | None:
    """Return the JSON of a page's board; None if it has none.

    In the JSON, `query` is the followed token and `picked` the picked cell. It leaves out what only a session knows:
    the board's key, the last answer, and the part of Play that a step of the lesson begins with.
    """
    board = boards()[asked]
    return board.draw(state_of(query, board.reads))


def drawn_now(state: State, scenario: Scenario, trace: AttentionTrace, looks: BoardOptions) -> bytes:
    """Return the JSON of a trace's board, with the picked cell."""
    data = drawn_data(scenario, trace, state.position, state.values["digits"], looks, is_current=True)
    return packed(data | {"picked": as_place(picked_in(state, trace))})


def picked_in(state: State, trace: AttentionTrace) -> tuple[str, int, int] | None:
    """Return the picked cell, as seen from the trace's head."""
    cell = state.values[rows.CELL]
    return cell and as_seen(trace.stages, trace.matrices, *cell)


def is_presented(state: State) -> bool:
    """Whether the page is shown large, for a lecture room."""
    return bool(state.values[rows.PRESENT] == rows.PRESENTED)
