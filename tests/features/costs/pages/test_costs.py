"""The page on costs in a session: tiles of the reader's own row."""

import json
from typing import Any

import pytest

from attnviz import Scenario, trace
from attnviz.words import say
from attnviz.words.numbers import written
from tests.pages.playground import Playground
from tests.pages.reader import sent_to

PAGE = "pages/costs.py"


def tiles_of(reader: Playground) -> dict[str, Any]:
    (sent,) = sent_to(reader.at, "tiles")
    return dict(sent)


def test_the_picked_tokens_row_is_read_tile_by_tile_to_its_context_vector() -> None:
    reader = Playground(PAGE, text="the cat sat down", query="2", seed="7")
    sent = tiles_of(reader)
    context = trace(Scenario("the cat sat down", seed=7)).context[2]
    assert sent["keys"] == ["the", "cat", "sat", "down"]
    assert [step["stop"] for step in sent["steps"]] == [2, 4]
    assert sent["steps"][-1]["numbers"]["output"] == f"({', '.join(written(float(each), 3) for each in context)})"
    reader.at.segmented_control(key="costs.tiles.size").set_value(3).run()
    assert [step["stop"] for step in tiles_of(reader)["steps"]] == [3, 4]
    assert not reader.errors


@pytest.mark.parametrize("address", [{"weighting": "linear"}, {"text": "a " * 40}])
def test_a_set_up_that_has_no_such_row_gets_the_example_and_is_told(address: dict[str, str]) -> None:
    reader = Playground(PAGE, **address)
    assert len(tiles_of(reader)["keys"]) == 6
    told = say("costs.tiles.example", most=24)
    assert any(told in each.value for each in reader.at.caption)
    assert not reader.errors


def test_the_data_is_json_without_infinities() -> None:
    sent = tiles_of(Playground(PAGE, masking="window", query="5"))
    json.dumps(sent, allow_nan=False)
