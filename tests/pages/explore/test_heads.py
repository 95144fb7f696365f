"""Several heads on every page: one is in view, its numbers are that head's, and links keep it."""

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

SET_UP: dict[str, Any] = {"embedding": "published", "d_out": 4, "n_heads": 2, "output": True}
ADDRESS = {"d_out": "4", "n_heads": "2", "output": "true"}


@pytest.mark.parametrize("head", [0, 1])
def test_the_board_shows_the_head_of_the_link_and_can_evaluate_all(head: int) -> None:
    edits = [Edit("w_q", 1, 3, 0.5), Edit("w_q", 1, 1, 0.25), Edit("w_o", 0, 2, -1.0)]
    scenario = Scenario(**SET_UP, edits=edits)
    changes = "w_q.1.3.0.5*w_q.1.1.0.25*w_o.0.2.-1.0"
    page = Playground(**ADDRESS, head=str(head), view="board", edits=changes, cell="w_q.1.3")
    board = page.board
    assert board is not None
    assert board["head"] == head
    seen = trace(scenario).seen_from(head)
    for name, matrix in seen.matrices.items():
        np.testing.assert_array_equal(numbers_in(board["matrices"], name), matrix.flatten().numpy())
    drawn = scenario.unedited("w_q")
    before = {"w_q,1,1": drawn[1, [1, 3][head]], f"heads.{1 - head}.w_q,1,1": drawn[1, [3, 1][head]]}
    assert board["before"] == {**before, "w_o,0,2": scenario.unedited("w_o")[0, 2]}
    # A cell of W_q is one of the head that has its column.
    assert board["picked"] == ({"matrix": "w_q", "row": 1, "column": 1} if head else None)
    assert len(page.messages) == (0 if head else 1)


def test_the_heatmaps_show_the_head_that_is_picked_and_count_columns_in_the_whole() -> None:
    page = Playground(**ADDRESS, cell="scores.1.2")
    whole = trace(Scenario(**SET_UP))
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


def test_set_ups_with_other_numbers_of_heads_are_compared_head_by_head() -> None:
    a = Scenario(embedding="published", d_out=4)
    page = Playground("pages/compare.py", **ADDRESS, head="1", pinned=pack(query_of(a)))
    said = say("compare.heads.differ", a="1 head", b="2 heads", head_a=0, head_b=1)
    assert said in [each.value for each in page.at.caption]
    keys = {key.partition("-compare.")[2]: key for key in page.charts if "-compare." in key}
    b = trace(Scenario(**SET_UP))
    for name, one, other in (
        ("attention_weights", trace(a).attention_weights, b.heads[1].attention_weights),
        ("contexts", trace(a).context, b.context),
    ):
        np.testing.assert_array_equal(page.matrix(keys[f"{name}.A"]), one.numpy())
        np.testing.assert_array_equal(page.matrix(keys[f"{name}.B"]), other.numpy())
        np.testing.assert_array_equal(page.matrix(keys[f"{name}.B − A"]), (other - one).numpy())
