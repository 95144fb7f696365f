"""The page's twin of what is seen from a head, and what is said of each."""

import json
import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, attend, trace
from attnviz.board.data import board_data
from attnviz.core.matrix_input import Edit
from attnviz.explanation.head_figures import SHARES, figures_in_words, head_figures
from tests.examples import examples
from tests.node import PageScript

WORDS = "the cat saw the dog and The bird"
SET_UPS: list[dict[str, Any]] = [
    {"n_heads": 2, "d_out": 4},
    {"n_heads": 4, "d_out": 8, "n_kv_heads": 2, "output": True, "bias": True},
    {"n_heads": 3, "d_out": 6, "n_kv_heads": 1, "causal": True, "d_ff": 3},
    {"n_heads": 2, "d_out": 4, "positions": "rotary", "text": " ".join(f"w{i}" for i in range(20))},
]


def sent(scenario: Scenario, head: int) -> dict[str, Any]:
    data = board_data(scenario, trace(scenario).for_head(head), 1, 4)
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("set_up", SET_UPS)
def test_the_page_sees_from_another_head_what_python_would_send(script: PageScript, set_up: dict[str, Any]) -> None:
    scenario = Scenario(**{"text": WORDS} | set_up)
    width = scenario.shape_of("w_k")[1]
    edits = [Edit("w_q", 1, column, 0.5) for column in range(scenario.d_out)] + [Edit("w_k", 0, width - 1, 2.0)]
    scenario = Scenario(**{"text": WORDS} | set_up, edits=edits)
    every = [sent(scenario, head) for head in range(scenario.n_heads)]
    for start in every:
        seen = script.run("({places}, data) => data.heads.map((_, head) => places.forHead(data, head))", start)
        for head, data in enumerate(seen):
            assert list(data["matrices"]) == list(every[head]["matrices"])
            assert data == every[head]


@given(n_tokens=st.integers(1, 7), seed=st.integers(0, 2**16), causal=st.booleans(), words=st.booleans())
@settings(max_examples=examples(50))
def test_figures_of_a_head_are_what_they_say(n_tokens: int, seed: int, causal: bool, words: bool) -> None:
    x, w_q, w_k, w_v = (3 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed + i))
                        for i, shape in enumerate([(n_tokens, 3), (3, 2), (3, 2), (3, 2)]))  # fmt: skip
    made = attend(x, w_q, w_k, w_v, causal=causal)
    tokens = tuple(WORDS.split()[:n_tokens]) if words else ()
    figures = head_figures(type(made)(made.stages, made.matrices, tokens))
    assert figures is not None
    a = made.attention_weights.double()
    n = range(n_tokens)
    wanted = {
        "itself": mean([a[i, i].item() for i in n]),
        "before": mean([a[i, i - 1].item() for i in n if i]),
        "first": mean([a[i, 0].item() for i in n if i]),
        "same": mean([
            sum(a[i, j].item() for j in range(i) if tokens[i].lower() == tokens[j].lower())
            for i in n if tokens and tokens[i].lower() in [each.lower() for each in tokens[:i]]
        ]),
        "entropy": mean([-sum(share * math.log2(share) for share in a[i].tolist() if share) for i in n]),
    }  # fmt: skip
    for name, value in wanted.items():
        assert getattr(figures, name) == (None if value is None else pytest.approx(value, abs=1e-9)), name
    assert figures.most is not None
    assert 0 <= figures.entropy <= figures.most + 1e-6
    there = [getattr(figures, name) for name in SHARES if getattr(figures, name) is not None]
    assert getattr(figures, figures.largest()) == max(there)
    said = figures_in_words(figures, 3)
    assert f"{100 * max(there):.0f} %" in said["short"]


def mean(numbers: list[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None
