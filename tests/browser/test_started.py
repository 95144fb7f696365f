"""The app, started as a host starts any Streamlit app: by its file, from another folder, in a copy of the tree."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

from attnviz import Scenario, trace
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.serving import ROOT, running_server
from tests.unit.test_setup import load

PUBLISHED = Scenario(embedding="published")
FAILS = """
import streamlit as st
if "seed" in st.query_params:
    1 / 0
"""


def test_started_by_its_file_it_is_the_whole_app(new_board: Callable[..., Board], tmp_path: Path) -> None:
    for name in ("attnviz", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / "copy" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", tmp_path / "copy")
    with (tmp_path / "copy/pages/history.py").open("a") as page:
        page.write(FAILS)
    log = tmp_path / "log.txt"
    options = {"script": tmp_path / "copy/app.py", "folder": tmp_path, "STREAMLIT_SERVER_ENABLE_AGENT_API": "true"}
    with log.open("w") as file, running_server(file, **options) as address:  # type: ignore[arg-type]
        board = new_board(at=address).open_board()
        board.shows_all(PUBLISHED, trace(PUBLISHED))
        board.leave()
        with urlopen(f"{address}/_stcore/host-config") as answer:
            assert json.load(answer)["allowedOrigins"] == [], "as .streamlit/config.toml says"
        # What `make docker-smoke` reads of the image.
        assert "0.2264" in load("docker_smoke").check_page(address)
        told = log.read_text()
        assert "Traceback" not in told
        assert "URL: http://localhost:" in told, "nobody on the internet is asked for this machine's address"
        assert "Network URL" not in told
        _where_it_fails_it_says_so(new_board(at=address))
    assert "ZeroDivisionError" in log.read_text()


def _where_it_fails_it_says_so(reader: Board) -> None:
    reader.open("/history", seed=7, text="a small cat")
    reader.says(say("app.trouble"))
    assert reader.page.locator("[data-testid=stException]").count() == 0
    reader.page.get_by_role("link", name=say("app.start_anew")).click()
    reader.says(say("history.about"))
    assert (len(reader.page.context.pages), reader.address) == (1, "?text=a+small+cat")
    reader.leave()
