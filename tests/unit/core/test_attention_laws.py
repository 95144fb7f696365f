"""Laws of self-attention, on random inputs."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import attend
from attnviz.core.stages import STAGES, feed_forward_table
from attnviz.core.trace import run
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
def test_rows_of_attention_weights_sum_to_1_and_lie_in_0_to_1(inputs: dict[str, Any]) -> None:
    weights = attend(**inputs).attention_weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(len(weights)))
    assert ((weights >= 0) & (weights <= 1 + 1e-6)).all()


@given(attend_inputs())
@settings(max_examples=examples(150))
def test_context_is_scaled_dot_product_attention(inputs: dict[str, Any]) -> None:
    q, k, v = (F.linear(inputs["x"], inputs[f"w_{i}"].T, inputs.get(f"b_{i}")) for i in "qkv")
    factor = (1 / math.sqrt(q.shape[-1]) if inputs["scale"] else 1.0) / inputs["temperature"]
    close(attend(**inputs).context, F.scaled_dot_product_attention(q, k, v, is_causal=inputs["causal"], scale=factor))


@given(attend_inputs(), st.floats(-3, 3))
def test_a_key_bias_changes_no_attention_weight(inputs: dict[str, Any], shift: float) -> None:
    # It adds q . b_k to the whole row of a query, and softmax does not see what the whole row shares.
    # In float64: the shift costs float32 digits that have nothing to do with the law.
    inputs = {name: value.double() if isinstance(value, torch.Tensor) else value for name, value in inputs.items()}
    d_k = inputs["w_k"].shape[1]
    without = attend(**inputs | {"b_k": None})
    with_bias = attend(**inputs | {"b_k": torch.full((d_k,), shift, dtype=torch.float64)})
    torch.testing.assert_close(with_bias.attention_weights, without.attention_weights, rtol=1e-8, atol=1e-10)


@given(attend_inputs(), st.randoms(use_true_random=False))
def test_permuting_tokens_permutes_rows_and_columns(inputs: dict[str, Any], random: Any) -> None:
    order = list(range(len(inputs["x"])))
    random.shuffle(order)
    before = attend(**inputs | {"causal": False})
    after = attend(**inputs | {"causal": False, "x": inputs["x"][order]})
    close(after.context, before.context[order])
    close(after.attention_weights, before.attention_weights[order][:, order])


@given(attend_inputs(), st.integers(0, 8), st.floats(-5, 5))
def test_with_a_causal_mask_the_past_ignores_the_future(inputs: dict[str, Any], place: int, value: float) -> None:
    inputs["causal"] = True
    place = min(place, len(inputs["x"]) - 1)
    changed = inputs["x"].clone()
    changed[place:] = value
    before, after = attend(**inputs), attend(**inputs | {"x": changed})
    close(after.context[:place], before.context[:place])
    close(after.attention_weights[:place], before.attention_weights[:place])


@given(attend_inputs())
def test_context_lies_between_the_least_and_greatest_value(inputs: dict[str, Any]) -> None:
    made = attend(**inputs)
    slack = 1e-5 * (1 + made.v.abs().max())
    assert (made.context >= made.v.min(0).values - slack).all()
    assert (made.context <= made.v.max(0).values + slack).all()


@given(attend_inputs(), st.floats(-5, 5))
def test_a_value_bias_shifts_every_context_vector_by_itself(inputs: dict[str, Any], shift: float) -> None:
    bias = torch.full((inputs["w_v"].shape[1],), shift)
    close(attend(**inputs | {"b_v": bias}).context, attend(**inputs | {"b_v": None}).context + bias)


@given(attend_inputs())
def test_temperature_undoes_the_scale(inputs: dict[str, Any]) -> None:
    root = math.sqrt(inputs["w_q"].shape[1])
    scaled = attend(**inputs | {"scale": True, "temperature": 1.0})
    unscaled = attend(**inputs | {"scale": False, "temperature": root})
    close(scaled.attention_weights, unscaled.attention_weights)


# The table of stages and attend are one computation.


@given(attend_inputs())
def test_running_the_table_gives_what_the_plain_lines_give(inputs: dict[str, Any]) -> None:
    plain = attend(**inputs)
    made = run(plain.stages, plain.matrices)
    assert list(made) == list(plain.stages)
    for name, matrix in made.items():
        close(matrix, plain[name])


def test_every_source_of_a_stage_stands_above_it() -> None:
    for table in (STAGES, feed_forward_table()):
        names = list(table)
        for name, stage in table.items():
            assert all(source in names[: names.index(name)] for source in stage.sources)
            assert bool(stage.sources) == (stage.rule is not None)
            assert stage.rule is None or len(stage.sources) in stage.rule.n_sources
