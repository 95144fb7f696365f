"""What was typed on a page that is left at once, by a click on another page's name, counts all the same."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import eventually

PATHS = {"Lesson": "lesson", "My numbers": "check"}
W_Q, W_K = ("w_q", 0, 1), ("w_k", 1, 1)


@pytest.fixture
def board(new_board: Callable[..., Board]) -> Board:
    return new_board().open_board().torch_says()


def type_and_leave(board: Board, page: str) -> None:
    """Type into a cell, and click another page's name while its box is open."""
    board.focus_on(W_K)
    board.page.keyboard.type("0.4")
    board.go_to(page)


def type_while_another_waits_and_leave(board: Board) -> None:
    """Leave by a click a cell that is typed into, while a number typed before it has no answer."""
    board.hold_back()
    board.type_over(W_Q, "0.9")
    eventually(lambda: board.n_held, 1)
    type_and_leave(board, "Lesson")


def has_it_there_and_back(board: Board, page: str, wanted: str) -> None:
    """The other page is open, with what was typed; and it is on the board for whoever comes back."""
    board.page.wait_for_url(f"**/{PATHS[page]}*")
    eventually(lambda: board.address, wanted)
    board.go_to(say("app.playground.title"))
    shows_number(board.cell(W_K), "0.4000")
    board.torch_says()
    eventually(lambda: board.address, wanted)


@pytest.mark.parametrize("page", ["Lesson", "My numbers"])
def test_a_number_left_by_a_click_on_another_pages_name_counts(board: Board, page: str) -> None:
    type_and_leave(board, page)
    has_it_there_and_back(board, page, "?edits=w_k.1.1.0.4")


def test_what_waited_for_an_answer_before_it_counts_and_is_a_step_back_of_its_own(board: Board) -> None:
    type_while_another_waits_and_leave(board)
    eventually(lambda: board.n_held >= 2, True)
    board.let_go()
    has_it_there_and_back(board, "Lesson", "?edits=w_q.0.1.0.9*w_k.1.1.0.4")


@pytest.mark.parametrize("held", [0, 100])
def test_a_field_of_the_set_up_left_so_counts_and_the_page_is_left(board: Board, held: int) -> None:
    """However long the mouse is held down: what the field has to tell is sent in the meantime, or after the click."""
    board.go_to("Lesson")
    expect(board.page.locator(".lesson-dots")).to_be_visible()
    board.setup_button.click()
    board.page.get_by_label("Seed", exact=True).fill("7")
    board.page.get_by_test_id("stTopNav").get_by_role("link", name="Explore").click(delay=held)
    expect(board.page.locator(".lesson-dots")).to_be_hidden()
    eventually(lambda: board.address, "?seed=7")
    board.settle()
    eventually(lambda: board.page.evaluate("location.pathname"), "/")
    expect(board.page.locator(".lesson-dots")).to_be_hidden()
    expect(board.page.get_by_label("Seed", exact=True)).to_have_value("7")
