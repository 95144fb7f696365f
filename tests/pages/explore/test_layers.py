"""Several layers on every page: one is in view, its numbers are that layer's, and links keep it."""

from typing import Any

import numpy as np
import pytest

from attnviz import Scenario, trace
from attnviz.core.matrix_input import Edit
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.pages.packed import numbers_in
from tests.pages.playground import Playground
from tests.pages.reader import in_address

SET_UP: dict[str, Any] = {"embedding": "published", "d_out": 3, "n_layers": 2}
ADDRESS = {"d_out": "3", "n_layers": "2"}


@pytest.mark.parametrize("layer", [0, 1])
def test_the_board_shows_the_layer_of_the_link(layer: int) -> None:
    scenario = Scenario(**SET_UP, edits=[Edit("layers.1.w_q", 1, 2, 0.5), Edit("w_k", 0, 0, 0.25)])
    cell = "layers.1.w_q.1.2" if layer else "scores.1.2"
    page = Playground(**ADDRESS, layer=str(layer), view="board", edits="w_q~1.1.2.0.5*w_k.0.0.0.25", cell=cell)
    board = page.board
    assert board is not None
    assert (board["layers"], board["layer"], page.messages) == (2, layer, [])
    for name, matrix in trace(scenario).layers[layer].matrices.items():
        np.testing.assert_array_equal(numbers_in(board["matrices"], name), matrix.flatten().numpy())
    edited = (
        {"w_q,1,2": scenario.unedited("layers.1.w_q")[1, 2]} if layer else {"w_k,0,0": scenario.unedited("w_k")[0, 0]}
    )
    assert board["before"] == {place: pytest.approx(float(value), abs=1e-4) for place, value in edited.items()}
    row, column = 1, 2
    assert board["picked"] == {"matrix": "w_q" if layer else "scores", "row": row, "column": column}


def test_the_heatmaps_and_the_editor_follow_the_layer_that_is_picked() -> None:
    page = Playground(**ADDRESS)
    made = trace(Scenario(**SET_UP))
    page.set("layers.picker", 1)
    assert in_address(page.at, "layer") == "1"
    np.testing.assert_array_equal(page.matrix("x"), made.layers[0].context.numpy())
    np.testing.assert_array_equal(page.matrix("context"), made.layers[1].context.numpy())
    page.set("playground.matrix1", "layers.1.w_v")
    next(button for button in page.at.button if button.label == say("editor.zeros.label")).click()
    page.run()
    assert page.matrix("context").any() == np.False_
    assert in_address(page.at, "edits") == "w_v~1.zeros"


def test_set_ups_with_other_numbers_of_layers_are_compared() -> None:
    a = Scenario(embedding="published", d_out=3)
    page = Playground("pages/compare.py", **ADDRESS, layer="1", pinned=pack(query_of(a)))
    said = say("compare.heads.layers", a="1 layer", b="2 layers", layer_a=0, layer_b=1)
    assert any(said in each.value for each in page.at.caption)
    keys = {key.partition("-compare.")[2]: key for key in page.charts if "-compare." in key}
    wanted = trace(Scenario(**SET_UP)).layers[1].attention_weights.numpy()
    np.testing.assert_array_equal(page.matrix(keys["attention_weights.B"]), wanted)
