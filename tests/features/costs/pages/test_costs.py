"""The page on costs in a session: tiles of the reader's own row."""

import json
from typing import Any

import pytest

from attnviz import Scenario, trace
from attnviz.features.costs.in_words import of_model, of_own
from attnviz.features.costs.of_scenario import costs_of
from attnviz.features.costs.published_models import PUBLISHED_MODELS
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
    assert any(told in caption.value for caption in reader.at.caption)
    assert not reader.errors


def test_the_data_is_json_without_infinities() -> None:
    sent = tiles_of(Playground(PAGE, masking="window", query="5"))
    json.dumps(sent, allow_nan=False)


def test_the_picked_model_and_the_readers_own_set_up_are_told_at_the_chosen_length() -> None:
    reader = Playground(PAGE, text="the cat sat down", d_out="4", n_heads="2")
    for model, length in ((PUBLISHED_MODELS[0], 131072), (PUBLISHED_MODELS[5], 1024)):
        reader.at.selectbox(key="costs.model").select(model.costs.name).run()
        reader.at.select_slider(key="costs.length").set_value(length).run()
        texts = reader.texts
        own = costs_of(Scenario("the cat sat down", d_out=4, n_heads=2))
        assert f"{of_model(model.costs, length)} {say(f'costs.model.{model.key}')}" in texts
        assert of_own(own, 4, length) in texts
        told = {caption.value for caption in reader.at.caption}
        too_long = say("costs.curve.too_long", model=model.costs.name, longest="8,192 tokens")
        assert (too_long in told) == (length > model.longest)
    assert not reader.errors


def test_all_models_stand_in_a_table_with_their_sources() -> None:
    (table,) = Playground(PAGE).at.dataframe
    assert table.value.iloc[:, 0].tolist() == [each.costs.name for each in PUBLISHED_MODELS]
    assert table.value.iloc[:, -1].tolist() == [each.address for each in PUBLISHED_MODELS]


def test_what_is_measured_is_drawn_beside_the_count() -> None:
    reader = Playground(PAGE)
    assert len(reader.at.get("plotly_chart")) == 1
    reader.at.button(key="costs.measure").click().run()
    assert len(reader.at.get("plotly_chart")) == 2
    assert not reader.errors
