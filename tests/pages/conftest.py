"""Fixtures that the page tests share: the app, opened as a reader opens it."""

from collections.abc import Iterator
from functools import cache

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.components.v2 import manifest_scanner

from attnviz.app.server import middleware, routes
from attnviz.app.streamlit_internals import replace_parts
from tests.pages.playground import Playground


@pytest.fixture
def server() -> Iterator[TestClient]:
    """Give a client for the app's own addresses."""
    with TestClient(Starlette(routes=routes(), middleware=middleware())) as client:
        yield client


@pytest.fixture(autouse=True, scope="session")
def _components_are_looked_for_once() -> Iterator[None]:
    """Cache the search of installed packages for components, which AppTest repeats in each session, unlike a server:
    it took longer than the app itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True, scope="session")
def _parts_are_replaced() -> None:
    """Replace parts of Streamlit as `app.py` does, so that tests see what is served."""
    replace_parts()


@pytest.fixture
def playground() -> Playground:
    return Playground()
