"""What a session holds is reached in one place, and a scenario is handed down."""

import re
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from attnviz import Scenario
from tests.pages.playground import Playground
from tests.pages.reader import Reader

_ROOT = Path(__file__).parents[3]
_APP = _ROOT / "attnviz" / "app"


def test_the_session_is_reached_in_one_module() -> None:
    files = (
        *_APP.rglob("*.py"),
        *(_APP.parent / "features").rglob("*.py"),
        *(_ROOT / "pages").glob("*.py"),
        _ROOT / "app.py",
    )
    found = {file for file in files if re.search(r"\bst\.session_state", file.read_text(encoding="utf-8"))}
    assert found == {_APP / "session" / "session.py"}


def _climbs(reader: Reader, what: Any) -> int:
    """Return how many functions of the app give a scenario back to who called them."""
    seen: list[str] = []
    within = (f"{_APP}/", f"{_APP.parent}/features/", f"{_ROOT}/pages/")

    def look(frame: FrameType, event: str, argument: Any) -> None:
        file = frame.f_code.co_filename
        if event == "return" and isinstance(argument, Scenario) and file.startswith(within):
            seen.append(frame.f_code.co_qualname)

    threading.setprofile(look)
    try:
        what(reader)
    finally:
        threading.setprofile(None)
    return len(seen)


def test_a_scenario_is_handed_down() -> None:
    reader = Playground()
    acts = (lambda r: r.run(), lambda r: r.set("seed", 7), lambda r: r.edit("w_q", 0, 0, "0.5"),
            lambda r: r.press("Undo"), lambda r: r.change(view="board"))  # fmt: skip
    climbs = [_climbs(reader, act) for act in acts]
    assert 0 < max(climbs) <= 15, climbs
