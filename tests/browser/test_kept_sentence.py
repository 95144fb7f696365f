"""A kept sentence on the board: numbers that are of one of several matrices alone are explained where they're pointed
at."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.board import Board


@pytest.mark.parametrize(
    ("address", "place", "of"),
    [
        ({"reads": "kept", "second": "der Hund", "causal": "true"}, ("joined", 3, 0), "X"),
        ({"reads": "kept", "second": "der Hund", "causal": "true"}, ("joined", 1, 0), "Y"),
        ({"n_heads": 2, "d_out": 4, "output": "true"}, ("contexts", 1, 3), "C, context vectors, head 1"),
    ],
)
def test_a_number_of_one_matrix_alone_is_explained(
    new_board: Callable[..., Board], address: dict[str, object], place: tuple[str, int, int], of: str
) -> None:
    board = new_board().open_board(text="the cat", **address)
    board.torch_says()
    board.point_at(place)
    axis = "rows" if place[0] == "joined" else "columns"
    expect(board.panel).to_contain_text(say(f"explanation.concatenate.{axis}", matrix=of).split(". ")[0])
    board.cell(place).click()
    expect(board.panel).to_contain_text(of.split(",")[0])
    expect(board.cell(place)).to_be_visible()
