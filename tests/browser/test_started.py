"""The app, started as a host starts any Streamlit app: by its file, from another folder, in a copy of the tree."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

from attnviz import Scenario, trace
from tests.browser.board import Board
from tests.browser.serving import ROOT, running_server
from tests.unit.test_setup import load

PUBLISHED = Scenario(embedding="published")


def test_started_by_its_file_it_is_the_whole_app(new_board: Callable[..., Board], tmp_path: Path) -> None:
    for name in ("attnviz", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / "copy" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", tmp_path / "copy")
    log = tmp_path / "log.txt"
    options = {"script": tmp_path / "copy/app.py", "folder": tmp_path, "STREAMLIT_SERVER_ENABLE_AGENT_API": "true"}
    with log.open("w") as file, running_server(file, **options) as address:  # type: ignore[arg-type]
        board = new_board(at=address).open_board()
        board.shows_all(PUBLISHED, trace(PUBLISHED))
        board.leave()
        with urlopen(f"{address}/_stcore/host-config") as answer:
            assert json.load(answer)["allowedOrigins"] == [], "as .streamlit/config.toml says"
        # What `make docker-smoke` reads of the image.
        assert "'journey' reads itself most" in load("docker_smoke").check_page(address)
    told = log.read_text()
    assert "Traceback" not in told
    assert "URL: http://localhost:" in told, "nobody on the internet is asked for this machine's address"
    assert "Network URL" not in told
