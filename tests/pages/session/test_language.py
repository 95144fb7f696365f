"""A run, what it calls back, and what is answered beside runs speak the language that a reader's browser accepts."""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.testing.v1 import AppTest

from attnviz.app.components.script_file import board_file
from attnviz.app.server import middleware, routes
from attnviz.app.server.page_html import soon
from attnviz.app.server.speaking import Speaks
from attnviz.words import LANGUAGE, say
from tests.languages import made_up

Accept = Callable[[str], None]


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A made-up language for whoever accepts xx."""
    folder = made_up(tmp_path)[LANGUAGE]

    def spoken(accepts: str) -> str:
        return folder if accepts == "xx" else "en"

    monkeypatch.setattr("attnviz.app.streamlit_internals.spoken", spoken)
    monkeypatch.setattr("attnviz.app.server.speaking.spoken", spoken)
    return folder


@pytest.fixture
def accept(monkeypatch: pytest.MonkeyPatch) -> Accept:
    """Have the sessions of this test come from a browser that accepts a language."""

    def accepting(language: str) -> None:
        headers = {"Accept-Language": language}
        monkeypatch.setattr(type(st.context), "headers", property(lambda _: headers))

    return accepting


def page() -> None:
    import streamlit as st

    from attnviz.app.operations.run_queue import watched_run
    from attnviz.words import say

    def pressed() -> None:
        st.session_state["called back"] = say("app.title")

    with watched_run() as run:
        run.page = "test"
        st.button("press", on_click=pressed)
        st.text(say("app.title"))
        st.text(st.session_state.get("called back", ""))


def told_by_a_run_and_its_callback() -> list[str]:
    at = AppTest.from_function(page).run()
    (first, nothing), pressed = at.text, at.button[0].click().run()
    assert nothing.value == ""
    again, called_back = pressed.text
    return [first.value, again.value, called_back.value]


def test_a_run_and_what_it_calls_back_speak_a_readers_language_and_the_next_readers(other: str, accept: Accept) -> None:
    english = say("app.title")
    for language in ("en", "xx", "en"):
        accept(language)
        told = told_by_a_run_and_its_callback()
        assert len({*told}) == 1
        assert (told[0] == english) == (language == "en"), (language, told)
    assert LANGUAGE.get() == "en"


def test_a_page_names_the_scripts_of_its_readers_language(other: str) -> None:
    context = copy_context()
    context.run(LANGUAGE.set, other)
    assert context.run(soon, "/lesson", b"") != soon("/lesson", b"")
    assert context.run(board_file).address.encode() in context.run(soon, "/lesson", b"")


def test_numbers_and_a_classs_pages_speak_the_language_of_who_asks(other: str) -> None:
    client = TestClient(Starlette(routes=routes(), middleware=middleware()), headers={"origin": "http://testserver"})

    def told(language: str) -> str:
        asked = client.post("/numbers", json={"query": "text=a+cat"}, headers={"accept-language": language})
        assert asked.status_code == 200
        return asked.text

    english, others, again = told("en"), told("xx"), told("en")
    assert english == again
    assert say("stages.x.plain") in english
    assert say("stages.x.plain") not in others


class Files:
    """A store of downloads whose file, made when it is asked for, is a sentence."""

    def execute_deferred(self, file_id: str) -> str:
        return say("app.title")


def test_what_is_made_for_a_download_speaks_the_language_of_its_readers_socket(other: str) -> None:
    """A press is a message of the session's connection; Streamlit makes the file in a task and a thread."""
    handler = DeferredFileHandler(Files)  # type: ignore[arg-type]

    async def session(socket: WebSocket) -> None:
        await socket.accept()
        await socket.receive_text()
        answer = await asyncio.create_task(handler.handle(BackendOperationRequest(request_id="1"), "session"))
        await socket.send_text(answer.deferred_file.url)
        await socket.close()

    client = TestClient(Starlette(routes=[WebSocketRoute("/session", session)], middleware=[Middleware(Speaks)]))

    def file(language: str) -> str:
        with client.websocket_connect("/session", headers={"accept-language": language}) as socket:
            socket.send_text("download")
            return str(socket.receive_text())

    english, others, again = file("en"), file("xx"), file("en")
    assert english == again == say("app.title") != others
