"""A connection that goes and comes back, a server that was started anew, a reload in between: nothing typed is lost."""

import re
from functools import partial

import pytest
from playwright.sync_api import Route, expect

from attnviz.words import say
from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import Playground, eventually
from tests.browser.proxy import Network
from tests.browser.readers import New

AWAY, NOTICE = say("connection.away"), ".st-key-address .connection"
# Which parts of a page are under the notice, of those that a reader needs at its top.
_COVERED = """() => {
  const host = document.querySelector('.st-key-address [data-testid=stBidiComponentIsolated]');
  const notice = host.shadowRoot.querySelector('.connection').getBoundingClientRect();
  const covers = ({left, right, top, bottom}) =>
    right > left && left < notice.right && right > notice.left && top < notice.bottom && bottom > notice.top;
  const parts = [...document.querySelectorAll('h1, header a, .stMain button, header button')];
  return parts.filter(part => covers(part.getBoundingClientRect())).map(part => part.textContent);
}"""
LONG = 90_000  # in milliseconds: Streamlit looks for its server at ever longer intervals


def _is_away(reader: Playground) -> None:
    expect(reader.page.locator(NOTICE)).to_have_text(AWAY)
    expect(reader.page.get_by_test_id("stDialog")).to_have_count(0)


def test_edits_made_offline_wait_in_the_page_and_are_sent(cable: Network, new: New) -> None:
    board = new(Board)
    board.server = cable.address
    board.open_board()
    cable.cut()
    _is_away(board)
    board.type_over(("w_q", 0, 1), "0.9").scrub(("w_k", 0, 0), 10)
    board.chip("starts").click()
    expect(board.status).to_have_text(say("board.status.offline"))
    for width, height in ((390, 844), (1366, 768)):
        board.page.set_viewport_size({"width": width, "height": height})
        eventually(lambda: board.page.evaluate(_COVERED), [])
    board.page.wait_for_timeout(1000)
    _is_away(board)
    cable.restore()
    expect(board.page.locator(NOTICE)).to_have_text(say("connection.back"), timeout=LONG)
    eventually(lambda: board.address, "?edits=w_q.0.1.0.9*w_k.0.0.0.24&query=2")
    board.torch_says()
    board.page.reload()
    shows_number(board.settle().cell(("q", 1, 1)), "1.6659")
    for before in ("?edits=w_q.0.1.0.9*w_k.0.0.0.24", "?edits=w_q.0.1.0.9", ""):  # each of the three was a step
        board.page.go_back()
        eventually(lambda: board.address, before)
    board.errors.clear()  # the network was away


@pytest.mark.parametrize("link", [{"example": "love-ai"}, {"seed": 123, "d_in": "abc", "d_out": 4}])
def test_one_back_leads_away_from_any_link(new: New, link: dict[str, object]) -> None:
    board = new(Board)
    before = f"{board.server}/_stcore/health"
    board.page.goto(before)
    board.open_board(**link)
    eventually(lambda: any(name in board.address for name in ("example=", "seed=", "d_in=abc")), False)
    board.type_over(("w_q", 0, 1), "0.9")
    eventually(
        lambda: "w_q.0.1.0.9" in board.address and ("d_out=4" in board.address or "d_in=2" in board.address), True
    )
    board.page.go_back()
    eventually(lambda: "w_q.0.1.0.9" in board.address, False)
    board.page.go_back()
    board.page.wait_for_url(before)


def test_controls_that_the_browser_draws_late_stand_as_the_page_says(new: New) -> None:
    """A run that came before found them at their defaults, and the address was given steps that nobody had made."""
    board, held = new(Board), list[Route]()
    board.page.route(re.compile("(Text|Number)Input.*js"), lambda script: held.append(script))
    board.page.goto(f"{board.server}/?example=fluffy-cat&seed=123")
    eventually(partial(_known, board, "mouse"), True)
    before = board.page.evaluate("history.length")
    board.type_over(("w_q", 0, 0), "0.7")
    board.page.wait_for_timeout(2000)  # a run would have come by now
    for route in held:
        route.continue_()
    for last in ("*w_q.0.0.0.7", "*w_q.0.0.0.7*w_k.0.0.0.4"):
        eventually(partial(_known, board, f"{last}&text=the+fluffy+cat+chased+a+mouse"), True)
        expect(board.page.locator(".st-key-text input")).to_have_value("the fluffy cat chased a mouse")
        board.type_over(("w_k", 0, 0), "0.4")
    assert board.page.evaluate("history.length") == before + 2


def _known(board: Board, end: str) -> bool:
    return str(board.page.evaluate("window.attnvizAddress?.answered && attnvizAddress.drawn.is")).endswith(end)
