"""What follows from Q, K and V of another sentence is marked, too."""

import pytest
import torch

from attnviz import Scenario, mark_pipeline, read_table, trace
from attnviz.features.check.marking import Printed


def table_of(matrix: torch.Tensor) -> Printed:
    return read_table("\n".join(" ".join(f"{value:.4f}" for value in row) for row in matrix.tolist()))


@pytest.mark.parametrize(("reads", "causal"), [("second", False), ("kept", False), ("kept", True)])
def test_what_follows_q_k_and_v_is_marked_with_keys_of_other_tokens(reads: str, causal: bool) -> None:
    made = trace(Scenario("the cat sat", reads=reads, second="der Hund", d_out=2, causal=causal, seed=5))
    tables = {name: table_of(made[name]) for name in ("q", "k", "v", "scores", "attention_weights", "context")}
    assert not mark_pipeline(tables, scale=True).wrong
    wrong = made["attention_weights"].clone()
    wrong[1, 0] += 0.1
    marked = mark_pipeline(tables | {"attention_weights": table_of(wrong)}, scale=True)
    assert [cell for cell in marked.wrong if cell[0] == "attention_weights"] == [("attention_weights", 1, 0)]
    with pytest.raises(ValueError, match="rows"):
        mark_pipeline(tables | {"x": table_of(made.x)}, scale=True)
