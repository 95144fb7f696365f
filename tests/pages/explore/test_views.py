"""The views of the playground: a board where it fits, heatmaps wherever they are asked for."""

from urllib.parse import urlencode

import numpy as np
import pytest

from attnviz import Scenario, trace
from attnviz.board.data import MOST_COLUMNS
from attnviz.core.stages import STAGES
from attnviz.explanation.numbers_from import numbers_in_words
from attnviz.link.set_up import scenario_from_query
from attnviz.published import OPENING, starting_points
from attnviz.words import say
from tests.pages.packed import numbers_in
from tests.pages.playground import Playground
from tests.pages.reader import in_address

WORDS = " ".join(f"word{i}" for i in range(40))


def board_shows(playground: Playground, scenario: Scenario) -> bool:
    """Whether the board is given the numbers of this scenario, all of them and bit by bit."""
    assert playground.board is not None
    computed, given = trace(scenario), playground.board["matrices"]
    wanted = {name: getattr(computed, name) for name in STAGES if getattr(computed, name) is not None}
    assert given.keys() == wanted.keys()
    return all(
        np.array_equal(numbers_in(given, name), matrix.flatten().numpy(), equal_nan=True)
        for name, matrix in wanted.items()
    )


@pytest.fixture
def first_page() -> Playground:
    """The playground with the published example."""
    return Playground(view="board")


def test_a_first_visit_shows_the_board_with_numbers_that_mean_something() -> None:
    page = Playground(view="", example=OPENING)
    opening = starting_points()[OPENING].scenario
    assert board_shows(page, opening)
    assert page.board is not None
    assert page.board["query"] == 1
    assert page.board["about"].startswith(numbers_in_words(opening))
    assert not page.charts


def test_a_board_says_where_its_numbers_are_from(first_page: Playground) -> None:
    assert board_shows(first_page, Scenario(embedding="published"))
    assert first_page.board is not None
    assert first_page.board["about"].startswith("The numbers of W_q, W_k and W_v are random and untrained")
    assert "All 6 tokens have their published vectors." in first_page.captions


def test_the_address_keeps_the_view_and_a_button_leads_back_to_the_board() -> None:
    page = Playground(view="heatmaps")
    assert page.shows(Scenario(embedding="published"))
    assert page.board is None
    page.press(say("playground.views.board"))
    assert page.board is not None
    assert in_address(page.at, "view") == ""


@pytest.mark.parametrize("address", [{"text": WORDS}, {"d_in": "17"}, {"d_out": "17"}])
def test_many_tokens_and_columns_are_on_the_board(address: dict[str, str]) -> None:
    playground = Playground(view="", **address)
    assert board_shows(playground, scenario_from_query(urlencode(address))[0])


@pytest.mark.parametrize("address", [{"d_in": "129"}, {"d_out": "129"}])
def test_what_is_too_large_for_the_board_is_shown_as_heatmaps(address: dict[str, str]) -> None:
    playground = Playground(view="", **address)
    assert playground.board is None
    assert playground.shows(scenario_from_query(urlencode(address))[0])
    assert say("playground.views.fits", most=MOST_COLUMNS) in playground.captions


def test_the_tables_under_the_board_are_made_when_they_are_opened(first_page: Playground) -> None:
    assert not first_page.at.get("data_editor")
    first_page.at.session_state["playground.tables"] = True
    first_page.run().edit("w_q", 0, 1, 0.9)
    assert board_shows(first_page, Scenario(embedding="published", edits=[("w_q", 0, 1, 0.9)]))
    first_page.at.session_state["playground.tables"] = True  # AppTest knows no expanders and forgets the state of this
    first_page.look_at("w_k").press("Zeros")
    assert board_shows(first_page, Scenario(embedding="published", w_k="zeros", edits=[("w_q", 0, 1, 0.9)]))


def test_numbers_that_are_none_reach_the_board_as_what_they_are() -> None:
    playground = Playground(view="", causal="true", edits="w_q.0.0.1e30*w_k.0.0.1e30")
    assert playground.board is not None
    values = playground.board["matrices"]["scaled_scores"]["values"]
    assert {"Infinity", "-Infinity"} <= {value for value in values if isinstance(value, str)}
    assert playground.board["matrices"]["attention_weights"]["values"][-1] == "NaN"
