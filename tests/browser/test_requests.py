"""What a page asks the server for: nothing that is not there, whichever page is opened first."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

PATHS = ("", "lesson", "compare", "questions", "scaling", "check")


@pytest.fixture(scope="module")
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser that keeps what was there, and asks again for what was not."""
    context = chromium.new_context()
    yield context
    context.close()


@pytest.mark.parametrize("path", PATHS)
def test_no_request_fails_and_the_console_has_no_error(context: BrowserContext, server: str, path: str) -> None:
    page = context.new_page()
    failed: list[str] = []
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    page.goto(f"{server}/{path}")
    page.wait_for_selector('[data-test-script-state="notRunning"]')
    page.get_by_text("attnviz", exact=True).wait_for()
    assert failed == []
    assert page.url.partition("?")[0] == f"{server}/{path}"  # what a bare address opens is written into it
    page.close()
