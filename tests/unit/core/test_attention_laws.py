"""Laws of self-attention, on random inputs."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import attend
from attnviz.core.stages import STAGES, feed_forward_table
from tests.examples import examples


@st.composite
def attend_inputs(draw: st.DrawFn) -> dict[str, Any]:
    n_tokens, d_in, d_k, d_v = (draw(st.integers(1, most)) for most in (9, 5, 5, 5))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 10_000)))
    spread = draw(st.sampled_from((0.1, 1.0, 3.0)))
    shapes = {"x": (n_tokens, d_in), "w_q": (d_in, d_k), "w_k": (d_in, d_k), "w_v": (d_in, d_v)}
    inputs: dict[str, Any] = {name: torch.randn(*s, generator=generator) * spread for name, s in shapes.items()}
    if draw(st.booleans()):
        inputs |= {name: torch.randn(d, generator=generator) for name, d in (("b_q", d_k), ("b_k", d_k), ("b_v", d_v))}
    return inputs | {
        "causal": draw(st.booleans()),
        "scale": draw(st.booleans()),
        "temperature": draw(st.sampled_from((0.3, 1.0, 4.0))),
    }


def close(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)


@given(attend_inputs())
@settings(max_examples=examples(150))
def test_context_is_scaled_dot_product_attention(inputs: dict[str, Any]) -> None:
    q, k, v = (F.linear(inputs["x"], inputs[f"w_{i}"].T, inputs.get(f"b_{i}")) for i in "qkv")
    factor = (1 / math.sqrt(q.shape[-1]) if inputs["scale"] else 1.0) / inputs["temperature"]
    close(attend(**inputs).context, F.scaled_dot_product_attention(q, k, v, is_causal=inputs["causal"], scale=factor))


def test_every_source_of_a_stage_stands_above_it() -> None:
    for table in (STAGES, feed_forward_table()):
        names = list(table)
        for name, stage in table.items():
            assert all(source in names[: names.index(name)] for source in stage.sources)
            assert bool(stage.sources) == (stage.rule is not None)
            assert stage.rule is None or len(stage.sources) in stage.rule.n_sources
