"""A board in a page of its own in Firefox, whose engine is another one than Chromium's.

Playwright drives no Firefox but one of its own. Debian's is driven as Mozilla does it, by Marionette: JSON on a socket.
Mozilla's own client for that doesn't import from Python 3.13 on.
"""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz import Edit, Scenario, trace
from attnviz.documents import board_page
from attnviz.words import say
from tests.browser.playground import eventually
from tests.browser.serving import free_port

SIX = Scenario("the cat sat on the mat")
FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
IN_BOARD = "const root = document.querySelector('.drawn').shadowRoot; "
BOX = "const box = root.querySelector(`[data-at='${arguments[0]}']`).getBoundingClientRect(); "
SIZE = "--width", "1366", "--height", "900"
# Firefox asks its makers for news when it starts: nobody answers here.
SETTINGS = {"network.proxy.type": 1, "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9}
CONTROL, ENTER = "\ue009", "\ue007"


class Fox:
    """A page in Firefox."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.file, self.number = self.socket.makefile("rb"), 0
        self.read()  # who answers
        self.asks("NewSession", capabilities={})

    def read(self) -> Any:
        length = b"".join(iter(lambda: self.file.read(1), b":"))
        return json.loads(self.file.read(int(length)))

    def asks(self, command: str, **given: object) -> Any:
        self.number += 1
        sent = json.dumps([0, self.number, f"WebDriver:{command}", given]).encode()
        self.socket.sendall(b"%d:%s" % (len(sent), sent))
        _, _, error, answer = self.read()
        assert error is None, error
        return answer

    def says(self, script: str, *given: object) -> Any:
        return self.asks("ExecuteScript", script=IN_BOARD + script, args=given)["value"]

    @property
    def status(self) -> str:
        return str(self.says("return root?.querySelector('.status')?.textContent ?? ''"))

    def waits_for(self, status: str) -> None:
        eventually(lambda: status in self.status, True)

    def shown(self) -> dict[str, float]:
        cells = self.says("return [...root.querySelectorAll('[data-at]')].map((cell) => [cell.dataset.at, cell.value])")
        return {at: float(value) for at, value in cells}

    def drag(self, at: str, *ways: int) -> None:
        """Press on a cell, move so far from there, and let go."""
        x, y = self.says(BOX + "return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)", at)
        move = [{"type": "pointerMove", "x": x + way, "y": y, "duration": 100} for way in (0, *ways)]
        acts = [move[0], {"type": "pointerDown", "button": 0}, *move[1:], {"type": "pointerUp", "button": 0}]
        self.asks("PerformActions", actions=[{"type": "pointer", "id": "mouse", "actions": acts}])

    def press(self, *keys: str) -> None:
        """Press keys together: down in their order, up in the other one."""
        acts = [{"type": "keyDown", "value": key} for key in keys]
        acts += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.asks("PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": acts}])


@pytest.fixture
def fox(tmp_path: Path) -> Iterator[Fox]:
    if FIREFOX is None:
        pytest.skip("no Firefox is installed")
    profile, port = tmp_path / "profile", free_port()
    profile.mkdir()
    settings = SETTINGS | {"marionette.port": port}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
    (profile / "user.js").write_text("".join(lines))
    command = [FIREFOX, "--marionette", "--headless", "--no-remote", "--profile", str(profile), *SIZE]
    with subprocess.Popen(
        command, env={**os.environ, "HOME": str(tmp_path)}, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    ) as firefox:
        eventually(lambda: _answers(port), True, 60)
        yield Fox(port)
        firefox.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_a_page_of_its_own_computes_explains_and_undoes_in_firefox(fox: Fox, tmp_path: Path) -> None:
    file = tmp_path / "board.html"
    file.write_text(board_page(SIX), encoding="utf-8")
    fox.asks("Navigate", url=file.as_uri())
    fox.waits_for(say("board.status.sent"))
    before = fox.shown()
    assert len(before) == 156
    fox.drag("w_q,0,1", 15, 60)
    fox.drag("x,1,1")
    for key in (*"2.5", ENTER):
        fox.press(key)
    eventually(lambda: fox.shown()["x,1,1"], 2.5)
    fox.waits_for(say("board.status.alone"))
    now = fox.shown()
    assert now["w_q,0,1"] != before["w_q,0,1"]
    edited = trace(SIX.with_edits([Edit("w_q", 0, 1, now["w_q,0,1"]), Edit("x", 1, 1, 2.5)]))
    places = [(name, int(row), int(column)) for name, row, column in (at.split(",") for at in now)]
    wanted = [float(edited[name][row, column]) for name, row, column in places]
    np.testing.assert_allclose(list(now.values()), wanted, rtol=1e-5, atol=1e-5)
    for _ in range(2):
        fox.press(CONTROL, "z")
    fox.waits_for(say("board.status.sent"))
    assert fox.shown() == before
    assert fox.says("return performance.getEntriesByType('resource').map(({ name }) => name)") == []
