"""The way from a number on the board to the panel What if."""

from typing import Any

import pytest
from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import eventually


@pytest.mark.parametrize("cell", ["scores,1,2", "attention_weights,5,2", "k,1,0"])
def test_a_dock_opens_the_panel_and_brings_it_into_view(new_board: Any, cell: str) -> None:
    """With the cell that it tells of, whether that is pinned or pointed at."""
    board: Board = new_board()
    board.open_board()
    lead = board.page.get_by_text(say("what_if.lead"))
    expect(lead).to_have_count(0)
    told = board.page.locator(f'[data-at="{cell}"]').first
    told.click() if cell.startswith("k") else told.hover()
    board.page.get_by_role("button", name=say("board.panel.what_if"), exact=True).click()
    expect(lead).to_be_in_viewport(ratio=1)
    expect(board.page.locator(".panel .made")).to_be_in_viewport()  # what it is about stays in sight
    board.torch_says()
    eventually(lambda: board.chosen, [cell])


def test_what_is_said_of_the_numbers_runs_under_nothing_and_can_be_read_to_its_end(new_board: Any) -> None:
    board: Board = new_board(1366, 768)
    board.open_board(what_if="softmax:columns", masking="padding", mask_size="1")
    says = board.page.locator(".sentence .says")
    expect(says).to_contain_text("softmax over columns has nothing to share out")
    bottom = says.evaluate("each => each.getBoundingClientRect().bottom")
    cells = board.page.locator(".board .cell")
    assert bottom <= cells.evaluate_all("all => Math.min(...all.map((each) => each.getBoundingClientRect().top))")
    says.evaluate("each => each.scrollTo(0, each.scrollHeight)")
    assert says.evaluate("""each => {
      const range = document.createRange();
      range.selectNodeContents(each);
      const {bottom} = range.getBoundingClientRect();
      return bottom <= each.getBoundingClientRect().bottom + 1;
    }""")
