"""Messages that no browser sends: they may end the run of who sends them, and change nothing for anybody else."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates

from tests.pages.reader import PAGES, Reader, in_address

PARTS = ("said", "query", "taken")  # of the values of components
DEEP = '{"said":' * 200 + "1" + "}" * 200
FORGED: dict[str, Callable[[WidgetState], object]] = {
    "NaN": lambda state: setattr(state, "double_value", math.nan),
    "infinity": lambda state: setattr(state, "double_value", math.inf),
    "a huge number": lambda state: setattr(state, "double_value", 1e300),
    "an index": lambda state: setattr(state, "int_value", 2**62),
    "bytes": lambda state: setattr(state, "bytes_value", b"\xff\x00"),
    "a flag": lambda state: setattr(state, "bool_value", True),
    "a text": lambda state: setattr(state, "string_value", "no such thing"),
    "NaNs": lambda state: state.double_array_value.data.extend([math.nan, 1.0]),
    "indices": lambda state: state.int_array_value.data.extend([7, -1]),
    "texts": lambda state: state.string_array_value.data.extend(["a", "b"]),
    "no JSON": lambda state: setattr(state, "json_value", "{"),
    "NaN as JSON": lambda state: setattr(state, "json_value", "NaN"),
    "a list as JSON": lambda state: setattr(state, "json_value", "[1, [2]]"),
    "numbers as JSON": lambda state: setattr(state, "json_value", json.dumps(dict.fromkeys(PARTS, 1e999))),
    "lists as JSON": lambda state: setattr(state, "json_value", json.dumps({part: [[]] for part in PARTS})),
    "deep JSON": lambda state: setattr(state, "json_value", DEEP),
    "JSON of a selection": lambda state: setattr(state, "string_value", '{"selection": {"points": [{"x": {}}]}}'),
    "JSON of a table": lambda state: setattr(state, "string_value", '{"edited_rows": {"a": {"b": [1]}}}'),
    "a JSON event": lambda state: setattr(state, "json_trigger_value", '[{"event": 5, "value": NaN}]'),
    "no JSON event": lambda state: setattr(state, "json_trigger_value", "{"),
    "files": lambda state: state.file_uploader_state_value.uploaded_file_info.add(file_id="x", name="y", size=5),
    "a table": lambda state: setattr(state.arrow_value, "data", b"x"),
    "a chat": lambda state: setattr(state.chat_input_value, "data", "x"),
}


def forge(reader: Reader, kind: str) -> None:
    """Send this for every control that the page has drawn."""
    session = reader.at._tree._runner._session_state._state  # type: ignore[union-attr]
    states = WidgetStates()
    for key in session._new_widget_state.widget_metadata:
        state = states.widgets.add(id=key)
        FORGED[kind](state)
    reader.at._run(states)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("part", range(3))
def test_what_no_browser_sends_leaves_the_next_reader_what_the_one_before_had(page: str, part: int) -> None:
    """Streamlit hands some of it on to its own controls, which fail: in the session of who forged it, and no other."""
    before, forger = Reader(page, view="heatmaps"), Reader(page, view="heatmaps")
    for kind in [*FORGED][part::3]:
        forge(forger, kind)
        if forger.at.exception:
            forger = Reader(page, view="heatmaps")
            continue
        for number in (*forger.at.number_input, *forger.at.slider):
            low, value, high = number.min, number.value, number.max
            assert None in (low, value, high) or low <= value <= high, (kind, number.key, value)
        assert all(isinstance(flag.value, bool) for flag in forger.at.toggle), kind
        texts = {text.key: text.value for text in (*forger.at.text_input, *forger.at.text_area)}
        # Those that no one types are None to the reader of pages where this run hasn't drawn them yet.
        assert [key for key, text in texts.items() if not isinstance(text, str | None)] == [], (kind, texts)
    after = Reader(page, view="heatmaps")
    assert not after.at.exception
    assert [text.value for text in after.at.text] == [text.value for text in before.at.text]
    assert not before.run().at.exception


def test_all_buttons_pressed_in_one_message_leave_a_page() -> None:
    """Start over ends the set-up that the other buttons' own steps ask for."""
    reader = Reader(edits="w_q.0.0.0.9")
    assert "Start over" in {button.label for button in reader.at.button}
    for presses in (reader.at.button, reversed(reader.at.button)):
        states = WidgetStates()
        for button in presses:
            states.widgets.add(id=button.id, trigger_value=True)
        reader.at._run(states)
        assert not reader.at.exception


def test_what_no_page_says_changes_nothing_and_what_cannot_be_had_breaks_nothing() -> None:
    reader = Reader(edits="w_q.0.1.0.9")
    none: tuple[Any, ...] = (
        None, 5, "edits=w_q.0.0.1", [], {}, {"query": 5, "taken": ""}, {"query": "edits=w_q.0.0.1"},
        {"query": None, "taken": None}, {"query": "edits=w_q.0.0.1", "taken": ["a"]},
        {"query": "edits=w_q.0.0.1&more=" + "a" * 600_000, "taken": ""},
    )  # fmt: skip
    for said in none:
        reader.say(said)
        assert (in_address(reader.at, "edits"), reader.messages) == ("w_q.0.1.0.9", []), str(said)[:40]
    for name, text in {"query": "99", "cell": "scores.9.9", "head": "7", "layer": "x", "view": "<b>", "unknown": "1",
                       "seed": "many"}.items():  # fmt: skip
        assert reader.change(**{name: text}).boards, name
        assert in_address(reader.at, "edits") == "w_q.0.1.0.9"
    assert in_address(reader.change(edits="w_q.0.1.0.5").at, "edits") == "w_q.0.1.0.5"
    assert reader.say({"query": "&".join(f"p{i}=1" for i in range(2000)), "taken": ""}).boards, "as if none was said"
    for edits in ("w_q.0.1.nan", "w_q.9.9.drawn.1", "nonsense", "z1.abc*w_q.0.0.1", "w_q.0.0.1e99"):
        assert len(reader.change(edits=edits).messages) == 1, edits  # it is told, and leaves the address
        assert in_address(reader.at, "edits") == ""
