"""The views of the playground: a board where it fits, heatmaps wherever they are asked for."""

from urllib.parse import urlencode

import pytest

from attnviz import Scenario, trace
from attnviz.board.data import MOST_COLUMNS
from attnviz.link.set_up import scenario_from_query
from attnviz.words import say
from tests.pages.packed import shows
from tests.pages.playground import Playground

WORDS = " ".join(f"word{i}" for i in range(40))


def board_shows(playground: Playground, scenario: Scenario) -> bool:
    assert playground.board is not None
    return shows(playground.board, trace(scenario))


@pytest.mark.parametrize(
    ("address", "fits"),
    [({"text": WORDS}, True), ({"d_in": "17"}, True), ({"d_out": "17"}, True), ({"d_in": "129"}, False),
     ({"d_out": "129"}, False)],
)  # fmt: skip
def test_what_fits_is_on_the_board_and_what_is_too_large_for_it_is_shown_as_heatmaps(
    address: dict[str, str], fits: bool
) -> None:
    playground, scenario = Playground(view="", **address), scenario_from_query(urlencode(address))[0]
    assert (board_shows if fits else Playground.shows)(playground, scenario)
    assert (say("playground.views.fits", most=MOST_COLUMNS) in playground.captions) is not fits
    assert bool(playground.charts) is not fits


def test_the_tables_under_the_board_are_made_when_they_are_opened_and_it_says_where_its_numbers_are_from() -> None:
    page = Playground(view="board")
    assert board_shows(page, Scenario(embedding="published"))
    assert page.board is not None
    assert page.board["about"].startswith("The numbers of W_q, W_k and W_v are random and untrained")
    assert "All 6 tokens have their published vectors." in page.captions
    assert not page.at.get("data_editor")
    page.at.session_state["playground.tables"] = True
    page.run().edit("w_q", 0, 1, 0.9)
    page.at.session_state["playground.tables"] = True  # AppTest knows no expanders and forgets the state of this
    page.look_at("w_k").press("Zeros")
    assert board_shows(page, Scenario(embedding="published", w_k="zeros", edits=[("w_q", 0, 1, 0.9)]))
