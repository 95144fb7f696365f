"""A run, what it calls back, and what is answered beside runs speak the language that a reader's browser accepts."""

from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from attnviz.app.components.script_file import board_file
from attnviz.app.server import middleware, routes
from attnviz.app.server.where import soon
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

    from attnviz.app.keeper.runs import watched_run
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
