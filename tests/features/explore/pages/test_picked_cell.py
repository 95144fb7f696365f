"""Picking a cell of a heatmap: by select boxes, by the address, by a click; kept, outlined, explained."""

from itertools import chain
from typing import Any

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


def test_select_boxes_and_clicks_explain_any_cell(playground: Playground) -> None:
    for column, name in enumerate(PICTURED):
        playground.set(MATRIX, name).set(ROW, 2).set(COLUMN, 1)
        assert cell_in_address(playground) == f"{name}.2.1"
        assert playground.explanation == explained(PUBLISHED, name, 2, 1)
        assert playground.at.latex[0].value.strip("$\n") == explain(trace(PUBLISHED), name, 2, 1).latex
        playground.tell(HEATMAPS, "picked", {"matrix": name, "row": 1, "column": column % 2})
        assert cell_in_address(playground) == f"{name}.1.{column % 2}"
        assert playground.explanation == explained(PUBLISHED, name, 1, column % 2)


def test_an_address_opens_the_explanation_and_outlines_what_it_is_made_from_and_no_forged_click_ends_it() -> None:
    playground = Playground(cell="scores.1.5")
    assert playground.explanation == explained(PUBLISHED, "scores", 1, 5)
    assert playground.outlines("scores") == [("solid", (1, 1), (5, 5))]
    assert playground.outlines("q") == [("dotted", (1, 1), (0, 1))]
    assert playground.outlines("k") == [("dotted", (5, 5), (0, 1))]
    assert not any(playground.outlines(name) for name in set(PICTURED) - {"scores", "q", "k"})
    place: dict[str, Any] = {"matrix": "scores", "row": 0, "column": 0}
    no_clicks: tuple[Any, ...] = (
        None, 5, [], {}, {"matrix": "scores"}, place | {"matrix": []}, place | {"matrix": "s"}, place | {"row": -1},
        place | {"column": 6}, place | {"row": 1e300}, place | {"row": "0", "column": "0"},
    )  # fmt: skip
    for forged in no_clicks:
        playground.tell(HEATMAPS, "picked", forged)
        assert cell_in_address(playground) == "scores.1.5", forged


def pinned(playground: Playground) -> tuple[str, int, int] | None:
    """The cell that the board is told to pin."""
    assert playground.board is not None
    return playground.board["picked"] and tuple(playground.board["picked"].values())


@pytest.mark.parametrize("view", ["board", "heatmaps"])
def test_what_is_picked_survives_changes_and_is_dropped_quietly_where_there_is_no_such_cell(view: str) -> None:
    playground = Playground(view=view, cell="context.1.0").set("seed", 7)
    for text, there in ((None, True), ("cat", False), ("the cat sat", True)):  # has no second row
        scenario = Scenario(text or PUBLISHED.text, embedding="published", seed=7)
        if text:
            playground.type_sentence(text)
        if view == "board":
            assert pinned(playground) == (("context", 1, 0) if there else None)
        else:
            assert playground.explanation == (explained(scenario, "context", 1, 0) if there else "")
        assert not playground.at.warning
    if view == "heatmaps":
        playground.set(MATRIX, None)
        assert playground.explanation == ""
        assert cell_in_address(playground) == ""


def test_a_link_pins_its_cell_on_the_board_and_both_views_have_the_same() -> None:
    playground = Playground(view="board", cell="scores.1.5")
    assert pinned(playground) == ("scores", 1, 5)
    playground.change(view="heatmaps")
    assert playground.board is None
    assert playground.explanation == explained(PUBLISHED, "scores", 1, 5)
    playground.set(ROW, 2).press(say("playground.views.board"))
    assert pinned(playground) == ("scores", 2, 5)
    assert in_address(playground.at, "view") == ""
