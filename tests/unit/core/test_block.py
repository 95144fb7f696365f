"""A block, attention and feed-forward step with residual sums and layer norms, against PyTorch's own."""

from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.rules import LayerNorm
from attnviz.core.stages import NORMS
from tests.examples import examples
from tests.unit.encoder_layer import encoder_layer

WORDS = "the cat sat on the mat because it was tired"


@st.composite
def blocks(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    n_heads = draw(st.sampled_from([1, 2, 4]))
    width = n_heads * draw(st.integers(1, 3))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS.split()[: draw(st.integers(1, 10))]),
        "d_in": width, "d_out": width, "n_heads": n_heads, "output": True, "bias": True, "init": "linear",
        "norm": draw(st.sampled_from(["pre", "post"])), "d_ff": draw(st.integers(1, 6)),
        "activation": draw(st.sampled_from(["relu", "gelu"])), "causal": draw(st.booleans()),
        "seed": draw(st.integers(0, 1000)),
    }  # fmt: skip
    scenario = Scenario(**(chosen | fixed))
    gains = st.floats(-2, 2, width=32)
    named = draw(st.lists(st.sampled_from([name for name in NORMS if name in scenario.editable]), unique=True))
    edits = [(name, 0, draw(st.integers(0, width - 1)), draw(gains)) for name in named]
    return Scenario(**(chosen | fixed | {"edits": edits}))


@given(blocks())
@settings(max_examples=examples(60))
def test_a_block_is_pytorchs_encoder_layer_with_the_same_weights(scenario: Scenario) -> None:
    made = trace(scenario)
    layer = encoder_layer(scenario, made)
    n = len(made.tokens)
    mask = torch.ones(n, n, dtype=torch.bool).triu(1) if scenario.causal else None
    with torch.no_grad():
        theirs = layer(made.x[None], src_mask=mask)[0]
    torch.testing.assert_close(made[list(made.stages)[-1]], theirs, rtol=1e-4, atol=1e-4)


@given(st.integers(1, 6), st.integers(2, 9), st.integers(0, 99))
def test_a_normed_row_has_mean_0_and_deviation_1(rows: int, columns: int, seed: int) -> None:
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    made = LayerNorm(epsilon=0.0).compute(x, torch.ones(columns, dtype=x.dtype), torch.zeros(columns, dtype=x.dtype))
    torch.testing.assert_close(made.mean(-1), torch.zeros(rows, dtype=x.dtype))
    torch.testing.assert_close(made.std(-1, correction=0), torch.ones(rows, dtype=x.dtype))
    shifted = LayerNorm(epsilon=0.0).compute(3 * x + 5, torch.ones(columns), torch.zeros(columns))
    torch.testing.assert_close(shifted, made)
