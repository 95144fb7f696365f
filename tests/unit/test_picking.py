"""The points and frames of heatmaps lie on the cells that they stand for, at every size."""

import pytest

from attnviz import Scenario, explain, trace
from attnviz.figures import heatmap_spec, is_pickable
from attnviz.figures.picture import IN_CELL


def words(n_tokens: int) -> str:
    return " ".join(f"w{i}" for i in range(n_tokens))


@pytest.mark.parametrize("n_tokens", [1, IN_CELL, IN_CELL + 1])
def test_points_are_there_where_numbers_stand_in_the_cells(n_tokens: int) -> None:
    spec = heatmap_spec(trace(Scenario(words(n_tokens))), "scores", pickable=True)
    assert is_pickable(spec) == (n_tokens <= IN_CELL)
    assert not is_pickable(heatmap_spec(trace(Scenario(words(n_tokens))), "scores"))


@pytest.mark.parametrize(("n_tokens", "blocks"), [(6, 1), (300, 2), (600, 3)])
def test_frames_lie_within_the_picture_also_where_cells_are_drawn_as_one(n_tokens: int, blocks: int) -> None:
    computed = trace(Scenario(words(n_tokens)))
    picked = explain(computed, "attention_weights", n_tokens - 1, 3)
    own = heatmap_spec(computed, "attention_weights", picked=picked)["layout"]
    frame = own["shapes"][-1]
    assert frame["x0"] == 3 // blocks - 0.5
    assert (frame["x1"] - frame["x0"], frame["y1"] - frame["y0"]) == (1, 1)
    assert frame["y1"] == own["yaxis"]["range"][0]
    source = heatmap_spec(computed, "scaled_scores", picked=picked)["layout"]
    (row,) = source["shapes"]
    assert [row["x0"], row["x1"]] == source["xaxis"]["range"]
    assert row["y1"] - row["y0"] == 1
    assert "shapes" not in heatmap_spec(computed, "q", picked=picked)["layout"]


def test_the_query_keeps_its_frame_beside_that_of_the_picked_cell() -> None:
    computed = trace(Scenario())
    spec = heatmap_spec(computed, "scores", query=1, picked=explain(computed, "scores", 1, 5))
    row, _, cell = spec["layout"]["shapes"]
    assert [(each["x0"], each["x1"]) for each in (row, cell)] == [(-0.5, 5.5), (4.5, 5.5)]
