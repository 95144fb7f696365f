"""What stands twice for a moment is waited for by all that ask for one: so Streamlit moves what it has drawn."""

import inspect
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, expect

import tests.browser.playground  # noqa: F401  (has all tests wait)
from tests.browser.drawn_twice import once_alone

# Done with a box that must be alone.
ASKED: dict[str, Callable[[Locator], object]] = {
    "expect": lambda box: expect(box).to_be_in_viewport(),
    "expect not": lambda box: expect(box).not_to_have_text("old"),
    "click": lambda box: box.click(),
    "evaluate": lambda box: box.evaluate("box => box.textContent"),
    "bounding_box": lambda box: box.bounding_box(),
    "inner_text": lambda box: box.inner_text(),
}


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    opened = chromium.new_page()
    opened.set_content("<button id=old>old</button><button>new</button>")
    yield opened
    opened.close()


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_what_stands_twice_for_a_moment_is_waited_for(page: Page, ask: Callable[[Locator], object]) -> None:
    page.evaluate("() => { setTimeout(() => document.querySelector('#old').remove(), 500); }")
    ask(page.locator("button"))
    assert page.locator("button").count() == 1


def test_what_stands_twice_for_good_is_an_error(page: Page) -> None:
    read = once_alone(inspect.unwrap(Locator.inner_text), seconds=0.3)
    with pytest.raises(Error, match="strict mode violation"):
        read(page.locator("button"))
