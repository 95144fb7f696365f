"""What was typed on a page that is left at once, by a click on another page's name, counts all the same."""

import pytest
from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import eventually
from tests.browser.readers import New

W_K = ("w_k", 1, 1)


@pytest.fixture
def board(new: New) -> Board:
    return new(Board).open_board().torch_says()


def test_a_number_left_by_a_click_on_another_pages_name_counts(board: Board) -> None:
    """And so does one that was typed before it, and has no answer yet."""
    board.hold_back()
    board.type_over(("w_q", 0, 1), "0.9")
    eventually(lambda: board.n_held, 1)
    board.focus_on(W_K)
    board.page.keyboard.type("0.4")  # its box is open
    board.go_to("Lesson")
    eventually(lambda: board.n_held >= 2, True)
    board.let_go()
    wanted = "?edits=w_q.0.1.0.9*w_k.1.1.0.4"
    board.page.wait_for_url("**/lesson*")
    eventually(lambda: board.address, wanted)
    board.go_to(say("app.playground.title"))
    shows_number(board.cell(W_K), "0.4000")
    board.torch_says()
    eventually(lambda: board.address, wanted)
    # The page has gone on, and a run that was asked for before leads back to where it was drawn.
    leads = "history.replaceState({}, '', '#'); Object.assign(attnvizAddress, { path: '/lesson' }).send()"
    board.page.evaluate(leads)
    board.page.wait_for_url("**/lesson*")
    expect(board.page.locator(".lesson-dots")).to_be_visible()


def test_a_field_of_the_set_up_left_so_counts_and_the_page_is_left(board: Board) -> None:
    board.go_to("Lesson")
    expect(board.page.locator(".lesson-dots")).to_be_visible()
    board.setup_button.click()
    board.page.get_by_label("Seed", exact=True).fill("7")
    # However long the mouse is held down: what the field has to tell may be sent in the meantime.
    board.page.get_by_test_id("stTopNav").get_by_role("link", name="Explore").click(delay=100)
    expect(board.page.locator(".lesson-dots")).to_be_hidden()
    eventually(lambda: board.address, "?seed=7")
    board.settle()
    eventually(lambda: board.page.evaluate("location.pathname"), "/")
    expect(board.page.locator(".lesson-dots")).to_be_hidden()
    expect(board.page.get_by_label("Seed", exact=True)).to_have_value("7")
