"""The rest of a page waits until the browser has painted what stands first, and no longer."""

import gc
import time
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from starlette.testclient import TestClient

from attnviz.app.session.first_paint import PAINTINGS, Painting
from tests.pages.reader import HERE, Reader, sent_to


def asked(reader: Reader) -> dict[str, str]:
    """What the page is to tell."""
    (asks,) = [each["asks"] for each in sent_to(reader.at, "address") if "asks" in each]
    return dict(asks)


def test_the_rest_comes_once_the_browser_has_painted_what_has_begun(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = asked(reader := Reader())
    page = PAINTINGS.get(asks["word"])
    assert page is not None
    assert page.begun
    page.wait(60)  # not for who is no browser
    monkeypatch.setattr(st, "context", SimpleNamespace(headers={"Origin": "http://testserver"}))
    later = Timer(0.3, lambda: server.post("/courses/attention/painted", json=asks, headers=HERE))
    start = time.monotonic()
    later.start()
    page.wait(60)
    assert 0.25 < time.monotonic() - start < 50
    later.join()
    del reader


@pytest.mark.parametrize("address", [{}, {"view": "heatmaps"}])
def test_the_controls_of_a_page_that_is_opened_wait_for_its_first_picture_and_for_no_other(
    server: TestClient, address: dict[str, str]
) -> None:
    asks = asked(reader := Reader(**address))
    page = PAINTINGS.get(asks["word"])
    assert page is not None
    assert page.begun
    assert server.post("/painted", json={"word": "of nobody"}, headers=HERE).status_code == 204
    assert not page.painted.is_set()
    assert asked(reader.set("seed", 5).visit("pages/lesson.py")) == asks
    del reader, page
    gc.collect()
    assert PAINTINGS.get(asks["word"]) is None


def test_the_editor_beside_heatmaps_waits_for_these_when_a_page_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    data_editor = st.data_editor

    def noted(*args: Any, **settings: Any) -> Any:
        drawn.append("table")
        return data_editor(*args, **settings)

    monkeypatch.setattr(Painting, "wait", lambda *_: drawn.append("waits"))
    monkeypatch.setattr(st, "data_editor", noted)
    reader = Reader(view="heatmaps")
    assert drawn[:2] == ["waits", "table"]
    drawn.clear()
    assert sent_to(reader.set("seed", 5).at, "heatmaps")
    assert drawn == ["table"]
