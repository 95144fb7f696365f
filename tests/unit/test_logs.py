"""The server's log: lines of JSON with level, session and time, in which nothing stands that people typed."""

import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit.logger

from attnviz.app import streamlit_internals
from attnviz.app.keeper import logs
from attnviz.app.keeper.logs import LOG, JsonLines, get_log, write_as_json

TYPED = "my private sentence"


def line(message: object, *arguments: object, error: BaseException | None = None, **told: Any) -> dict[str, Any]:
    info = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("attnviz.a", logging.WARNING, "a.py", 1, message, arguments, info)
    if told:
        record.told = told
    written = JsonLines().format(record)
    assert "\n" not in written
    return dict(json.loads(written))


def test_a_line_says_when_how_grave_and_what() -> None:
    found = line("a run took long", page="lesson", seconds=7.5)
    expected = {"level": "warning", "event": "a run took long", "page": "lesson", "seconds": 7.5}
    assert {name: found[name] for name in expected} == expected
    assert found["time"].endswith("+00:00")
    assert "session" not in found, "outside of a run there is none"


def test_a_line_of_a_run_says_in_which_session_and_not_by_what_it_could_be_taken_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sessions = []
    for session_id in ("first-id", "first-id", "second-id"):
        context = SimpleNamespace(session_id=session_id)
        monkeypatch.setattr(logs, "get_script_run_ctx", lambda context=context, **_: context)
        sessions.append(line("a")["session"])
        assert session_id not in json.dumps(line("a"))
    assert sessions[0] == sessions[1] != sessions[2]


def test_an_error_is_told_by_its_kind_and_its_places() -> None:
    try:
        try:
            raise KeyError(TYPED)
        except KeyError as cause:
            raise ValueError(f"{TYPED} is no number") from cause
    except ValueError as error:
        found = line("Uncaught app execution", error=error)
    assert found["error"]["type"] == "ValueError"
    assert found["error"]["from"] == "KeyError"
    assert found["error"]["at"][-1].startswith("test_logs.py:")
    assert TYPED not in json.dumps(found)


@pytest.fixture
def as_they_were() -> Iterator[None]:
    """Give back all logs as they were."""
    set_up, root = streamlit.logger.setup_formatter, logging.getLogger().handlers[:]
    server = logging.getLogger("uvicorn.error")
    level, handlers = server.level, server.handlers[:]
    yield
    server.setLevel(level)
    server.handlers = handlers
    streamlit.logger.setup_formatter = set_up
    for log in streamlit.logger._loggers.values():
        for handler in log.handlers[:]:
            log.removeHandler(handler)
    streamlit.logger.update_formatter()
    logging.getLogger().handlers = root
    logging.captureWarnings(False)


@pytest.mark.usefixtures("as_they_were")
def test_where_json_is_asked_for_every_log_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOG, "json")
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    streamlit_internals.get_logger("silent").handlers = []
    write_as_json()
    streamlit_internals.get_logger("streamlit.error_util").warning("%s failed", TYPED)
    get_log("attnviz.made.later").warning("ours", extra={"told": {"page": "check"}})
    logging.getLogger("someone.elses").error(f"theirs: {TYPED}")
    warnings.warn(TYPED, stacklevel=1)
    assert not streamlit_internals.get_logger("silent").handlers, "a log that has been silenced stays so"
    written = errors.getvalue()
    found = [json.loads(each) for each in written.splitlines()]
    assert [each["event"] for each in found[:3]] == ["… failed", "ours", "a message of another library"]
    assert len(found) == 4
    logging.getLogger("uvicorn.error").error("Exception in ASGI application")
    assert json.loads(errors.getvalue().splitlines()[-1])["event"] == "Exception in ASGI application"
    assert TYPED not in written
