"""Picking a cell of a heatmap: by select boxes, by the address, by a click; kept, outlined, explained."""

from itertools import chain

import pytest

from attnviz import Scenario, explain, trace
from attnviz.app.parts.picked_cell import COLUMN, MATRIX, ROW
from attnviz.core.stages import attention_table, pictured
from attnviz.words import say
from tests.pages.playground import Playground
from tests.pages.reader import in_address

PUBLISHED = Scenario(embedding="published")
HEATMAPS = "playground.heatmaps"
PICTURED = tuple(chain.from_iterable(pictured(attention_table(biases=()))))


def explained(scenario: Scenario, matrix: str, row: int, column: int) -> str:
    return explain(trace(scenario), matrix, row, column, scenario=scenario).text


def cell_in_address(playground: Playground) -> str:
    return in_address(playground.at, "cell")


@pytest.mark.parametrize(
    "matrix", ["x", "w_q", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"]
)
def test_select_boxes_explain_any_cell(playground: Playground, matrix: str) -> None:
    playground.set(MATRIX, matrix).set(ROW, 2).set(COLUMN, 1)
    assert playground.explanation == explained(PUBLISHED, matrix, 2, 1)
    assert playground.at.latex[0].value.strip("$\n") == explain(trace(PUBLISHED), matrix, 2, 1).latex
    assert cell_in_address(playground) == f"{matrix}.2.1"


def test_an_address_opens_the_explanation_and_outlines_what_it_is_made_from() -> None:
    playground = Playground(cell="scores.1.5")
    assert playground.explanation == explained(PUBLISHED, "scores", 1, 5)
    assert playground.outlines("scores") == [("solid", (1, 1), (5, 5))]
    assert playground.outlines("q") == [("dotted", (1, 1), (0, 1))]
    assert playground.outlines("k") == [("dotted", (5, 5), (0, 1))]
    assert not any(playground.outlines(name) for name in set(PICTURED) - {"scores", "q", "k"})


def test_the_picked_cell_survives_changes_and_letting_go_ends_it() -> None:
    playground = Playground(cell="context.1.0").set("seed", 7)
    assert playground.explanation == explained(Scenario(embedding="published", seed=7), "context", 1, 0)
    playground.type_sentence("cat")  # has no second row
    assert playground.explanation == ""
    playground.type_sentence("the cat sat")
    assert playground.explanation == explained(Scenario("the cat sat", embedding="published", seed=7), "context", 1, 0)
    playground.set(MATRIX, None)
    assert playground.explanation == ""
    assert cell_in_address(playground) == ""


def pinned(playground: Playground) -> tuple[str, int, int] | None:
    """The cell that the board is told to pin."""
    assert playground.board is not None
    return playground.board["picked"] and tuple(playground.board["picked"].values())


def test_a_link_pins_its_cell_on_the_board_and_both_views_have_the_same() -> None:
    playground = Playground(view="board", cell="scores.1.5")
    assert pinned(playground) == ("scores", 1, 5)
    playground.change(view="heatmaps")
    assert playground.explanation == explained(PUBLISHED, "scores", 1, 5)
    playground.set(ROW, 2).press(say("playground.views.board"))
    assert pinned(playground) == ("scores", 2, 5)


def test_what_is_pinned_survives_changes_and_is_dropped_quietly_where_there_is_no_such_cell() -> None:
    playground = Playground(view="board", cell="context.1.0").set("seed", 7)
    assert pinned(playground) == ("context", 1, 0)
    playground.type_sentence("cat")  # has no second row
    assert pinned(playground) is None
    assert not playground.at.warning
    playground.type_sentence("the cat sat")
    assert pinned(playground) == ("context", 1, 0)


@pytest.mark.parametrize("name", PICTURED)
def test_a_click_picks_its_cell(playground: Playground, name: str) -> None:
    playground.tell(HEATMAPS, "picked", {"matrix": name, "row": 2, "column": 1})
    assert cell_in_address(playground) == f"{name}.2.1"
    assert playground.explanation == explained(PUBLISHED, name, 2, 1)


@pytest.mark.parametrize(
    "forged",
    [None, 5, [], {}, {"matrix": "scores"}, {"matrix": [], "row": 0, "column": 0},
     {"matrix": "s", "row": 0, "column": 0},
     {"matrix": "scores", "row": -1, "column": 0}, {"matrix": "scores", "row": 0, "column": 6},
     {"matrix": "scores", "row": 1e300, "column": 0}, {"matrix": "scores", "row": "0", "column": "0"}],
)  # fmt: skip
def test_a_click_that_no_browser_sends_picks_nothing(forged: object) -> None:
    playground = Playground(cell="scores.1.5")
    playground.tell(HEATMAPS, "picked", forged)
    assert cell_in_address(playground) == "scores.1.5"
