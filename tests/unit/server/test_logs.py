"""The server's log holds nothing that people typed; and memory that is free goes back to the system."""

import json
import logging
import platform
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attnviz.app.operations import logs
from attnviz.app.operations.logs import JsonLines
from attnviz.app.operations.memory import give_back

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


PAGES = Path("/proc/self/statm")


def in_use() -> int:
    """The mebibytes that this process has of the system."""
    return int(PAGES.read_text().split()[1]) * 4096 // 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not PAGES.exists(), reason="another C library")
def test_what_threads_have_freed_goes_back() -> None:
    kept: list[np.ndarray] = []

    def read() -> None:
        blocks = [np.ones(2**13) for _ in range(1000)]  # 64 KiB each
        kept.append(blocks[-1])  # at the end of the thread's heap, which so stays as large as it is

    before = in_use()
    for _ in range(4):
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    held = in_use()
    assert held - before > 40
    assert give_back()
    assert in_use() - before < 20
    assert len(kept) == 4
