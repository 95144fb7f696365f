"""Linear attention: what Katharopoulos et al. 2020 compute, by their formula and by their recurrence."""

from typing import Any

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.export import pytorch_script
from attnviz.features.history.costs import linear_attention, measured_costs, softmax_attention
from tests.examples import examples


@given(st.lists(st.floats(-85, 3, width=32), min_size=1, max_size=6))
@settings(max_examples=examples(60), deadline=None)
def test_no_digit_is_lost_however_negative_keys_are(keys: list[float]) -> None:
    """elu(z) + 1 is exp(z) below 0: as a sum, float32 would keep few digits of it, and none below -17."""
    n, eye = len(keys), torch.eye(len(keys))
    scenario = Scenario("a " * n, tokenizer="whitespace", d_in=n, d_out=1, weighting="linear", x=eye,
                        w_q=torch.ones(n, 1), w_k=torch.tensor(keys)[:, None], w_v=torch.ones(n, 1))  # fmt: skip
    mapped = torch.tensor(keys, dtype=torch.float64)
    mapped = torch.where(mapped > 0, mapped + 1, mapped.exp())
    made = trace(scenario)
    torch.testing.assert_close(made.phi_k[:, 0].double(), mapped, rtol=1e-6, atol=0)
    torch.testing.assert_close(made.attention_weights[0].double(), mapped / mapped.sum(), rtol=1e-6, atol=0)
    names: dict[str, Any] = {"print": lambda *_, **__: None}
    exec(pytorch_script(scenario), names)
    assert torch.equal(names["attention_weights"], made.attention_weights)


@given(st.integers(1, 30), st.integers(1, 8), st.integers(0, 100))
def test_summed_up_first_it_is_the_same(n: int, d: int, seed: int) -> None:
    q, k, v = torch.randn(3, n, d, generator=torch.Generator().manual_seed(seed))
    eye = torch.eye(d)
    scenario = Scenario(
        "a " * n, tokenizer="whitespace", d_in=d, d_out=d, weighting="linear", x=q, w_q=eye, w_k=eye, w_v=eye
    )
    torch.testing.assert_close(linear_attention(q, q, q), trace(scenario).context, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(
        softmax_attention(q, k, v), F.scaled_dot_product_attention(q, k, v), rtol=1e-4, atol=1e-5
    )


def test_costs_are_measured_and_what_is_kept_is_counted() -> None:
    small, large = measured_costs((16, 32), 8)
    assert all(0 < each.softmax_ms < 1e4 and 0 < each.linear_ms < 1e4 for each in (small, large))
    assert [each.softmax_numbers for each in (small, large)] == [256, 1024]
    assert small.linear_numbers == large.linear_numbers == 64 + 8
