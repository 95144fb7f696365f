"""What the board of a page tells that is left just then, or has been left already, counts on every page."""

import json
from typing import Any

import pytest

from tests.pages.reader import Reader, in_address

EDIT = {"matrix": "w_q", "row": 0, "column": 1, "value": 0.9}
PAGES = ("lesson", "questions", "compare", "model", "learn", "history", "scaling", "check")


def tell(reader: Reader, key: str, event: str, value: Any) -> Reader:
    """Have the browser say this of a component, as it is or was drawn."""
    session = reader.at._tree._runner._session_state._state  # type: ignore[union-attr]
    found = session._new_widget_state.widget_metadata
    (name,) = [each for each in found if each.endswith(f"-{key}__events")]
    states = reader.at._tree.get_widget_states()
    states.widgets.add(id=name).json_trigger_value = json.dumps([{"event": event, "value": value}])
    reader.at._run(states)
    assert not reader.at.exception, [str(error.value) for error in reader.at.exception]
    return reader


def message(number: float, **parts: Any) -> dict[str, Any]:
    return {"number": number, "edits": [EDIT], "pinned": None} | parts


@pytest.mark.parametrize("page", PAGES)
def test_what_comes_with_the_click_on_another_page_counts(page: str) -> None:
    """A busy server hears of both at once, and Streamlit has forgotten the board by then."""
    reader = Reader()
    reader.turn_to(f"pages/{page}.py")
    tell(reader, "playground.board", "changes", message(5))
    assert in_address(reader.at, "edits") == "w_q.0.1.0.9"


def test_a_sentence_that_comes_so_counts() -> None:
    reader = Reader()
    reader.turn_to("pages/lesson.py")
    tell(reader, "playground.board", "changes", message(5, edits=[], text="dog bites man"))
    assert reader.boards[0]["labels"] == ["dog", "bites", "man"]


def test_what_another_page_tells_for_a_board_counts_once() -> None:
    reader = Reader("pages/lesson.py", step="projections")
    tell(reader, "connection", "left", message(5) | {"key": "playground.board"})
    assert in_address(reader.at, "edits") == "w_q.0.1.0.9"
    other = EDIT | {"value": 0.5}
    tell(reader, "connection", "left", message(5, edits=[other]) | {"key": "playground.board"})
    assert in_address(reader.at, "edits") == "w_q.0.1.0.9", "it has been answered"
    tell(reader, "connection", "left", message(6, edits=[other]) | {"key": "playground.board"})
    assert in_address(reader.at, "edits") == "w_q.0.1.0.5"


@pytest.mark.parametrize("sent", [None, 5, [], {}, {"key": "playground.board"}, {"key": "x", "number": 1e999},
                                  {"key": "playground.board", "number": 5, "edits": 7},
                                  {"key": "questions.board", "number": 5}])  # fmt: skip
def test_what_no_page_tells_changes_nothing(sent: Any) -> None:
    reader = tell(Reader("pages/check.py"), "connection", "left", sent)
    assert in_address(reader.at, "edits") == ""
