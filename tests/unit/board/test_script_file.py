"""The board's script as a file: kept for good by a name that says what it holds, and found wherever the app stands."""

import gzip
from hashlib import blake2s

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from attnviz.app.components.script_file import board_file
from attnviz.app.server import routes
from attnviz.app.server.where import soon
from attnviz.board.script import board_script
from attnviz.scripts import shortened


@pytest.fixture
def server() -> TestClient:
    return TestClient(Starlette(routes=routes()))


@pytest.mark.parametrize("base", ["", "/course", "/courses/attention"])
@pytest.mark.parametrize("takes", ["gzip, deflate, br", "identity"])
def test_it_is_served_under_the_name_of_what_it_holds_and_kept(server: TestClient, base: str, takes: str) -> None:
    answer = server.get(f"{base}/{board_file().address}", headers={"accept-encoding": takes})
    assert answer.text == shortened(board_script())
    assert blake2s(answer.content, digest_size=10).hexdigest() in board_file().name
    assert answer.headers["content-type"].startswith("text/javascript"), "a browser runs nothing else as a module"
    assert {"public", "immutable"} <= set(answer.headers["cache-control"].split(", "))
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers.get("content-encoding") == ("gzip" if "gzip" in takes else None)
    assert int(answer.headers["content-length"]) == len(board_file().packed if "gzip" in takes else board_file().text)


def test_packed_it_is_light() -> None:
    assert gzip.decompress(board_file().packed) == board_file().text
    assert len(board_file().packed) <= 90_000, "bytes"


@pytest.mark.parametrize("name", ["board.00000000000000000000.js", "board.js", "board.js.map"])
def test_of_another_version_it_is_not_here_and_nobody_keeps_that(server: TestClient, name: str) -> None:
    answer = server.get(f"/scripts/{name}")
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"


def test_the_page_tells_the_browser_of_the_very_file_that_the_board_asks_for() -> None:
    assert f'"{board_file().address}"' in board_file().fetched
    assert f'href="{board_file().address}"' in soon("/", b"").decode()
