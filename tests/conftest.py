"""Settings of Hypothesis, clean-up after tests, and fixtures of the browser and of Node for all tests.

Fixtures import what belongs to the browser when they're used, so that other tests begin sooner.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import EXAMPLES, USUAL
from tests.kernels import replace_kernels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.lone_board import LoneBoard
    from tests.browser.playground import Playground
    from tests.browser.proxy import Network
    from tests.browser.readers import New, Tabs
    from tests.node import PageScript

replace_kernels()

# `make test` tries the same examples each time, so that a test fails only because of a change; `make search` tries new
# examples.
settings.register_profile(
    "attnviz",
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= USUAL,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("attnviz")


_LIST = Path(__file__).parents[1] / "QUARANTINE.md"  # missing in a copy of the tests alone
_LISTED = _LIST.read_text(encoding="utf-8") if _LIST.exists() else ""
QUARANTINED = frozenset(re.findall(r"^- `([^`]+)`", _LISTED, re.MULTILINE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests that are known to fail now and then block nobody."""
    for item in items:
        if not QUARANTINED.isdisjoint((item.nodeid, item.nodeid.partition("[")[0])):  # one case of a test, or all
            item.add_marker(pytest.mark.xfail(reason="it stands in QUARANTINE.md", strict=False))


@pytest.fixture(autouse=True)
def _print_options() -> Iterator[None]:
    """Reset torch's print options after each test, as scripts that tests run may have set them."""
    yield
    if torch := sys.modules.get("torch"):
        torch.set_printoptions(profile="default")


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Restore the main module, which Streamlit replaces by its page: processes that start later look for it."""
    ours = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = ours


@pytest.fixture(scope="session")
def script() -> Iterator[PageScript]:
    """Give the page's scripts, running in Node."""
    from tests.node import PageScript, what_python_sends

    with what_python_sends() as environment:
        page_script = PageScript(environment)
        yield page_script
        page_script.close()


# All browser tests share one server and one Chromium; each reader has a tab without any memory.
@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from tests.browser.serving import running_server

    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("w") as file, running_server(file, ATTNVIZ_METRICS="1") as address:
        yield address
    before, traceback, after = log.read_text().partition("Traceback")
    assert not traceback, f"the server's log has errors: {before[-500:]}{traceback}{after[:6000]}"


@pytest.fixture
def cable(server: str) -> Iterator[Network]:
    """Give a network between a browser and the server that can be cut."""
    from tests.browser.proxy import network

    with network(int(server.rsplit(":", 1)[1])) as made:
        yield made


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from tests.browser.serving import launched_chromium

    with sync_playwright() as playwright:
        browser = launched_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(chromium: Browser, server: str) -> Tabs:
    from tests.browser.readers import Tabs

    return Tabs(chromium, server)


@pytest.fixture
def new(tabs: Tabs) -> Iterator[New]:
    """Give a function that returns a new reader with a browser tab of their own."""
    from tests.browser.readers import New

    new = New(tabs)
    yield new
    new.end()


@pytest.fixture
def board(chromium: Browser) -> Iterator[LoneBoard]:
    """Give the published example's board in a page of its own, without a server."""
    from attnviz import Scenario
    from tests.browser.lone_board import LoneBoard, mounted

    page = mounted(chromium, Scenario(embedding="published"))
    yield LoneBoard(page)
    page.context.close()


@pytest.fixture
def playground(new: New) -> Playground:
    """Give the playground, opened at its bare address."""
    from tests.browser.playground import Playground

    return new(Playground).open()
