"""What a client may send: only values of a control's own type reach it, and uploads stay few and small.

A browser sends what its controls hold, but a message can be forged: NaN for a whole number, an index for a choice,
bytes for a text. Streamlit hands such values on, and a traceback lands in the log. Here they count as nothing: the
control then has its default. Streamlit also keeps every file that a session uploads, whether a page asked for one or
not, until the session is gone; here the oldest ones are forgotten.
"""

import functools
import logging
import math
from collections.abc import Callable
from typing import Any

from attnviz.app.streamlit_internals import (
    DecodeError,
    DeletedFile,
    MemoryUploadedFileManager,
    Serialized,
    UploadedFileRec,
    Value,
    WidgetState,
    WStates,
    get_logger,
    uploads_held,
)
from attnviz.core.limits import MAX_UPLOADED_BYTES, MAX_UPLOADS

_LOG = get_logger(__name__)
_MARK = "guarded_by_attnviz"
# Where it is logged that a frame is no message: bytes that cannot be read, and a text.
_LOGS = ("streamlit.web.server.starlette.starlette_websocket", "uvicorn.error")
# A number control says that it sends double_value, and sends int_value where its numbers are whole.
_NUMBERS = {"int_value": "double_value", "int_array_value": "double_array_value"}


def guard() -> None:
    """Guard this process, once."""
    _wrap(WStates, "__getitem__", _only_of_its_type)
    _wrap(MemoryUploadedFileManager, "add_file", _only_a_few)
    for name in _LOGS:
        log = logging.getLogger(name)
        if not any(isinstance(each, _OneLine) for each in log.filters):
            log.addFilter(_OneLine())


def _wrap(owner: type, name: str, guarded: Callable[..., Any]) -> None:
    original = getattr(owner, name)
    if hasattr(original, _MARK):
        return

    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return guarded(original, self, *args, **kwargs)

    setattr(method, _MARK, True)
    setattr(owner, name, method)


def _only_of_its_type(original: Callable[[WStates, str], Any], states: WStates, key: str) -> Any:
    """Return the value of a control; its default where what was sent is not of the control's type."""
    state, metadata = states.states.get(key), states.widget_metadata.get(key)
    if not isinstance(state, Serialized) or metadata is None:
        return original(states, key)
    try:
        if not is_of_type(state.value, metadata.value_type) or not _is_offered(state.value, metadata.deserializer):
            raise TypeError(metadata.value_type)
        value = original(states, key)
        if isinstance(value, DeletedFile):
            raise LookupError("file")
    except Exception as error:  # whatever a control makes of a value that it never sent
        _LOG.debug("What was sent for a control is not of its type and was left out (%s).", type(error).__name__)
        value = metadata.deserializer(None)
        states.states[key] = Value(value)
    # Streamlit takes the type that was sent for that of the control from now on.
    states.set_widget_metadata(metadata)
    return value


def is_of_type(sent: WidgetState, expected: str | None) -> bool:
    """Whether what was sent for a control stands in the field of its type, and all its numbers are finite.

    An empty message is of every type: it is sent for a control that was cleared.
    """
    field = sent.WhichOneof("value")
    if field is None or expected is None:
        return True
    if _NUMBERS.get(field, field) != expected:
        return False
    if field == "double_value":
        return math.isfinite(sent.double_value)
    if field == "double_array_value":
        return all(map(math.isfinite, sent.double_array_value.data))
    return True


def _is_offered(sent: WidgetState, deserializer: Callable[..., Any]) -> bool:
    """Whether the one option that was chosen is among those of its control; Streamlit takes every text."""
    options = getattr(getattr(deserializer, "__self__", None), "formatted_options", None)
    return options is None or not sent.HasField("string_value") or sent.string_value in options


def _only_a_few(
    original: Callable[[MemoryUploadedFileManager, str, UploadedFileRec], None],
    uploads: MemoryUploadedFileManager,
    session_id: str,
    file: UploadedFileRec,
) -> None:
    """Keep an uploaded file, and forget the oldest of this session beyond the limit.

    Where all sessions together have too much, those that have most lose their oldest first.
    """
    original(uploads, session_id, file)
    held = uploads_held(uploads)
    for file_id in list(held[session_id])[:-MAX_UPLOADS]:
        uploads.remove_file(session_id, file_id)
        del held[session_id][file_id]
    sizes = {each: sum(files.values()) for each, files in held.items()}
    while sum(sizes.values()) > MAX_UPLOADED_BYTES:
        most = max(sizes, key=sizes.__getitem__)
        oldest = next(iter(held[most]))
        uploads.remove_file(most, oldest)
        sizes[most] -= held[most].pop(oldest)


class _OneLine(logging.Filter):
    """Takes the traceback off the line that says that a frame is no message: that is the client's fault, not ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        # Starlette looks for the bytes of a frame that is a text.
        if isinstance(error, DecodeError) or (isinstance(error, KeyError) and error.args == ("bytes",)):
            record.msg, record.args, record.exc_info = "A frame is no message; its connection is closed.", (), None
        return True
