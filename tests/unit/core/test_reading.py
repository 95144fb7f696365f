"""A second sentence is read: keys and values of it, against PyTorch's cross-attention, and all that is said of it."""

from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, mark_pipeline, read_table, trace
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.explanation.masking import mask_notes
from attnviz.marking import Printed
from attnviz.teach.replaced import can_be_equal, dropout, one_matrix
from tests.examples import examples

WORDS = ("the", "cat", "sat", "on", "a", "mat", "again")
OTHERS = ("die", "Katze", "saß", "the", "mat", "Your", "one", "weiter")


@st.composite
def cross(draw: st.DrawFn, /, square: bool = False, **fixed: Any) -> Scenario:
    """A scenario that reads a second sentence, in any company that fits; a `square` one has d_in = d_out."""
    n_heads = draw(st.sampled_from([1, 1, 2, 4]))
    width = n_heads * draw(st.integers(1, 3))
    norm = draw(st.sampled_from(["none", "pre", "post"]))
    n_read = draw(st.integers(1, 8))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS[: draw(st.integers(1, 7))]), "reads": "second",
        "second": " ".join(draw(st.permutations(OTHERS))[:n_read]),
        "d_in": width if square or norm != "none" else draw(st.integers(1, 4)), "d_out": width, "n_heads": n_heads,
        "n_kv_heads": draw(st.sampled_from([n for n in (None, 1, 2) if n is None or n_heads % n == 0])),
        "bias": draw(st.booleans()), "output": draw(st.booleans()), "norm": norm,
        "d_ff": draw(st.sampled_from([None, 3])),
        "init": draw(st.sampled_from(["uniform", "linear", "normal"])), "seed": draw(st.integers(0, 99)),
        "embedding": draw(st.sampled_from(["stable", "table", "published"])), "scale": draw(st.booleans()),
        "positions": draw(st.sampled_from(["none", "sinusoidal", "learned"])),
        "mask": draw(st.sampled_from(["none", *(["padding:1"] if n_read > 1 else [])])),
        "weighting": draw(st.sampled_from(["softmax", "softmax", "linear"])),
    }  # fmt: skip
    return Scenario(**(chosen | fixed))


@given(cross())
@settings(max_examples=examples(30), deadline=None)
def test_reading_another_sentence_changes_no_number_that_is_drawn_without_it(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself")
    for name in alone.editable:
        if name != "mask":
            assert torch.equal(scenario.matrix(name), alone.matrix(name)), name


@given(cross(n_heads=1, n_kv_heads=None))
@settings(max_examples=examples(20), deadline=None)
def test_the_board_is_sent_the_names_of_the_tokens_that_are_read(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself", masking="none")
    sent, plain = (board_data(each, trace(each), 0, 4) for each in (scenario, alone))
    assert (sent["labels"], sent["others"], plain["others"]) == (plain["labels"], True, False)
    assert len(sent["keys"]) == len(scenario.read_tokens)
    assert len(sent["origins"]["y"]) == len(scenario.read_tokens)
    assert (plain["keys"], plain["readNames"]) == (plain["labels"], plain["names"])


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


@given(cross(square=True, n_kv_heads=None, output=True, bias=True, scale=True, weighting="softmax", d_ff=None),
       st.integers(1, 4), st.sampled_from(["none", "sums"]), st.booleans())  # fmt: skip
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
