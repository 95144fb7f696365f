"""The lesson and the questions in a real browser, used and read in the words of the page."""

import re
from typing import Any, Self

from playwright.sync_api import Locator, expect

from tests.browser.playground import Playground, eventually, holds


class Learner(Playground):
    """A reader's browser tab with the lesson or the questions in it."""

    def settle(self) -> Self:
        """Wait until the page's first run has ended; pictures aren't awaited, as not every step has one.

        The page also says "notRunning" before its scripts are loaded, when only Streamlit would handle a click on a
        door.
        """
        holds(self.page, "window.attnvizAddress?.answered === true")
        self.page.wait_for_selector('[data-test-script-state="notRunning"]')
        return self

    def lesson(self, **address: Any) -> Self:
        told = (address or {"example": "published"}) | {"predictions": "off"}
        return self.open("/lesson", **told)

    def questions(self, **address: Any) -> Self:
        return self.open("/questions", **address)

    def tab_to(self, name: str) -> Self:
        """Press Tab until the element with this start of its name has the focus."""
        eventually(lambda: self.tab().startswith(name), True)
        return self

    def cell_in_focus(self) -> list[str]:
        told: Any = self.page.evaluate(
            """() => {
              let element = document.activeElement;
              while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
              return element?.dataset?.at ?? '';
            }"""
        )
        return str(told).split(",")

    def is_at(self, title: str) -> None:
        """Wait until a step or question with this title is open."""
        expect(self.page.get_by_role("heading", name=re.compile(re.escape(title)))).to_be_visible()
        self.settle()

    def cell(self, matrix: str, row: int, column: int) -> Locator:
        return self.page.locator(f"[data-at='{matrix},{row},{column}']").first
