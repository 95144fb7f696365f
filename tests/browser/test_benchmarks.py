"""That `make bench` still finds on the page what it drags, points at and reads."""

from collections.abc import Callable

from benchmarks.board import POINTED, SETTINGS, point, scrub
from benchmarks.browser import SIZE, in_page, setup_seed
from tests.browser.board import Board
from tests.browser.playground import Playground
from tests.whole import dear


@dear
def test_the_bench_of_a_real_model_knows_when_its_numbers_come_and_are_drawn(
    new_reader: Callable[..., Playground],
) -> None:
    reader = new_reader()
    reader.page.add_init_script(in_page("model.js") + "\nwindow.modelBench.wanted = 72;")
    reader.open("/model", model_text="a cat sat")
    reader.page.wait_for_function("modelBench.drawn > 0")
    assert reader.page.evaluate("0 < modelBench.came && modelBench.came < modelBench.drawn")


@dear
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
