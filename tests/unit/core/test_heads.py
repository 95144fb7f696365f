"""Several heads against PyTorch's own: the whole layer, each head alone, and heads that share keys and values."""

from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz import Scenario, trace
from attnviz.core.rules import Rotate
from attnviz.core.seeding import INITS
from attnviz.core.trace import run
from tests.examples import examples

WORDS = "the cat sat on the mat because it was tired"


@st.composite
def scenarios(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    n_heads = draw(st.sampled_from([1, 2, 3, 4, 6, 16]))
    d_k = draw(st.integers(1, 4))
    kv = draw(st.sampled_from([n for n in range(1, n_heads + 1) if n_heads % n == 0]))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS.split()[: draw(st.integers(1, 10))]),
        "d_in": draw(st.integers(1, 9)),
        "d_out": n_heads * d_k,
        "d_v": draw(st.sampled_from([None, n_heads, n_heads * 3])),
        "n_heads": n_heads,
        "n_kv_heads": draw(st.sampled_from([None, kv])),
        "output": draw(st.booleans()),
        "init": draw(st.sampled_from(INITS)),
        "bias": draw(st.booleans()),
        "causal": draw(st.booleans()),
        "scale": draw(st.booleans()),
        "temperature": draw(st.sampled_from([1.0, 0.5, 3.0])),
        "d_ff": draw(st.sampled_from([None, 3])),
        "positions": draw(st.sampled_from(["none", "sinusoidal", *["rotary"] * (d_k % 2 == 0)])),
        "seed": draw(st.integers(0, 1000)),
    }
    return Scenario(**(chosen | fixed))


def turned(heads: Tensor) -> Tensor:
    """Each pair as a complex number times e^(i m θ), in float64: Su et al. 2021, equation 13."""
    _, n_tokens, d = heads.shape
    angles = torch.arange(n_tokens)[:, None] * 10_000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    pairs = torch.view_as_complex(heads.double().reshape(*heads.shape[:2], -1, 2).contiguous())
    return torch.view_as_real(pairs * torch.exp(1j * angles)).flatten(-2).float()


@given(scenarios(init="linear", n_kv_heads=None, output=True, scale=True, temperature=1.0, d_v=None, d_ff=None,
                 positions="none"),
       st.booleans())  # fmt: skip
@settings(max_examples=examples(40))
def test_a_layer_is_multi_head_attention_of_pytorch(scenario: Scenario, averaged: bool) -> None:
    """With the numbers of four nn.Linear in the order query, key, value, out_proj."""
    made, d_in, d_out = trace(scenario), scenario.d_in, scenario.d_out
    torch.manual_seed(scenario.seed)
    query, key, value = (torch.nn.Linear(d_in, d_out, bias=scenario.bias) for _ in range(3))
    out = torch.nn.Linear(d_out, d_out)
    mask = torch.ones(len(made.tokens), len(made.tokens), dtype=torch.bool).triu(1) if scenario.causal else None
    # PyTorch's function wants inputs as wide as the output: it gets what is projected, and projects with ones.
    module = torch.nn.MultiheadAttention(d_out, scenario.n_heads)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(d_out).repeat(3, 1))
        module.in_proj_bias.zero_()
        module.out_proj.weight.copy_(out.weight)
        module.out_proj.bias.copy_(out.bias)
        projected = [each(made.x) for each in (query, key, value)]
        theirs, weights = module(*projected, attn_mask=mask, average_attn_weights=averaged)
    assert made.output is not None
    torch.testing.assert_close(made.output, theirs, rtol=1e-5, atol=1e-6)
    assert weights is not None
    mine = made.attention_weights if made.n_heads > 1 else made.attention_weights[None]
    torch.testing.assert_close(mine.mean(0) if averaged else mine, weights, rtol=1e-5, atol=1e-6)


@given(scenarios())
@settings(max_examples=examples(40))
def test_seen_from_one_head_the_whole_is_evaluated_alike(scenario: Scenario) -> None:
    """Each stage, computed anew from the given matrices of that table, is what the whole has there."""
    made = trace(scenario)
    for head in {0, made.n_heads - 1, made.n_heads // 2}:
        seen = made.seen_from(head)
        assert seen.tokens == made.tokens
        assert list(seen.matrices) == list(seen.stages)
        given_ = {name: matrix for name, matrix in seen.matrices.items() if seen.stages[name].rule is None}
        again = run(seen.stages, given_)
        for name, matrix in again.items():
            torch.testing.assert_close(seen[name], matrix, rtol=1e-4, atol=1e-5)
        for name in made.heads[head].matrices:
            assert torch.equal(seen[name], made.heads[head][name])
        if made.n_heads > 1:
            assert torch.equal(seen["contexts"], made.context)
        for name in ("output", "feed_forward"):
            assert (seen.get(name) is None) == (made.get(name) is None)
            assert made.get(name) is None or torch.equal(seen[name], made[name])
        # Keys and values that heads share are there once.
        columns = {name: stage.first for name, stage in seen.stages.items() if name.rpartition(".")[2] == "w_k"}
        assert len(columns) == len(set(columns.values())) == scenario.kv_heads


@given(st.integers(1, 40), st.integers(0, 30), st.integers(1, 4), st.integers(0, 1000))
def test_what_rotary_positions_tell_apart_is_how_far_two_tokens_are(m: int, apart: int, pairs: int, seed: int) -> None:
    """A score of turned vectors depends on the distance of their places alone: Su et al. 2021, equation 16."""
    q, k = torch.randn(2, 2 * pairs, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    rows = Rotate().compute(q.expand(m + apart + 1, -1)), Rotate().compute(k.expand(m + apart + 1, -1))
    score, first = rows[0][m + apart] @ rows[1][m], rows[0][apart] @ rows[1][0]
    torch.testing.assert_close(score, first)
    torch.testing.assert_close(rows[0].norm(dim=-1), q.norm().expand(m + apart + 1))
