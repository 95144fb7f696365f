"""What the page's state stands on: how Streamlit treats the address, bound controls and components.

A new version of Streamlit fails here first; see attnviz/scripts/address.js and attnviz/app/session/address.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.playground import at_rest, eventually, holds
from tests.browser.serving import running_server


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    folder = Path(__file__).with_name("facts")
    with running_server(script=str(folder / "app.py")) as address:
        yield address


@pytest.fixture
def page(chromium: Browser, app: str) -> Iterator[Page]:
    opened = chromium.new_page()
    opened.goto(app)
    told(opened)
    yield opened
    opened.close()


def told(page: Page) -> dict[str, Any]:
    """What the last run knew."""
    expect(page.locator("#told")).to_be_visible()
    return dict(json.loads(page.locator("#told").inner_text()))


def move(page: Page) -> None:
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")


def test_a_bound_control_replaces_the_entry_by_what_the_address_is_then(page: Page) -> None:
    page.evaluate("history.pushState({}, '', '?mine=1')")
    before = page.evaluate("history.length")
    move(page)
    assert page.evaluate("location.search") == "?mine=1&seed=4"
    assert page.evaluate("history.length") == before


def test_a_run_is_sent_the_query_that_a_control_saw_last(page: Page) -> None:
    move(page)
    eventually(lambda: told(page)["query"], "seed=4")
    page.evaluate("history.pushState({}, '', '?seed=4&mine=1')")
    page.evaluate("say('a')")
    eventually(lambda: told(page)["said"], "a")
    assert told(page)["query"] == "seed=4", "a pushed address is nothing to it"
    move(page)
    eventually(lambda: sorted(told(page)["query"].split("&")), ["mine=1", "seed=5"])


def test_a_synthetic_popstate_on_another_path_is_a_change_of_the_page(page: Page) -> None:
    page.evaluate("history.pushState({}, '', '/other?seed=7&mine=1'); dispatchEvent(new PopStateEvent('popstate'))")
    eventually(lambda: told(page)["page"], "Other")
    assert (told(page)["query"], told(page)["seed"]) == ("seed=7&mine=1", 7)


def test_a_value_of_a_component_goes_with_every_message_and_turns_no_control(page: Page) -> None:
    page.locator("input[type=text]").fill("half ty")
    page.evaluate("say('b')")
    eventually(lambda: told(page)["said"], "b")
    expect(page.locator("input[type=text]")).to_have_value("half ty")
    move(page)
    eventually(lambda: told(page)["seed"], 4)
    assert told(page)["said"] == "b"


def test_a_control_that_begins_no_run_writes_the_address_and_goes_with_the_next_message(page: Page) -> None:
    before = told(page)
    page.get_by_text("quiet", exact=True).click()
    eventually(lambda: page.evaluate("location.search"), "?quiet=true")
    assert told(page) == before
    page.evaluate("say('c')")
    eventually(lambda: told(page)["said"], "c")
    assert (told(page)["quiet"], told(page)["runs"]) == (True, before["runs"] + 1)


def test_an_unchanged_component_is_not_called_again(page: Page) -> None:
    holds(page, "window.calls > 0")
    calls = at_rest(page, lambda: page.evaluate("calls"))
    move(page)
    eventually(lambda: told(page)["seed"], 4)
    assert page.evaluate("calls") == calls


def test_a_control_left_by_a_click_tells_its_value_in_a_task_of_its_own(page: Page) -> None:
    """So what leads away has to come a task later."""
    page.evaluate(
        """() => {
          const { send } = WebSocket.prototype;
          window.order = [];
          WebSocket.prototype.send = function (...message) { order.push("sent"); return send.apply(this, message); };
          document.querySelector("h1, [data-testid=stMain]").addEventListener("click", () => order.push("click"));
        }"""
    )
    page.locator("input[type=text]").fill("dog")
    page.locator("[data-testid=stMain]").dispatch_event("pointerdown")
    page.evaluate("() => { document.activeElement.blur(); order.push('left'); }")
    eventually(lambda: page.evaluate("order.includes('sent')"), True)
    assert page.evaluate("order.indexOf('left') < order.indexOf('sent')")
