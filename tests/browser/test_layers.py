"""Several layers on the board: one is in view, and what is changed in it is that layer's."""

from typing import Any

from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.core.matrix_input import Edit
from attnviz.words.numbers import written
from tests.browser.board import Board
from tests.browser.playground import eventually

SET_UP: dict[str, Any] = {"n_layers": 2, "d_out": 3}


def numbers_seen(scenario: Scenario, layer: int) -> dict[str, str]:
    """Every number that is on the board where this layer is in view."""
    made = trace(scenario).layers[layer]
    return {
        f"{name},{row},{column}": written(value, 4)
        for name, matrix in made.matrices.items() if "." not in name and name != "scaled_scores"
        for row, values in enumerate(matrix.tolist()) for column, value in enumerate(values)
    }  # fmt: skip


def test_a_layer_is_picked_a_number_of_it_is_dragged_and_a_reload_brings_both_back(new_board: Any) -> None:
    board: Board = new_board()
    scenario = Scenario(embedding="published", **SET_UP)
    board.open_board(**SET_UP)
    eventually(board.numbers, numbers_seen(scenario, 0))
    layers = board.page.get_by_label("Layer in view")
    layers.select_option("1")
    eventually(board.numbers, numbers_seen(scenario, 1))
    eventually(lambda: "layer=1" in board.address, True)
    board.torch_says()
    expect(board.page.locator('.cell.editable[data-at="x,1,0"]')).to_have_count(0)

    x, y = board.grab(("w_q", 1, 2))
    board.page.mouse.move(x + 8 + 4 * 90, y)
    board.page.mouse.up()
    number = round(scenario.matrix("layers.1.w_q")[1, 2].item() + 0.9, 4)
    edited = Scenario(embedding="published", **SET_UP, edits=[Edit("layers.1.w_q", 1, 2, number)])
    eventually(board.numbers, numbers_seen(edited, 1))
    eventually(lambda: "edits=w_q~1.1.2" in board.address, True)
    board.torch_says()

    layers.select_option("0")
    eventually(board.numbers, numbers_seen(edited, 0))
    board.press_keys("Control+z")  # what was done to the other layer stays
    board.torch_says()
    board.page.go_back()
    eventually(board.numbers, numbers_seen(edited, 1))
    board.page.reload()
    expect(board.page.locator('[data-at="context,0,0"]')).to_be_attached()
    eventually(board.numbers, numbers_seen(edited, 1))
    expect(board.page.locator('.cell.edited[data-at="w_q,1,2"]')).to_have_count(1)
