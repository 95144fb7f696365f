"""That `make bench` still finds on the page what it drags, points at and reads."""

from collections.abc import Callable

from benchmarks.board import POINTED, SETTINGS, point, scrub
from benchmarks.browser import SIZE, in_page, setup_seed
from tests.browser.board import Board


def test_what_the_bench_does_on_the_board_is_followed(new_board: Callable[..., Board]) -> None:
    board = new_board(**SIZE).open_board(**SETTINGS)
    board.torch_says()
    board.page.evaluate(in_page("board.js"))

    followed, released = scrub(board.page, 3)
    assert (len(followed), followed.count(None)) == (3, 0)
    assert released > 0
    pointed = point(board.page, 1)
    assert (len(pointed), pointed.count(None)) == (len(POINTED), 0)
    setup_seed(board.page).focus()
