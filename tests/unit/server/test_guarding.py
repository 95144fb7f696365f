"""The guard of forged messages and of uploads, against the parts of Streamlit that it touches."""

import logging
import math
from typing import Any

import pytest
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.elements.widgets.selectbox import SelectboxSerde
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from attnviz.app.session.guarding import guard, is_of_type
from attnviz.core.limits import MAX_FILE_BYTES, MAX_UPLOADED_BYTES, MAX_UPLOADS

OPTIONS = ["a", "b"]
WHOLE = NumberInputSerde(3, NumberInput.INT, 1, 16)
CHOICE = SelectboxSerde(
    OPTIONS, formatted_options=OPTIONS, formatted_option_to_option_index={"a": 0, "b": 1}, default_option_index=0
)


@pytest.fixture(autouse=True)
def _guarded() -> None:
    guard()


def sent(serde: Any, value_type: Any, **value: Any) -> tuple[Any, WidgetMetadata[Any]]:
    """Return what a control makes of a message, and what Streamlit then takes for its type."""
    session = SessionState()
    session._set_widget_metadata(WidgetMetadata("w", serde.deserialize, serde.serialize, value_type))
    session.set_widgets_from_proto(WidgetStates(widgets=[WidgetState(id="w", **value)]))
    made = session._new_widget_state["w"]
    metadata = session._get_widget_metadata("w")
    assert metadata is not None
    return made, metadata


def test_a_value_of_the_controls_type_is_taken() -> None:
    assert sent(WHOLE, "double_value", int_value=7)[0] == 7
    assert sent(WHOLE, "double_value", double_value=7.0)[0] == 7
    assert sent(CHOICE, "string_value", string_value="b")[0] == "b"


@pytest.mark.parametrize(
    "value", [{"double_value": math.nan}, {"double_value": math.inf}, {"string_value": "7"}, {"bytes_value": b"7"},
              {"bool_value": True}, {"json_value": "{"}, {"int_value": 17}],
)  # fmt: skip
def test_what_is_no_whole_number_of_the_control_counts_as_its_default(value: dict[str, Any]) -> None:
    made, metadata = sent(WHOLE, "double_value", **value)
    assert made == 3
    assert metadata.value_type == "double_value", "Streamlit would take the forged type for the control's own"


@pytest.mark.parametrize("value", [{"int_value": 1}, {"string_value": "c"}, {"bytes_value": b"a"}])
def test_what_is_no_option_counts_as_the_default(value: dict[str, Any]) -> None:
    assert sent(CHOICE, "string_value", **value)[0] == "a"


@given(st.floats(), st.sampled_from(["double_value", "string_value", "json_value", "string_array_value"]))
def test_a_number_is_of_a_numbers_type_where_it_is_finite(value: float, expected: str) -> None:
    fits = expected == "double_value" and math.isfinite(value)
    assert is_of_type(WidgetState(id="w", double_value=value), expected) == fits
    assert is_of_type(WidgetState(id="w"), expected), "a control that was cleared sends no value"


# Uploads


def upload(uploads: MemoryUploadedFileManager, session: str, number: int, size: int) -> None:
    uploads.add_file(session, UploadedFileRec(f"{session}.{number}", "n", "t", bytes(size)))


def held(uploads: MemoryUploadedFileManager) -> dict[str, list[str]]:
    return {session: list(files) for session, files in uploads.file_storage.items() if files}


def test_a_session_holds_few_files_the_latest() -> None:
    uploads = MemoryUploadedFileManager("/upload")
    for number in range(60):
        upload(uploads, "s", number, 10)
    assert held(uploads) == {"s": [f"s.{number}" for number in range(60 - MAX_UPLOADS, 60)]}
    assert uploads._total_bytes == 10 * MAX_UPLOADS


def test_all_sessions_together_hold_so_many_bytes_and_those_who_have_most_lose_theirs() -> None:
    uploads = MemoryUploadedFileManager("/upload")
    upload(uploads, "reader", 0, 1000)
    for session in range(2 * MAX_UPLOADED_BYTES // MAX_FILE_BYTES // MAX_UPLOADS):
        for number in range(MAX_UPLOADS):
            upload(uploads, f"greedy{session}", number, MAX_FILE_BYTES)
            assert uploads._total_bytes <= MAX_UPLOADED_BYTES
    assert held(uploads)["reader"] == ["reader.0"]
    assert uploads._total_bytes > MAX_UPLOADED_BYTES - MAX_FILE_BYTES


# The parts of Streamlit


@pytest.mark.parametrize(
    ("log", "error", "kept"),
    [
        ("streamlit.web.server.starlette.starlette_websocket", DecodeError("Error parsing message"), False),
        ("uvicorn.error", KeyError("bytes"), False),
        ("uvicorn.error", TypeError("ours"), True),
    ],
)
def test_a_frame_that_is_no_message_leaves_one_line_in_the_log_and_our_own_errors_their_traceback(
    log: str, error: Exception, kept: bool
) -> None:
    records: list[logging.LogRecord] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    handler = Keeping()
    logging.getLogger(log).addHandler(handler)
    try:
        logging.getLogger(log).warning("Error", exc_info=error)
    finally:
        logging.getLogger(log).removeHandler(handler)
    assert [record.exc_info is not None for record in records] == [kept]
