"""The board under the hand: mouse and keys on a board that stands alone in a page, without a server behind it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import attnviz
from attnviz import Scenario
from attnviz.ui.board import BOARD_SCRIPT, BOARD_STYLE
from attnviz.ui.board_data import board_data
from tests.browser.board import Place

W_Q = ("w_q", 0, 0)
WAITS = "Evaluated in the page; torch is computing."

_MOUNT = """async ([source, style, data]) => {
  const script = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  const root = document.body.attachShadow({mode: 'open'});
  root.innerHTML = '<style></style><div class="board"></div>';
  root.firstChild.textContent = style;
  window.told = [];
  window.receive = (changed) => script.default({
    parentElement: root, data: {...data, ...changed},
    setTriggerValue: (name, value) => name === 'changes' && told.push(value)});
  receive({});
}"""


class LoneBoard:
    """A board and whoever uses it; it has no Python to answer it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def cell(self, place: Place) -> Any:
        return self.page.locator(f'[data-at="{place[0]},{place[1]},{place[2]}"]')

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def panel(self) -> Any:
        return self.page.locator(".panel")

    @property
    def status(self) -> Any:
        return self.page.locator(".status")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def drag(self, place: Place, *steps: int) -> None:
        """Drag a cell sideways to so many steps from where it was, one after the other, and hold it there."""
        box = self.cell(place).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for each in steps:
            self.page.mouse.move(x + 4 * each, y)

    def chooses(self, place: Place) -> None:
        """Wait until this cell is the one that is explained."""
        expect(self.page.locator(".chosen")).to_have_attribute("data-at", ",".join(map(str, place)))

    @property
    def told(self) -> list[list[tuple[str, float | None]]]:
        """The edits that Python was told of, message by message."""
        sent = self.page.evaluate("told.map(({edits}) => edits)")
        return [[(f"{e['matrix']},{e['row']},{e['column']}", e["value"]) for e in edits] for edits in sent]


def mounted(browser: Browser, scenario: Scenario, style: str = "", **data: object) -> Page:
    page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
    page.set_content(f"<style>body {{ font: 14px sans-serif; {style} }}</style>")
    own = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"answered": 0, "lit": None} | data
    page.evaluate(_MOUNT, [BOARD_SCRIPT, BOARD_STYLE, own])
    return page


@pytest.fixture
def board(chromium: Browser) -> Iterator[LoneBoard]:
    page = mounted(chromium, Scenario(embedding="published"))
    yield LoneBoard(page)
    page.context.close()


# --- A look at a number changes nothing ----------------------------------------------------------------------


def test_a_number_that_is_opened_and_left_as_it_is_is_not_edited(board: LoneBoard) -> None:
    for leave in (lambda: board.cell(("x", 0, 0)).click(), lambda: board.press("Enter")):
        board.cell(W_Q).dblclick()
        assert board.page.evaluate("document.body.shadowRoot.activeElement.value") == "0.2961"  # of 0.29611194
        leave()
        expect(board.page.locator(".typed")).to_have_count(0)
    assert board.told == []
    board.cell(W_Q).dblclick()
    board.page.keyboard.type("0.3")
    board.press("Enter")
    assert board.told == [[("w_q,0,0", 0.3)]]


def test_a_number_dragged_back_to_where_it_was_is_not_edited(board: LoneBoard) -> None:
    board.drag(W_Q, 10, 0)
    board.page.mouse.up()
    expect(board.status).to_contain_text("Computed by torch")
    expect(board.cell(W_Q)).to_have_text("0.2961")
    assert board.told == []


def test_escape_gives_a_dragged_number_back(board: LoneBoard) -> None:
    board.cell(("q", 1, 0)).focus()
    board.press("Enter")
    board.drag(W_Q, 10)
    expect(board.cell(W_Q)).to_have_text("0.3961")
    board.press("Escape")
    expect(board.cell(W_Q)).to_have_text("0.2961")
    board.page.mouse.move(0, 0)
    board.page.mouse.up()
    expect(board.status).to_contain_text("Computed by torch")
    assert board.told == []
    board.chooses(("q", 1, 0))  # what is pinned stays pinned


def test_it_says_who_computes_while_and_after_an_edit(board: LoneBoard) -> None:
    board.drag(W_Q, 10)
    expect(board.status).to_have_text("Evaluated in the page; torch computes it when you let go.")
    board.page.mouse.up()
    expect(board.status).to_have_text(WAITS)
    board.page.evaluate("receive({answered: told[0].number})")
    expect(board.status).to_contain_text("Computed by torch")
    board.cell(W_Q).focus()
    board.press("Alt+ArrowUp")
    expect(board.status).to_have_text(WAITS)
