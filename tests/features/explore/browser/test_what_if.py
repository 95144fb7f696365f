"""The panel What if: the way to it from a number on the board, and a mask that is painted in it."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from attnviz.features.explore.mask_experiments import SHAPES, shaped
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.cells import shows_rows
from tests.browser.looks import look_at
from tests.browser.playground import at_rest, eventually
from tests.browser.readers import New

MASKED = re.compile(r"\bmasked\b")


@pytest.mark.parametrize("cell", ["scores,1,2", "attention_weights,5,2", "k,1,0"])
def test_a_dock_opens_the_panel_and_brings_it_into_view(new: New, cell: str) -> None:
    """With the cell that it tells of, whether that is pinned or pointed at."""
    board = new(Board)
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
    foot, top = board.page.locator(".board .panel"), board.page.locator(".st-key-playground-what_if")
    edges = [each.evaluate("each => Object.values(each.getBoundingClientRect().toJSON())") for each in (foot, top)]
    assert edges[0][6] <= edges[1][4] + 1, "the dock runs under the panel"
    for switch in ("projections", "scores", "softmax"):
        expect(board.page.locator(f".st-key-what_if-{switch} button").first).to_be_in_viewport(ratio=1)
    for matrix in ("w_q", "w_k", "w_v", "q", "k", "v", "scores", "attention_weights", "context"):
        rows = board.page.locator(f'.board [data-at^="{matrix},"]')
        eventually(partial(rows.evaluate_all, _IN_SIGHT), True)


# Whether all cells stand under the bar and above the dock, wherever the dock stands.
_IN_SIGHT = """all => all.length > 0 && all.every(each => {
  const {top, bottom} = each.getBoundingClientRect();
  const dock = each.getRootNode().querySelector(".panel").getBoundingClientRect().top;
  return top >= document.querySelector(".stAppHeader").getBoundingClientRect().bottom - 1 && bottom <= dock + 1;
})"""


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=str)
def test_a_mask_is_painted_by_dragging_and_the_board_above_the_panel_shows_it(new: New, size: tuple[int, int]) -> None:
    board = new(Board, *size)
    linked = size[0] > 390  # by a link, which asks first, or by the button
    board.open_board(**({"what_if": "softmax:columns"} if linked else {}))
    panel, lead = board.page.locator(".st-key-playground-what_if"), board.page.get_by_text(say("what_if.lead"))
    if linked:
        expect(board.page.get_by_role("button", name=say("what_if.predict.leave"))).to_be_in_viewport()
    else:
        board.page.get_by_role("button", name=say("board.views.what_if"), exact=True).click()
        expect(lead).to_be_in_viewport()
    shows_rows(board.board)
    eventually(lambda: panel.evaluate("each => each.getBoundingClientRect().bottom <= innerHeight + 1"), True)
    if linked:
        board.page.get_by_role("button", name=say("what_if.predict.leave")).click()
    board.page.locator(".st-key-what_if-part button").filter(has_text=say("what_if.parts.mask")).click()
    cells = board.page.locator(".painter [role=gridcell] button")
    expect(cells).to_have_count(36)
    eventually(lambda: look_at(board.page).trouble, {})
    for head in board.page.locator(".painter [role=columnheader]").all():
        assert head.evaluate("each => each.scrollWidth <= each.clientWidth"), "its name is cut"
    first, last = cells.nth(6), cells.nth(8)  # of "journey": "Your", "journey", "starts"
    for cell in (last, first):
        cell.scroll_into_view_if_needed()
    middle = """each => {
      const box = each.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    (x, y), (to_x, _) = at_rest(board.page, lambda: [each.evaluate(middle) for each in (first, last)])
    board.page.mouse.move(x, y)
    board.page.mouse.down()
    board.page.mouse.move(to_x, y, steps=6)
    board.page.mouse.up()
    for key in range(3):
        expect(board.page.locator(f'.board [data-at="attention_weights,1,{key}"]').first).to_have_class(MASKED)
    expect(board.page.locator('.board [data-at="attention_weights,1,3"]').first).not_to_have_class(MASKED)
    pressed = "all => all.flatMap((each, i) => each.getAttribute('aria-pressed') === 'true' ? [i] : [])"
    eventually(lambda: cells.evaluate_all(pressed), [6, 7, 8])
    cells.nth(9).focus()
    board.page.keyboard.press("Enter")  # by keys, too
    expect(cells.nth(9)).to_have_attribute("aria-pressed", "true")
    expect(board.page.locator('.board [data-at="attention_weights,1,3"]').first).to_have_class(MASKED)
    expect(cells.nth(9)).to_be_focused()
    for shape in SHAPES[::-1]:
        board.settle()  # a run moves what can be pressed
        board.page.get_by_role("button", name=say(f"what_if.mask.{shape}"), exact=True).click()
        eventually(partial(cells.evaluate_all, pressed), shaped(shape, 6, 6).flatten().nonzero().flatten().tolist())
    expect(board.page.locator('.board [data-at="attention_weights,5,0"]').first).not_to_have_class(
        MASKED
    )  # of the last
    if linked:
        shows_rows(board.board)  # and as drawn anew by it
    board.page.get_by_role("button", name=say("what_if.mask.try"), exact=True).click()
    board.page.locator(".st-key-predicting-skip button").click()
    ways = board.page.locator(".st-key-what_if_mask_ways svg[role=img]")
    expect(ways).to_have_count(4)
    if linked:  # side by side
        tops = "all => new Set(all.map(each => each.getBoundingClientRect().top)).size"
        eventually(lambda: ways.evaluate_all(tops), 1)
    eventually(lambda: look_at(board.page).trouble, {})


def test_what_is_said_of_the_numbers_runs_under_nothing_and_can_be_read_to_its_end(new: New) -> None:
    board = new(Board, 1366, 768)
    board.open_board(what_if="softmax:columns", masking="padding", mask_size="1")
    says = board.page.locator(".sentence .says")
    expect(says).to_contain_text("softmax over columns has nothing to share out")
    cells = board.page.locator(".board .cell")
    above = """(all, says) => all.every(each =>
      each.getBoundingClientRect().top >= says.getBoundingClientRect().bottom)"""
    eventually(lambda: cells.evaluate_all(above, says.element_handle()), True)
    says.evaluate("each => each.scrollTo(0, each.scrollHeight)")
    assert says.evaluate("""each => {
      const range = document.createRange();
      range.selectNodeContents(each);
      const {bottom} = range.getBoundingClientRect();
      return bottom <= each.getBoundingClientRect().bottom + 1;
    }""")
