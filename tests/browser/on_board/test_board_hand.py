"""The board under the hand: mouse and keys change its numbers, and nothing that nobody changed."""

import pytest
from playwright.sync_api import Browser, expect

from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.explanation import before_edits
from attnviz.words import say
from tests.browser.cells import shows_number
from tests.browser.lone_board import W_Q, LoneBoard, mounted
from tests.browser.playground import at_rest, eventually

WAITS = say("board.status.waiting")

# Where every cell, title and sentence below a matrix is, and how large.
_PLACES = """() => [...document.body.shadowRoot.querySelectorAll('.cell, .title, .head, .name, .op, .legend')].map(
  element => {
  const {x, y, width, height} = element.getBoundingClientRect();
  return element.matches('.title') ? [x, y, height] : [x, y, width, height]; // beside a name more may be said
})"""

# The cells that their number does not fit into.
_CUT = """() => [...document.body.shadowRoot.querySelectorAll('.cell')].filter(
  cell => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight).map(cell => cell.textContent)"""


@pytest.mark.parametrize("pixels", [3, -4, 7])
def test_a_hand_that_trembles_pins_a_cell_and_changes_nothing(board: LoneBoard, pixels: int) -> None:
    x, y = board.grab(board.cell(W_Q))
    board.page.mouse.move(x + pixels, y + 2)
    board.page.mouse.up()
    expect(board.button("Unpin")).to_be_visible()
    shows_number(board.cell(W_Q), "0.2961")
    assert board.told == []
    board.cell(("context", 3, 0)).hover()
    board.chooses(W_Q)
    board.cell(W_Q).click()
    board.cell(("context", 3, 0)).hover()
    board.chooses(("context", 3, 0))


def test_a_drag_counts_from_where_it_began_and_pins_nothing(board: LoneBoard) -> None:
    board.drag(W_Q, 1)
    shows_number(board.cell(W_Q), "0.3100")
    board.page.mouse.up()
    expect(board.button("Unpin")).to_have_count(0)
    ((told,),) = board.told
    assert told[0] == "w_q,0,0"
    assert told[1] == pytest.approx(0.31, abs=1e-4)


def test_escape_gives_a_dragged_number_back(board: LoneBoard) -> None:
    board.cell(("q", 1, 0)).focus()
    board.press_keys("Enter")
    board.drag(W_Q, 10)
    shows_number(board.cell(W_Q), "0.4000")
    board.press_keys("Escape")
    shows_number(board.cell(W_Q), "0.2961")
    board.page.mouse.move(0, 0)
    board.page.mouse.up()
    expect(board.status).to_contain_text(say("board.status.checked"))
    assert board.told == []
    board.chooses(("q", 1, 0))  # what is pinned stays pinned


def test_a_changed_cell_is_told_as_changed_before_torch_answers(board: LoneBoard) -> None:
    scenario = Scenario(embedding="published")
    origin = before_edits(scenario, "w_q", 0)
    given = say("explanation.given.origin", origin=origin)
    changed = say("explanation.given.edited", before="0.2961", origin=origin)
    board.cell(W_Q).click()
    expect(board.panel).to_contain_text(given)
    board.page.keyboard.type("0.9")
    board.press_keys("Enter")
    expect(board.panel).to_contain_text(changed)
    board.press_keys("Delete")  # torch has not heard of the first change either
    expect(board.panel).to_contain_text(given)
    shows_number(board.cell(W_Q), "0.2961")

    board.drag(W_Q, 10)
    expect(board.panel).to_contain_text(changed)
    board.page.mouse.up()
    expect(board.status).to_have_text(WAITS)
    expect(board.panel).to_contain_text(changed)


@pytest.mark.parametrize("key", ["Process", "Unidentified", "Dead"])
def test_what_an_input_method_makes_of_a_key_is_typed_into_the_cell(board: LoneBoard, key: str) -> None:
    board.cell(W_Q).focus()
    for composed, typed in (("−", "3"), ("√", "2")):
        _begin_to_compose(board, key)
        expect(board.page.locator(".typed")).to_have_value("")
        browser = board.page.context.new_cdp_session(board.page)
        browser.send("Input.imeSetComposition", {"text": composed, "selectionStart": 1, "selectionEnd": 1})
        board.press_keys("Enter")  # takes what is composed, and no more
        browser.send("Input.insertText", {"text": composed})
        board.page.keyboard.type(typed)
        expect(board.page.locator(".typed")).to_have_value(composed + typed)
        board.press_keys("Enter")
    assert board.told == [[("w_q,0,0", -3)]]
    expect(board.panel).to_contain_text(say("typed.no_number", text="“√2”"))

    _begin_to_compose(board, key)
    board.press_keys("Enter")
    expect(board.page.locator(".typed")).to_have_count(0)
    assert len(board.told) == 1, "a composition that is left changes nothing"


def _begin_to_compose(board: LoneBoard, key: str) -> None:
    browser = board.page.context.new_cdp_session(board.page)
    for kind in ("rawKeyDown", "keyUp"):
        browser.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "windowsVirtualKeyCode": 229})


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
@pytest.mark.parametrize("text", ["Your journey starts with one step", "to be"])
def test_nothing_moves_whatever_the_numbers_the_mask_and_the_messages(
    chromium: Browser, size: tuple[int, int], text: str
) -> None:
    page = mounted(chromium, Scenario(text, embedding="published"))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    before = at_rest(page, lambda: page.evaluate(_PLACES))  # the board has laid its cells anew
    longest = (("w_q", 0, 0, -123.4567), ("w_k", 1, 1, -1e-7), ("x", 0, 0, -9876.5432))
    for changed in (
        {"temperature": 0.1}, {"temperature": 10.0}, {"causal": True}, {"causal": True, "temperature": 0.125},
        {"scale": False}, {"edits": longest}, {"edits": (("x", 0, 0, 3e38),)},
    ):  # fmt: skip
        scenario = Scenario(text, embedding="published", **changed)
        page.evaluate("data => receive(data)", board_data(scenario, traced(scenario), 1, 4))
        page.wait_for_timeout(100)  # cells out of view are written once the rest is painted
        eventually(lambda: (page.evaluate(_PLACES), page.evaluate(_CUT)), (before, []))
    LoneBoard(page).cell(W_Q).focus()
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    expect(page.locator(".message")).not_to_be_empty()
    eventually(lambda: page.evaluate(_PLACES), before)
    page.context.close()


def test_a_click_is_the_second_of_two_only_on_the_cell_of_the_first(board: LoneBoard) -> None:
    """What a tapped cell unfolds may bring another one to where the finger taps next."""
    first, other = ("attention_weights", 1, 2), ("v", 2, 0)
    board.cell(first).dispatch_event("click", {"detail": 1})
    board.chooses(first)
    board.cell(other).dispatch_event("click", {"detail": 2})
    board.chooses(other)
    board.cell(other).dispatch_event("click", {"detail": 3})
    board.chooses(other)
    expect(board.button("Unpin")).to_be_visible()
