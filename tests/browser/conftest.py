"""One server and one Chromium for all browser tests; a fresh tab, with nothing remembered, for each reader."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.board import Board
from tests.browser.lesson import Learner
from tests.browser.playground import Playground
from tests.browser.serving import launched_chromium, running_server

Reader = TypeVar("Reader", bound=Playground)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("w") as file, running_server(file) as address:
        yield address
    assert "Traceback" not in log.read_text(), f"the server's log has errors: {log}"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture
def new_reader(chromium: Browser, server: str) -> Iterator[Callable[..., Playground]]:
    """A function that gives a new reader their own browser tab; what it is given are settings of the browser."""
    yield from _readers(Playground, chromium, server)


@pytest.fixture
def new_learner(chromium: Browser, server: str) -> Iterator[Callable[..., Learner]]:
    """The same for a reader of the lesson or the questions."""
    yield from _readers(Learner, chromium, server)


@pytest.fixture
def new_board(chromium: Browser, server: str) -> Iterator[Callable[..., Board]]:
    """The same for a reader of the board."""
    yield from _readers(Board, chromium, server)


def _readers(kind: type[Reader], chromium: Browser, server: str) -> Iterator[Callable[..., Reader]]:
    readers: list[Reader] = []

    def new(width: int = 1366, height: int = 900, **settings: Any) -> Reader:
        context = chromium.new_context(viewport={"width": width, "height": height}, **settings)
        readers.append(kind(context.new_page(), server))
        return readers[-1]

    yield new
    for reader in readers:
        reader.page.context.close()
    assert [reader.errors for reader in readers] == [[] for _ in readers], "errors in the browser's console"
    assert [reader.dialogs for reader in readers] == [[] for _ in readers], "a dialog opened: a text ran as a script"


@pytest.fixture
def playground(new_reader: Callable[..., Playground]) -> Playground:
    """The playground, opened by its bare address."""
    return new_reader().open()
