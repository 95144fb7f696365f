"""What if, layers and residual sums with keys and values of other tokens: a second sentence, or a kept one."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, mark_pipeline, read_table, trace
from attnviz.core.scenario import traced
from attnviz.explanation.masking import mask_notes
from attnviz.marking import Printed
from attnviz.teach.replaced import can_be_equal, dropout, one_matrix
from tests.unit.core.test_reading import cross

# What if


def test_dropout_and_what_nobody_may_read_are_of_the_tokens_that_are_read() -> None:
    scenario = Scenario("a b", reads="second", second="der Hund schläft", w_q="zeros")
    made = dropout(scenario, 0.5, 7)
    assert made is not None
    assert trace(made).attention_weights.shape == (2, 3)
    assert not can_be_equal(scenario)
    one = one_matrix(scenario)
    assert one is not None
    torch.testing.assert_close(trace(one).attention_weights, trace(scenario).attention_weights)
    unread = replace(scenario, masking="padding", mask_size=1, what_if="softmax:columns")
    assert "“schläft”" in " ".join(mask_notes(traced(unread)))


# Layers


@given(cross(square=True, n_kv_heads=None, output=True, bias=True, scale=True, weighting="softmax", d_ff=None),
       st.integers(2, 4), st.sampled_from(["none", "sums"]), st.booleans())  # fmt: skip
@settings(max_examples=30, deadline=None)
def test_each_layer_reads_the_same_second_sentence_as_a_decoders_do(
    one: Scenario, n_layers: int, norm: str, same: bool
) -> None:
    scenario = replace(one, n_layers=n_layers, norm=norm, same_layers=same)
    made = trace(scenario)
    x, y, width = made.layers[0].x, scenario.matrix("y"), scenario.d_out
    hidden = None if made.layers[0].mask is None else made.layers[0].mask == -torch.inf
    for layer in made.layers:
        torch.testing.assert_close(layer.x, x, rtol=1e-3, atol=1e-4)
        wanted, weights = F.multi_head_attention_forward(
            layer.x[:, None], y[:, None], y[:, None], width, scenario.n_heads, None,
            torch.cat([layer[name] for name in ("b_q", "b_k", "b_v")]), None, None, False, 0.0, layer["w_o"].T,
            layer["b_o"], training=False, attn_mask=hidden, use_separate_proj_weight=True, q_proj_weight=layer.w_q.T,
            k_proj_weight=layer.w_k.T, v_proj_weight=layer.w_v.T, average_attn_weights=False,
        )  # fmt: skip
        assert weights is not None
        torch.testing.assert_close(layer.attention_weights.reshape(weights[0].shape), weights[0], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(layer["output"], wanted[:, 0], rtol=1e-3, atol=1e-4)
        x = layer["output"] + (layer.x if norm == "sums" else 0)


# Blocks


# Marking


def table_of(matrix: torch.Tensor) -> Printed:
    return read_table("\n".join(" ".join(f"{value:.4f}" for value in row) for row in matrix.tolist()))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("reads", ["second", "kept"])
def test_what_follows_q_k_and_v_is_marked_with_keys_of_other_tokens(reads: str, causal: bool) -> None:
    if causal and reads == "second":
        return
    made = trace(Scenario("the cat sat", reads=reads, second="der Hund", d_out=2, causal=causal, seed=5))
    tables = {name: table_of(made[name]) for name in ("q", "k", "v", "scores", "attention_weights", "context")}
    assert not mark_pipeline(tables, scale=True).wrong
    wrong = made["attention_weights"].clone()
    wrong[1, 0] += 0.1
    marked = mark_pipeline(tables | {"attention_weights": table_of(wrong)}, scale=True)
    assert [cell for cell in marked.wrong if cell[0] == "attention_weights"] == [("attention_weights", 1, 0)]
    with pytest.raises(ValueError, match="rows"):
        mark_pipeline(tables | {"x": table_of(made.x)}, scale=True)
