"""One server and one Chromium for all browser tests; a tab with nothing remembered for each reader."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from attnviz import Scenario
from tests.browser.lone_board import LoneBoard, mounted
from tests.browser.playground import Playground
from tests.browser.proxy import Network, network
from tests.browser.readers import New, Tabs
from tests.browser.serving import launched_chromium, running_server

collect_ignore = ["site/facts"]  # an app of its own, which only Streamlit can run


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("w") as file, running_server(file, ATTNVIZ_METRICS="1") as address:
        yield address
    before, traceback, after = log.read_text().partition("Traceback")
    assert not traceback, f"the server's log has errors: {before[-500:]}{traceback}{after[:6000]}"


@pytest.fixture
def cable(server: str) -> Iterator[Network]:
    """A network between a browser and the server, which can be cut."""
    with network(int(server.rsplit(":", 1)[1])) as made:
        yield made


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(chromium: Browser, server: str) -> Tabs:
    return Tabs(chromium, server)


@pytest.fixture
def new(tabs: Tabs) -> Iterator[New]:
    """A function that gives a new reader their own browser tab."""
    new = New(tabs)
    yield new
    new.end()


@pytest.fixture
def board(chromium: Browser) -> Iterator[LoneBoard]:
    """The board of the published example alone in a page of its own, without a server."""
    page = mounted(chromium, Scenario(embedding="published"))
    yield LoneBoard(page)
    page.context.close()


@pytest.fixture
def playground(new: New) -> Playground:
    """The playground, opened by its bare address."""
    return new(Playground).open()
