"""The whole set-up lives in the address: reload, Back, page change and a link keep it."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import Playground, eventually
from tests.whole import dear

EDITED = ["0.4306", "1.6659"]
Q_OF_JOURNEY = ("q", 1, 1)
C_OF_JOURNEY = ("context", 1, 0)


@dear
def test_reload_keeps_the_set_up_and_the_edits(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).shows("q", "journey", EDITED)
    playground.switch("Causal mask").shows("attention_weights", "Your", ["1.0000"] + ["–"] * 5)
    playground.pick("starts").says("“starts” reads ")
    eventually(lambda: playground.address, "?causal=true&edits=w_q.0.1.0.9&query=2")
    playground.page.reload()
    playground.settle().shows("q", "journey", EDITED)
    playground.shows("attention_weights", "Your", ["1.0000"] + ["–"] * 5)
    playground.says("W_q[0, 1]: 0.5166 → 0.9000")
    eventually(lambda: playground.outlined("scores"), ["starts"])
    playground.edit(2, 0, -1).shows("q", "journey", ["−0.2782", "1.6659"])


@dear
def test_leaving_for_another_site_and_coming_back_keep_the_set_up(new_board: Callable[..., Board]) -> None:
    board = new_board().open_board().set_number("Seed", 789).choose("Initialization", "linear")
    shows_number(board.cell(C_OF_JOURNEY), "−0.0748")
    eventually(lambda: board.address, "?init=linear&seed=789")
    board.page.goto(f"{board.server}/_stcore/health")
    board.page.go_back()
    shows_number(board.settle().cell(C_OF_JOURNEY), "−0.0748")


def test_another_page_and_back_keep_the_set_up_and_the_edits(new_board: Callable[..., Board]) -> None:
    board = new_board().open_board().type_sentence("one journey")
    expect(board.cell(("scores", 1, 1))).to_be_visible()
    expect(board.cell(("scores", 2, 2))).to_have_count(0)
    board.type_over(("w_q", 0, 1), "0.9")
    shows_number(board.cell(Q_OF_JOURNEY), "1.6659")
    eventually(lambda: board.address, "?text=one+journey&edits=w_q.0.1.0.9")
    for back in (board.page.go_back, lambda: board.go_to("Playground")):
        board.go_to("Questions").page.wait_for_url("**/questions*")
        expect(board.board).to_have_count(0)
        back()
        shows_number(board.cell(Q_OF_JOURNEY), "1.6659")
        expect(board.cell(("scores", 2, 2))).to_have_count(0)


@dear
def test_two_readers_at_once_see_their_own_numbers(new_board: Callable[..., Board]) -> None:
    one, other = new_board().open_board(), new_board().open_board(seed=789, init="linear")
    shows_number(other.cell(C_OF_JOURNEY), "−0.0748")
    one.type_over(("w_q", 0, 1), "0.9")
    other.type_over(("w_q", 0, 0), "1e30").type_over(("w_k", 0, 0), "1e30")
    shows_number(other.cell(C_OF_JOURNEY), "NaN")
    shows_number(one.cell(Q_OF_JOURNEY), "1.6659")
    one.press("Start over").torch_says()
    shows_number(one.cell(C_OF_JOURNEY), "0.7661")  # of the example that a bare address opens
    shows_number(other.cell(C_OF_JOURNEY), "NaN")


@dear
def test_what_a_link_cannot_be_is_said_once_and_falls_back(new_board: Callable[..., Board]) -> None:
    board = new_board().open_board(
        d_in="abc", d_out="5.5", seed="1e3", device="cuda:9", query=77, edits="w_q.0.0.nan", step=99
    )
    shows_number(board.cell(C_OF_JOURNEY), "0.3061")
    board.says("Parts of this link were ignored")
    eventually(lambda: board.address, "")
    board.switch("Causal mask")
    shows_number(board.cell(("attention_weights", 0, 1)), "–")
    eventually(lambda: board.page.get_by_test_id("stAlert").count(), 0)


@dear
def test_one_back_leads_away_from_a_link_that_was_not_taken_as_it_is(new_board: Callable[..., Board]) -> None:
    board = new_board()
    before = f"{board.server}/_stcore/health"
    board.page.goto(before)
    board.open_board(d_in="abc", example="none", pinned="x" * 250_001, seed=7)
    board.says("Parts of this link were ignored")
    eventually(lambda: board.address, "?seed=7")
    board.page.go_back()
    assert board.page.url == before


@dear
def test_the_address_of_an_older_link_is_written_by_names_and_one_back_leads_away(
    new_board: Callable[..., Board],
) -> None:
    board = new_board()
    before = f"{board.server}/_stcore/health"
    board.page.goto(before)
    board.page.goto(f"{board.server}/questions?question=8&numbers=axis%3D2")
    expect(board.page.get_by_text("Over which axis is the softmax taken?")).to_be_visible(timeout=60_000)
    eventually(lambda: "question=axis" in board.address and "axis=whole" in board.address, True)
    board.page.go_back()
    assert board.page.url == before
