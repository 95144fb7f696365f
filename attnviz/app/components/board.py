"""The board: the whole computation as one component, editable in place.

A change on the board changes the page's query, and the board draws from the new query at once; see board/sender.js. The
rest of the page follows with a run. While a board or heatmaps show newer numbers than the text beside them, that text
is marked as older, so that a page never gives two numbers for one thing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2s
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.components.script_file import board_file
from attnviz.app.parts import examples
from attnviz.app.parts.picked_cell import picked_place
from attnviz.app.parts.words import words_of
from attnviz.app.session import page_record, state
from attnviz.app.session.component import component
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_query, traced_in_view
from attnviz.board import drawn
from attnviz.board.data import has_numbers
from attnviz.board.drawn import BoardOptions, as_place, data_of_model, packed
from attnviz.board.script import BOARD_STYLE
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import CELL, HEAD, QUERY
from attnviz.link.set_up import query_of
from attnviz.words import say

_HERE = Path(__file__).parent

_outdated = component(
    "outdated",
    '<div class="outdated"></div>',
    _HERE / "outdated.js",
    css=(_HERE / "outdated.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


@contextmanager
def marked_while_older(scenario: Scenario, key: str, *seen: int) -> Iterator[None]:
    """Mark the content as older while the page shows newer numbers."""
    with st.container(gap=None):
        mark_while_older(scenario, key, *seen)
        with st.container():
            yield


def mark_while_older(scenario: Scenario, key: str, *seen: int) -> None:
    """Draw the mark that tells readers that a container shows older numbers."""
    _outdated(key=f"{key}.outdated", data={"of": numbers_of(scenario, *seen), "note": say("board.older")})


def numbers_of(scenario: Scenario, *seen: int) -> str:
    """Return a hash of a scenario's numbers and of `seen`.

    >>> numbers_of(Scenario()) == numbers_of(Scenario()), numbers_of(Scenario()) == numbers_of(Scenario(seed=1))
    (True, False)
    """
    return blake2s(repr((query_of(scenario), seen)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


AT = "numbers"  # the endpoint of torch's numbers after an edit, relative to the server
_PICKS = {"query": QUERY, "cell": CELL, "head": HEAD}

_board = component("board", '<div class="board"></div>', lambda: board_file().fetched, css=BOARD_STYLE)


def drawn_data(
    scenario: Scenario, trace: AttentionTrace, query: int, digits: int, looks: BoardOptions, *, is_current: bool
) -> dict[str, Any]:
    """Return a board's data, without what only the session knows."""
    return drawn.drawn_data(scenario, trace, query, digits, looks, is_current=is_current) | {
        "examples": list(examples.offered()) if looks.sentence and is_current else [],
        "words": words_of(scenario, bool(trace.chance)) if looks.sentence and is_current else None,
        "numbersOf": numbers_of(scenario),
    }


def show_stored_board(
    scenario: Scenario,
    trace: AttentionTrace,
    query: int,
    looks: BoardOptions,
    *,
    key: str,
    stored: tuple[str, str],
    **more: Any,
) -> None:
    """Draw a board whose edits and picks are kept in one parameter.

    `stored` is that parameter's name and its text in the query; `more` overrides the data that is sent.
    """
    parameter, text = stored
    data = drawn_data(scenario, trace, query, state.digits(), looks, is_current=False)
    _draw(key, data | {"picks": {"query": QUERY}, "store": {"parameter": parameter, "text": text}} | more)


def show_board_of_model(
    trace: AttentionTrace, query: int, *, names: tuple[str, ...], key: str, picks: dict[str, str],
    origin: str | None = None, **more: Any,
) -> None:  # fmt: skip
    """Draw some matrices of a model's head, with the sentence, not editable.

    `picks` are the parameters of the picked token and cell; `origin` says where the tokens' vectors come from; `more`
    overrides the data that is sent.
    """
    data = data_of_model(trace, query, state.digits(), names, say("models.page.token") if origin is None else origin)
    _draw(key, data | {"picks": picks, "numbersOf": key} | more)


def show_board(scenario: Scenario, looks: BoardOptions, page: str) -> None:
    """Draw the board of the current scenario on one of its pages."""
    trace, query = traced_in_view(scenario), picked_query(scenario)
    this_session().painting.begun = True
    data = drawn_data(scenario, trace, query, state.digits(), looks, is_current=True)
    beside = {
        "picked": as_place(picked_place(trace)),
        "picks": _PICKS,
        "numbers": {"at": AT, "page": page} if has_numbers(scenario) else None,
    }
    _draw(f"{page}.board", data | beside)


def _draw(key: str, data: dict[str, Any]) -> None:
    _board(key=key, data=packed(data | {"key": key, "from": page_record.current_mark()}))
