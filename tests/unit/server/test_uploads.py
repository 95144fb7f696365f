"""Files that sessions upload: few of each, and no more than so many bytes of all."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_routes import create_upload_routes

from attnviz.app.server import uploads
from attnviz.app.server.uploads import Uploads
from attnviz.core.limits import MAX_FILE_BYTES, MAX_UPLOADED_BYTES, MAX_UPLOADS


class Server:
    """Streamlit's own routes for uploads behind the middleware."""

    def __init__(self, base: str = "") -> None:
        self.manager = MemoryUploadedFileManager("/upload")
        runtime: Any = SimpleNamespace(is_active_session=lambda _: True)
        routes = create_upload_routes(runtime, self.manager, base)
        proof = generate_xsrf_token_string()  # without it, Streamlit takes and removes nothing
        self.client = TestClient(
            Starlette(routes=routes, middleware=[Middleware(Uploads)]),
            headers={"X-Xsrftoken": proof},
            cookies={"_streamlit_xsrf": proof},
        )
        self.base = base and f"/{base}"

    def put(self, session: str, file: str, size: int = 10) -> int:
        address = f"{self.base}/_stcore/upload_file/{session}/{file}"
        return self.client.put(address, files={"file": ("n.csv", bytes(size))}).status_code

    def delete(self, session: str, file: str) -> None:
        assert self.client.delete(f"{self.base}/_stcore/upload_file/{session}/{file}").status_code == 204

    @property
    def held(self) -> dict[str, list[str]]:
        return {session: list(files) for session, files in self.manager.file_storage.items() if files}


@pytest.mark.parametrize("base", ["", "course"])
def test_a_session_holds_few_files_the_latest(base: str) -> None:
    server = Server(base)
    assert {server.put("s", str(number)) for number in range(20)} == {204}
    assert server.held == {"s": [str(number) for number in range(20 - MAX_UPLOADS, 20)]}


def test_a_file_that_a_page_removes_makes_room_for_another() -> None:
    server = Server()
    for number in range(MAX_UPLOADS):
        server.put("s", str(number))
    server.delete("s", "1")
    server.put("s", "more")
    assert server.held == {"s": ["0", "2", "3", "more"]}


def test_a_file_that_is_refused_takes_nobodys_place() -> None:
    server = Server()
    for number in range(MAX_UPLOADS):
        server.put("s", str(number))
    assert server.put("s", "large", 2 * MAX_FILE_BYTES) == 413
    assert len(server.held["s"]) == MAX_UPLOADS


def test_all_sessions_hold_so_many_bytes_and_who_has_gone_or_has_most_loses_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uploads, "is_connected", lambda session: session != "gone")
    monkeypatch.setattr(uploads, "MAX_UPLOADED_BYTES", MAX_UPLOADED_BYTES // 16)
    server, size = Server(), MAX_UPLOADED_BYTES // 64
    server.put("reader", "0", 1000)
    server.put("gone", "0", 1000)
    for number in range(2):
        server.put("greedy", str(number), size)
    assert set(server.held) == {"reader", "gone", "greedy"}
    for number in range(2, 4):
        server.put("greedy", str(number), size)
    assert server.held == {"reader": ["0"], "greedy": ["1", "2", "3"]}
    assert server.manager._total_bytes <= MAX_UPLOADED_BYTES // 16
