"""The board with more tokens than have room for numbers: colours alone, and all that a hand does on cells."""

import pytest
from playwright.sync_api import Page, expect

from attnviz import Scenario, trace
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.board import Board
from tests.browser.playground import eventually
from tests.browser.readers import New

PIXEL = """(canvas, [row, column]) => [...canvas.getContext('2d').getImageData(column, row, 1, 1).data]"""
PLACE = """(canvas, [row, column]) => {
  const box = canvas.parentElement.getBoundingClientRect();
  const at = (share, length) => (share + 0.5) / length;
  return [box.left + at(column, canvas.width) * box.width, box.top + at(row, canvas.height) * box.height];
}"""


def of_words(count: int) -> Scenario:
    return Scenario(" ".join(f"w{i}" for i in range(count)), embedding="stable")


def middle(page: Page, name: str, row: int, column: int) -> tuple[float, float]:
    x, y = page.locator(f"[data-matrix={name}] .colours").evaluate(PLACE, [row, column])
    return x, y


@pytest.mark.parametrize("count", [64, 512])
def test_colours_are_painted_and_cells_are_pointed_at_pinned_and_changed(new: New, count: int) -> None:
    scenario = of_words(count)
    shown = trace(scenario)
    board = new(Board).open_board(text=scenario.text, embedding="stable")
    board.torch_says()
    page = board.page

    # More is more ink, and every pixel is painted.
    row = shown.attention_weights[9]
    canvas = page.locator("[data-matrix=attention_weights] .colours")
    least, most = (canvas.evaluate(PIXEL, [9, int(at)]) for at in (row.argmin(), row.argmax()))
    assert least[3] == most[3] == 255
    assert sum(most[:3]) < sum(least[:3])

    # Pointing tells of torch's number, a click pins, keys go on from there.
    page.mouse.move(*middle(page, "q", 8, 1))
    expect(board.panel).to_contain_text(written(shown.q[8, 1].item(), 4))
    page.mouse.click(*middle(page, "q", 8, 1))
    expect(board.button(say("board.panel.unpin"))).to_be_visible()
    eventually(lambda: board.focused_cell, "q,8,1")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    eventually(lambda: board.focused_cell, "q,7,0")
    page.mouse.move(2, 2)
    expect(board.panel).to_contain_text(written(shown.q[7, 0].item(), 4))

    # What is typed over a cell that is a pixel goes to torch like any other.
    page.mouse.click(*middle(page, "x", 8, 2))
    page.keyboard.type("0.75")
    page.keyboard.press("Enter")
    eventually(lambda: "x.8.2.0.75" in board.address, True)
    board.torch_says()
    expect(board.panel).to_contain_text("0.7500")
    assert board.errors == []
