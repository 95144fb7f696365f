"""Every published cell comes out, at the digits it was printed with."""

from typing import Any

import numpy as np
import pytest
import torch

import attnviz
from attnviz.published import worked_example
from tests.unit.helpers import published_example

# S. Raschka, Build a Large Language Model (From Scratch), 2024, sections 3.3.1 and 3.3.2.
SIMPLE_JOURNEY_SCORES = (0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865)
SIMPLE_JOURNEY_WEIGHTS = (0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581)
SIMPLE_CONTEXT = (
    (0.4421, 0.5931, 0.5790), (0.4419, 0.6515, 0.5683), (0.4431, 0.6496, 0.5671),
    (0.4304, 0.6298, 0.5510), (0.4671, 0.5910, 0.5266), (0.4177, 0.6503, 0.5645),
)  # fmt: skip


def trace_of(name: str) -> attnviz.AttentionTrace:
    return attnviz.trace(worked_example(name).scenario)


def assert_printed(computed: torch.Tensor, published: Any, decimals: int) -> None:
    """Every computed number, rounded, is the printed one (half a unit of the last digit, and float32's error)."""
    np.testing.assert_allclose(computed.double().numpy(), np.array(published), rtol=0, atol=0.5 * 10**-decimals + 1e-6)


TABLES = [
    (name, table)
    for name in ("journey", "journey-linear", "love-ai")
    for table in published_example(name)["published"]
    if (name, table) != ("love-ai", "context")
]


@pytest.mark.parametrize(("name", "table"), TABLES)
def test_published_table(name: str, table: str) -> None:
    example = published_example(name)
    assert_printed(getattr(trace_of(name), table), example["published"][table], example["decimals"])


def test_published_context_by_hand_apart_from_its_slips() -> None:
    # The source carried rounded attention weights on in two cells: its 2.265 and 2.42 are exactly what
    # those give, 2.267 and 2.421 are right.
    example = published_example("love-ai")
    context = np.array(example["published"]["context"])
    computed = trace_of("love-ai").context.double().numpy()
    slips = np.argwhere(np.abs(computed - context) > 0.0005 + 1e-6).tolist()
    assert slips == [[0, 1], [2, 0]]
    carried_on = np.array(example["published"]["attention_weights"]) @ np.array(example["published"]["v"])
    for row, column in slips:
        assert context[row, column] == pytest.approx(carried_on[row, column], abs=1e-9)


def test_published_attention_without_trainable_weights() -> None:
    trace = trace_of("journey-simple")
    for name in ("q", "k", "v"):
        assert torch.equal(getattr(trace, name), trace.x)
    assert_printed(trace.scores[1], SIMPLE_JOURNEY_SCORES, 4)
    assert_printed(trace.attention_weights[1], SIMPLE_JOURNEY_WEIGHTS, 4)
    assert_printed(trace.context, SIMPLE_CONTEXT, 4)
