"""A model's wide matrices on the board."""

import pytest

from attnviz import look_into
from attnviz.board.data import board_data
from attnviz.features.language_models.inside import INCLUDED
from tests.node import PageScript
from tests.unit.board.test_spine import TITLES, Box, room, stand_apart


@pytest.mark.parametrize("width", [1230.0, 1790.0])
@pytest.mark.parametrize("text", ["a cat sat", "The animal didn't cross the street because it was too tired"])
def test_a_models_wide_matrices_are_strips_that_lie_on_nothing(script: PageScript, text: str, width: float) -> None:
    view = look_into(INCLUDED, text=text)
    head = view.attending_at(3).output(1)
    assert head is not None
    data = board_data(None, head, 0, 4)
    layout, titles, legend = script.run(TITLES, [data, room(width, 700, tokens=len(view.tokens), plane=False)])
    boxes: dict[str, Box] = layout["boxes"]
    assert set(boxes) == set(head.stages) - {"scaled_scores"}
    stand_apart(layout, titles, legend, width)
    scale = layout["scale"]  # of all, where there is more room
    for name in ("x", "output", "w_o"):
        assert boxes[name]["cell"] <= scale
        assert 126 <= boxes[name]["width"] / scale <= 384.01
    for name in ("w_q", "w_k", "w_v"):
        assert boxes[name]["height"] == pytest.approx(96 * scale)
    assert boxes["k"]["row"] >= 3  # what isn't a strip keeps cells that a hand finds
    assert layout["width"] <= width
