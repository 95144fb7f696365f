"""The server's log, as JSON lines if ATTNVIZ_LOG=json.

No line contains what people typed. A message of the libraries that the server consists of is written as its template,
with numbers filled in and everything else left out; of a message from any other library, only the level is written. An
exception is written as its type and the places that it passed, because its own text may contain a sentence or a table.
Eight characters identify a session; they show which lines belong together, and give no access to anything.
"""

import hashlib
import json
import logging
import os
import re
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from attnviz.app.streamlit_internals import get_logger, get_script_run_ctx
from attnviz.core.limits import check_choice

LOG = "ATTNVIZ_LOG"
_PLACE = re.compile(r"%(?:\((?P<name>\w+)\))?[-#0 +]*\d*(?:\.\d+)?[a-zA-Z%]")
_ERRORS = "uvicorn.error"
_FRAMES = 12  # how many frames of a traceback are written, the innermost ones
_KNOWN = ("attnviz", "streamlit", "uvicorn", "websockets")  # libraries whose message templates are constants


def get_log(name: str) -> logging.Logger:
    """Return a module's log: `log.info("event", extra={"told": {...}})`, without anything typed."""
    return get_logger(name)


def write_as_json() -> None:
    """Write all logs as JSON lines if configured; call after server start."""
    wanted = os.environ.get(LOG, "text")
    check_choice(LOG, wanted, ("json", "text"))
    if wanted == "text":
        return
    for log in logging.getLogger().manager.loggerDict.values():
        # Uvicorn's log of requests and their links has no handler, so it stays silent.
        for each in getattr(log, "handlers", ()):
            each.setFormatter(JsonLines())
    logging.setLoggerClass(_WritesJson)  # for loggers created from now on
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.getLogger().handlers = [handler]
    # Streamlit expects uvicorn to log server errors, while uvicorn expects Streamlit to do it.
    errors = logging.getLogger(_ERRORS)
    errors.handlers = [handler]
    errors.setLevel(logging.WARNING)
    logging.captureWarnings(True)


def current_session() -> str | None:
    """Return the current session's short id for logs; None outside a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else hashlib.sha256(context.session_id.encode()).hexdigest()[:8]


class _WritesJson(logging.Logger):
    """A logger whose handlers write JSON lines, whoever adds them."""

    def addHandler(self, hdlr: logging.Handler) -> None:
        hdlr.setFormatter(JsonLines())
        super().addHandler(hdlr)


class JsonLines(logging.Formatter):
    """A formatter that writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "session": current_session(),
            "event": self._told(record),
        }
        line |= getattr(record, "told", {})
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = _passed(*record.exc_info)
        return json.dumps({name: value for name, value in line.items() if value is not None}, ensure_ascii=False)

    @staticmethod
    def _told(record: logging.LogRecord) -> str:
        known = record.name.partition(".")[0] in _KNOWN
        return _without_texts(str(record.msg), record.args) if known else "a message of another library"


def _without_texts(template: str, arguments: Any) -> str:
    """Return a log message with its numbers, and dots for other values.

    >>> _without_texts("%d of %s", (3, "my sentence"))
    '3 of …'
    """
    values = list(arguments) if isinstance(arguments, tuple) else []

    def put(place: re.Match[str]) -> str:
        if place[0] == "%%":
            return "%"
        name = place["name"]
        value = arguments.get(name) if name and isinstance(arguments, dict) else (values.pop(0) if values else None)
        return place[0] % ({name: value} if name else value) if isinstance(value, int | float) else "…"

    return _PLACE.sub(put, template) if arguments else template.splitlines()[0] if template else ""


def _passed(kind: type[BaseException], error: BaseException | None, frames: TracebackType | None) -> dict[str, Any]:
    places = [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in traceback.extract_tb(frames)]
    found: dict[str, Any] = {"type": kind.__name__, "at": places[-_FRAMES:]}
    cause = None if error is None else error.__cause__ or error.__context__
    return found if cause is None else found | {"from": type(cause).__name__}
