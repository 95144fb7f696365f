"""Several heads and layers on every page: one is in view, its numbers are its own, and links keep which it is."""

from typing import Any

import numpy as np
import pytest

from attnviz import Scenario, trace
from attnviz.core.matrix_input import Edit
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.pages.packed import shows
from tests.pages.playground import Playground
from tests.pages.reader import in_address

HEADS: dict[str, Any] = {"embedding": "published", "d_out": 4, "n_heads": 2, "output": True}
LAYERS: dict[str, Any] = {"embedding": "published", "d_out": 3, "n_layers": 2}
OF_HEADS = {"d_out": "4", "n_heads": "2", "output": "true"}
OF_LAYERS = {"d_out": "3", "n_layers": "2"}
EDITS = {("w_q", 1, 3): 0.5, ("w_q", 1, 1): 0.25, ("w_o", 0, 2): -1.0, ("layers.1.w_q", 1, 2): 0.75}
# Of a head and a layer: what a link picks, the cell of it that is in view, and where which edits are seen from there.
SEEN: dict[tuple[int, int], Any] = {
    (0, 0): ("w_q.1.3", None, {"w_q,1,1": ("w_q", 1, 1), "heads.1.w_q,1,1": ("w_q", 1, 3), "w_o,0,2": ("w_o", 0, 2)}),
    (1, 0): ("w_q.1.3", 1, {"w_q,1,1": ("w_q", 1, 3), "heads.0.w_q,1,1": ("w_q", 1, 1), "w_o,0,2": ("w_o", 0, 2)}),
    (1, 1): ("layers.1.w_q.1.2", 0, {"w_q,1,0": ("layers.1.w_q", 1, 2)}),
}


@pytest.mark.parametrize(("head", "layer"), SEEN)
def test_the_board_shows_the_head_and_the_layer_of_the_link(head: int, layer: int) -> None:
    cell, column, edited = SEEN[head, layer]
    wide = {"d_in": 4, "n_layers": 2}
    scenario = Scenario(**HEADS | wide, edits=[Edit(*place, value) for place, value in EDITS.items()])
    page = Playground(
        **OF_HEADS, d_in="4", n_layers="2", head=str(head), layer=str(layer), view="board", cell=cell,
        edits="w_q.1.3.0.5*w_q.1.1.0.25*w_o.0.2.-1.0*w_q~1.1.2.0.75",
    )  # fmt: skip
    board = page.board
    assert board is not None
    assert (board["head"], board["layers"], board["layer"]) == (head, 2, layer)
    assert shows(board, trace(scenario).for_head(head, layer))
    before = {place: scenario.unedited(name)[row, of] for place, (name, row, of) in edited.items()}
    assert board["before"] == {place: pytest.approx(float(value)) for place, value in before.items()}
    # A cell of W_q is one of the head that has its column.
    assert board["picked"] == (None if column is None else {"matrix": "w_q", "row": 1, "column": column})
    assert len(page.messages) == (column is None)


def test_the_heatmaps_show_the_head_that_is_picked_and_count_columns_in_the_whole() -> None:
    page = Playground(**OF_HEADS, cell="scores.1.2")
    whole = trace(Scenario(**HEADS))
    for head in (0, 1):
        page.set("heads.picker", head)
        assert in_address(page.at, "head") == ("1" if head else "")
        np.testing.assert_array_equal(page.matrix("attention_weights"), whole.heads[head].attention_weights.numpy())
        np.testing.assert_array_equal(page.matrix("contexts"), whole.context.numpy())
        np.testing.assert_array_equal(page.matrix("output"), whole.output.numpy())  # type: ignore[union-attr]
        assert f"S[{head}, 1, 2]" in page.explanation
    page.set("playground.cell.matrix", "q")
    assert in_address(page.at, "cell") == "q.1.2"
    assert "Q[1, 2]" in page.explanation


def test_the_heatmaps_and_the_editor_follow_the_layer_that_is_picked() -> None:
    page = Playground(**OF_LAYERS).set("layers.picker", 1)
    made = trace(Scenario(**LAYERS))
    assert in_address(page.at, "layer") == "1"
    np.testing.assert_array_equal(page.matrix("x"), made.layers[0].context.numpy())
    np.testing.assert_array_equal(page.matrix("context"), made.layers[1].context.numpy())
    page.set("playground.matrix1", "layers.1.w_v").press(say("editor.zeros.label"))
    assert not page.matrix("context").any()
    assert in_address(page.at, "edits") == "w_v~1.zeros"


@pytest.mark.parametrize(
    ("address", "b", "said"),
    [
        (OF_HEADS | {"head": "1"}, Scenario(**HEADS),
         say("compare.heads.differ", a="1 head", b="2 heads", head_a=0, head_b=1)),
        (OF_LAYERS | {"layer": "1"}, Scenario(**LAYERS),
         say("compare.heads.layers", a="1 layer", b="2 layers", layer_a=0, layer_b=1)),
    ],
)  # fmt: skip
def test_set_ups_with_other_numbers_of_them_are_compared(address: dict[str, str], b: Scenario, said: str) -> None:
    a = Scenario(embedding="published", d_out=b.d_out)
    page = Playground("pages/compare.py", **address, pinned=pack(query_of(a)))
    assert any(said in each.value for each in page.at.caption)
    seen = trace(b).for_head(b.n_heads - 1, b.n_layers - 1)
    for name, matrix in (("attention_weights", "attention_weights"), *[("contexts", "context")] * (b.n_heads > 1)):
        one, other = trace(a)[matrix], (seen if matrix == name else trace(b))[matrix]
        for side, wanted in (("A", one), ("B", other), ("B − A", other - one)):
            np.testing.assert_array_equal(page.compared(name, side), wanted.numpy())
