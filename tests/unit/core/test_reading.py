"""A second sentence is read: keys and values of it, against PyTorch's cross-attention, and all that is said of it."""

from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.board.data import board_data
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


@given(cross(square=True, n_kv_heads=None, output=True, bias=True, scale=True, norm="none", weighting="softmax"))
@settings(max_examples=examples(40), deadline=None)
def test_it_is_pytorchs_multi_head_attention_with_the_same_weights(scenario: Scenario) -> None:
    made, width = trace(scenario), scenario.d_out
    hidden = None if made.mask is None else made.mask == -torch.inf
    wanted, weights = F.multi_head_attention_forward(
        made.x[:, None], made["y"][:, None], made["y"][:, None], width, scenario.n_heads, None,
        torch.cat([made[name] for name in ("b_q", "b_k", "b_v")]), None, None, False, 0.0, made["w_o"].T, made["b_o"],
        training=False,
        attn_mask=hidden, use_separate_proj_weight=True, q_proj_weight=made.w_q.T, k_proj_weight=made.w_k.T,
        v_proj_weight=made.w_v.T, average_attn_weights=False,
    )  # fmt: skip
    torch.testing.assert_close(made.output, wanted[:, 0], rtol=1e-4, atol=1e-5)
    assert weights is not None
    torch.testing.assert_close(made.attention_weights.reshape(weights[0].shape), weights[0], rtol=1e-4, atol=1e-5)


@given(cross())
@settings(max_examples=examples(30), deadline=None)
def test_reading_another_sentence_changes_no_number_that_is_drawn_without_it(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself")
    for name in alone.editable:
        if name != "mask":
            assert torch.equal(scenario.matrix(name), alone.matrix(name)), name


# What is said of it


# What the page has of it


@given(cross(n_heads=1, n_kv_heads=None))
@settings(max_examples=examples(20), deadline=None)
def test_the_board_is_sent_the_names_of_the_tokens_that_are_read(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself", masking="none")
    sent, plain = (board_data(each, trace(each), 0, 4) for each in (scenario, alone))
    assert (sent["labels"], sent["others"], plain["others"]) == (plain["labels"], True, False)
    assert len(sent["keys"]) == len(scenario.read_tokens)
    assert len(sent["origins"]["y"]) == len(scenario.read_tokens)
    assert (plain["keys"], plain["readNames"]) == (plain["labels"], plain["names"])
