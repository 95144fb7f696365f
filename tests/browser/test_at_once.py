"""An edit on the board is taken, and torch's numbers for it stand there, without a run; where that can't be, a run
brings them."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from attnviz import Edit, Scenario, trace
from attnviz.app.components.at_once import AT
from attnviz.words import say
from tests.browser.board import Board, numbers_of
from tests.browser.cells import shows_number
from tests.browser.playground import eventually
from tests.whole import dear

CHECKED, W_Q = say("board.status.checked"), ("w_q", 0, 1)
PUBLISHED: dict[str, Any] = {"embedding": "published"}
# Numbers are asked for as late as they may be.
_SLOW = """() => {
  const { fetch } = window;
  window.asked = 0; // how often they were
  window.fetch = async (...asked) => {
    window.asked += 1;
    await new Promise((go) => setTimeout(go, 140));
    return fetch(...asked);
  };
}"""


@pytest.fixture
def board(new_board: Callable[..., Board]) -> Board:
    return new_board().open_board().torch_says()


def edited(*edits: tuple[str, int, int, float]) -> Scenario:
    return Scenario(**PUBLISHED, edits=[Edit(*edit) for edit in edits])


def test_torchs_numbers_are_there_while_the_page_has_heard_nothing(board: Board) -> None:
    board.hold_back()
    board.type_over(W_Q, "0.9")
    expect(board.status).to_contain_text(CHECKED)
    eventually(board.numbers, numbers_of(trace(edited((*W_Q, 0.9))), 4))
    expect(board.page.locator(".board.unanswered")).to_have_count(1)
    eventually(lambda: board.n_held > 0, True)
    assert board.address == ""
    board.let_go()
    board.torch_says()
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9")
    assert board.numbers() == numbers_of(trace(edited((*W_Q, 0.9))), 4)
    board.page.go_back()
    shows_number(board.cell(W_Q), "0.5166")
    assert board.address == ""


def test_an_edit_needs_no_run_of_the_page_and_is_a_step_back_and_outlives_a_reload(board: Board) -> None:
    board.settle()
    board.hold_back(takes_at_once=True)
    for value in ("0.9", "0.8"):
        board.type_over(W_Q, value)
        eventually(lambda: board.address, f"?edits=w_q.0.1.{value}")
        expect(board.page.locator(".board.unanswered")).to_have_count(0)
    assert board.numbers() == numbers_of(trace(edited((*W_Q, 0.8))), 4)
    eventually(lambda: board.n_held > 0, True)  # the rest of the page is asked for
    board.let_go()
    listed = board.page.get_by_text("W_q[0, 1]: 0.5166 → 0.8000")
    expect(listed).to_be_visible()
    board.settle()
    board.page.go_back()
    shows_number(board.cell(W_Q), "0.9000")
    assert board.address == "?edits=w_q.0.1.0.9"
    board.hold_back(takes_at_once=True)
    board.type_over(("w_k", 1, 1), "0.4")
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9*w_k.1.1.0.4")
    board.page.reload()
    shows_number(board.cell(("w_k", 1, 1)), "0.4000")
    board.torch_says()
    assert board.numbers() == numbers_of(trace(edited((*W_Q, 0.9), ("w_k", 1, 1, 0.4))), 4)


def test_what_the_last_run_drew_and_is_drawn_again_does_not_undo_what_was_taken_since(board: Board) -> None:
    board.settle()
    board.hold_back(takes_at_once=True)
    board.type_over(W_Q, "0.9")
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9")
    for scheme in ("dark", "light"):
        board.page.emulate_media(color_scheme=scheme)
        board.page.set_viewport_size({"width": 1200 if scheme == "dark" else 1366, "height": 700})
        shows_number(board.cell(W_Q), "0.9000")
    board.let_go()
    board.settle()
    shows_number(board.cell(W_Q), "0.9000")
    assert board.address == "?edits=w_q.0.1.0.9"


def test_an_edit_that_follows_while_the_page_has_heard_nothing_is_made_after_it(board: Board) -> None:
    board.hold_back()
    board.type_over(W_Q, "0.9")
    expect(board.status).to_contain_text(CHECKED)
    board.type_over(("w_k", 1, 1), "0.4")
    expect(board.status).to_contain_text(say("board.status.waiting"))
    shows_number(board.cell(W_Q), "0.9000")
    board.let_go()
    board.torch_says()
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9*w_k.1.1.0.4")
    assert board.numbers() == numbers_of(trace(edited((*W_Q, 0.9), ("w_k", 1, 1, 0.4))), 4)


@pytest.mark.parametrize("answer", ["fails", "is cut", "is nothing", "never comes"])
def test_without_an_answer_the_run_tells_it(board: Board, answer: str) -> None:
    asked: list[Any] = []

    def fail(route: Any) -> None:
        asked.append(route)
        if answer == "fails":
            route.fulfill(status=500)
        elif answer == "is cut":
            route.abort()
        elif answer == "is nothing":
            route.fulfill(status=204)

    board.page.route(f"**/{AT}", fail)
    board.type_over(W_Q, "0.9")
    board.torch_says()
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9")
    assert board.numbers() == numbers_of(trace(edited((*W_Q, 0.9))), 4)
    board.settle()
    board.scrub(("w_k", 0, 0), 10).torch_says()
    eventually(lambda: "w_k.0.0" in board.address, True)
    assert answer == "is nothing" or len(asked) == 1, "who did not answer is left alone for a while"
    board.errors.clear()  # the browser says what came of it


@dear
def test_several_edits_in_a_row_are_one_step_back_each(board: Board) -> None:
    for value in ("0.9", "0.8", "0.7"):
        board.type_over(W_Q, value)
        board.torch_says()
        eventually(lambda: board.address, f"?edits=w_q.0.1.{value}")
        board.settle()
    for wanted in ("?edits=w_q.0.1.0.8", "?edits=w_q.0.1.0.9", ""):
        board.page.go_back()
        eventually(lambda: board.address, wanted)
        board.page.wait_for_timeout(500)


def test_what_is_typed_and_left_by_a_click_waits_for_nothing(board: Board) -> None:
    """The box is left when the mouse goes down: the click that follows isn't told before."""
    board.page.evaluate(_SLOW)
    board.focus_on(W_Q)
    board.page.keyboard.type("0.9")
    board.hold_back()
    board.page.mouse.move(3, 300)
    board.page.mouse.down()
    eventually(lambda: board.n_held + 100 * board.page.evaluate("window.asked") in (1, 2, 3), True)
    board.let_go()
    board.page.mouse.up()
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9")


@dear
def test_torchs_numbers_do_not_hide_that_the_server_has_not_heard_of_an_edit(board: Board) -> None:
    late, away = say("board.status.checked_late"), say("board.status.checked_offline")
    board.settle()  # whose end was held would seem to run, and nothing is late while the server runs
    board.hold_back()
    board.type_over(W_Q, "0.9")
    expect(board.status).to_contain_text(CHECKED)
    expect(board.status).to_contain_text(late)  # once it should have been answered
    board.page.evaluate("attnvizConnection.connected = false; dispatchEvent(new Event('attnviz:away'))")
    expect(board.status).to_contain_text(away)
    board.page.evaluate("attnvizConnection.connected = true")
    board.let_go()
    board.torch_says()
    expect(board.status).not_to_contain_text(late)
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9")


def test_what_is_done_next_is_told_after_the_edit(board: Board) -> None:
    """Letting go, and the next thing at once: Python hears of both, in this order."""
    board.type_over(W_Q, "0.9")
    board.press_keys("Escape")
    board.chip("starts").click()
    board.torch_says()
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9&query=2")
