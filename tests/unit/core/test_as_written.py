"""The core's own attention is what everybody writes."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

import attnviz
from attnviz import Scenario, trace
from attnviz.core import as_written


@given(
    n_tokens=st.integers(1, 9), d_in=st.integers(1, 7), d_k=st.integers(1, 7), d_v=st.integers(1, 7),
    causal=st.booleans(), seed=st.integers(0, 99),
)  # fmt: skip
def test_attend_is_what_everybody_writes(n_tokens: int, d_in: int, d_k: int, d_v: int, causal: bool, seed: int) -> None:
    drawn = torch.Generator().manual_seed(seed)
    shapes = ((n_tokens, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_v))
    x, w_q, w_k, w_v = (torch.randn(shape, generator=drawn, dtype=torch.float64) for shape in shapes)
    made = attnviz.attend(x, w_q, w_k, w_v, causal=causal)
    assert_close((made.attention_weights, made.context), as_written.attend(x, w_q, w_k, w_v, causal=causal))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("text", ["a", "the fluffy cat chased a mouse", "I love AI"])
def test_a_scenario_is_what_everybody_writes(text: str, causal: bool) -> None:
    made = trace(Scenario(text, d_in=4, d_out=3, causal=causal))
    weights, context = as_written.attend(made.x, made.w_q, made.w_k, made.w_v, causal=causal)
    assert_close((made.attention_weights, made.context), (weights, context))


def test_it_is_read_on_one_screen() -> None:
    assert len(Path(as_written.__file__).read_text(encoding="utf-8").splitlines()) <= 40
