"""What the board promises its readers, measured where they see it: in a browser, in pixels.

What a telephone shows is measured in test_story.py, the play in test_play.py, names in the plane in test_plane.py; that
roles are told apart without a kind of cones, and letters on every colour, in tests/unit/board/test_role_colours.py.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.browser.board import Board
from tests.browser.playground import eventually
from tests.browser.readers import New, Tabs

CAT: dict[str, Any] = {"example": "fluffy-cat"}
SPINE = ("x", "q", "scores", "attention_weights", "context")
SCREENS = [(1366, 650), (1366, 768), (1920, 1080)]

_BOXES = """all => all.map(each => {
  const { x, y, width, height } = each.getBoundingClientRect();
  return [x, y, width, height];
})"""


class Bounds(Board):
    """A reader with a ruler and a watch."""

    def boxes(self, selector: str) -> list[list[float]]:
        found: list[list[float]] = self.board.locator(selector).evaluate_all(_BOXES)
        return found

    def row_of(self, matrix: str, row: int) -> list[list[float]]:
        return self.boxes(f'[data-at^="{matrix},{row},"]')


@pytest.fixture(scope="module")
def opened(tabs: Tabs) -> Iterator[Bounds]:
    """One page for all measurements."""
    new = New(tabs)
    yield new(Bounds, 1366, 768)
    new.end()


@pytest.fixture
def board(opened: Bounds) -> Bounds:
    """The board with the opening example, as nobody has touched it."""
    opened.page.set_viewport_size({"width": 1366, "height": 768})
    opened.page.mouse.move(2, 2)
    opened.open_board(**CAT)
    return opened.torch_says()


# --- Where things stand ---------------------------------------------------------------------------------------


def test_the_first_screen_holds_the_spine_the_sentence_and_the_dock(board: Bounds) -> None:
    for address in (CAT, {"example": "published"}):
        if address != CAT:
            board.open_board(**address)
        for width, height in SCREENS:
            board.page.set_viewport_size({"width": width, "height": height})
            eventually(partial(out_of_view, board, width, height), [])
            aligned(board)


def out_of_view(board: Bounds, width: int, height: int) -> list[str]:
    """What is not whole on the screen, with nothing scrolled."""
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    found = []
    for selector in (*(f'[data-at^="{name},"]' for name in SPINE), ".chip", ".share", ".says", ".panel", ".title"):
        boxes = board.boxes(selector)
        assert boxes, selector
        end = board.boxes(".panel")[0][1] if selector.startswith("[data-at") else height  # cells end above the dock
        if any(x < 0 or y < 0 or x + w > width or y + h > end for x, y, w, h in boxes):
            found.append(selector)
    if board.boxes(".chip")[0][1] > 140:
        found.append("the first chip, which isn't within 140 pixels of the upper edge")
    return found


def aligned(board: Bounds) -> None:
    """The picked word's cells stand in one row, with its name and its band."""
    picked = board.board.locator(".chip").evaluate_all("all => all.findIndex(each => each.matches('.on'))")
    rows = {name: board.row_of(name, picked) for name in SPINE}
    heights = [y for row in rows.values() for _, y, _, _ in row]
    assert max(heights) - min(heights) <= 1
    names, band = board.boxes(".name.on"), board.boxes(".picked-row")
    assert len(names) == len(band) == 1
    for _, y, _, height in (*names, *band):
        assert y + height / 2 == pytest.approx(heights[0] + rows["x"][0][3] / 2, abs=2)
