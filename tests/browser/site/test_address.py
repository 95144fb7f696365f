"""The whole set-up lives in the address: reload, Back, page change and a link keep it."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import eventually

Q_OF_JOURNEY = ("q", 1, 1)


def test_another_page_and_back_keep_the_set_up_and_the_edits(new_board: Callable[..., Board]) -> None:
    board = new_board().open_board().type_sentence("one journey")
    expect(board.cell(("scores", 1, 1))).to_be_visible()
    expect(board.cell(("scores", 2, 2))).to_have_count(0)
    board.type_over(("w_q", 0, 1), "0.9")
    shows_number(board.cell(Q_OF_JOURNEY), "1.6659")
    eventually(lambda: board.address, "?text=one+journey&edits=w_q.0.1.0.9")
    for back in (board.page.go_back, lambda: board.go_to("Explore")):
        board.go_to("Questions").page.wait_for_url("**/questions*")
        expect(board.board).to_have_count(0)
        back()
        shows_number(board.cell(Q_OF_JOURNEY), "1.6659")
        expect(board.cell(("scores", 2, 2))).to_have_count(0)
