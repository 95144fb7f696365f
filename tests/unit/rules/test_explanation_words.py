"""What an explanation says in words: divisors, masks, long sums, overflow, origins, and its errors."""

from typing import Any

import pytest
import torch

import attnviz
from attnviz import Scenario, attend, explain
from attnviz.core.scenario import traced
from attnviz.core.trace import Trace
from attnviz.words import say
from tests.unit.displayed_arithmetic import cells_of
from tests.unit.helpers import HOSTILE, random_inputs


@pytest.mark.parametrize(
    ("settings", "said", "unsaid"),
    [
        ({"d_in": 8}, "√2 = 1.4142 (d_k = 2, the width of a key)", "temperature"),
        ({"temperature": 2.5}, "and by the temperature, 2.5", "undivided"),
        ({"scale": False}, say("explanation.scale.undivided", score="S[1, 2]"), "√"),
        ({"scale": False, "causal": True}, "Without the mask it would be S[1, 2], undivided (scaling is off", "√"),
    ],
)
def test_it_is_said_by_what_scores_are_divided(settings: dict[str, Any], said: str, unsaid: str) -> None:
    text = explain(attnviz.trace(Scenario(**settings)), "scaled_scores", 1, 2).text
    assert said in text
    assert unsaid not in text


def test_a_long_sum_shows_its_largest_terms_and_the_remainder() -> None:
    trace = attend(**random_inputs(12, 64, 64, 2))
    for name, n_terms in (("scores", 64), ("q", 64), ("attention_weights", 12), ("context", 12)):
        explanation = explain(trace, name, 3, 1)
        shown, rest = explanation.terms[:-1], explanation.terms[-1]
        assert rest.n_terms == n_terms - len(shown)
        assert f"(and {rest.n_terms} more: " in explanation.text
        assert len(shown) in (7, 8)
    explanation = explain(trace, "scores", 3, 1)
    products = (trace.q[3].double() * trace.k[1].double()).tolist()
    largest = sorted(products, key=abs)[-7:]
    assert sorted(term.value for term in explanation.terms[:-1]) == sorted(largest)


@pytest.mark.parametrize("use", ["added", "zeroed", "renormalized"])
def test_a_share_of_scores_that_stand_nowhere_has_no_formula(use: str) -> None:
    made = traced(Scenario("a b", mask="causal", mask_use=use))
    share = explain(made, "attention_weights", 1, 0, shown=["mask", "attention_weights"])
    assert share.symbols == "A[1, 0]"
    assert "scores that this board doesn't show" in share.words


@pytest.mark.parametrize(
    ("changed", "cell", "said"),
    [
        ({"embedding": "published"}, ("x", 1, 2), "from the published vector of “journey”"),
        ({}, ("x", 1, 2), "from the vector of “journey”, random numbers drawn from its text, d_in = 3 and seed 123"),
        ({"embedding": "table"}, ("x", 1, 2), "row of “journey” in nn.Embedding, random numbers from seed 123"),
        ({"x": "identity"}, ("x", 1, 1), "from the identity matrix"),
        ({"w_v": "zeros"}, ("w_v", 0, 0), "from a matrix of zeros"),
        ({"w_k": "random:7"}, ("w_k", 0, 0), "drawn at random for this matrix alone, from seed 7"),
        ({"w_q": [[1, 2]] * 3}, ("w_q", 0, 0), "given as a number, in place of a random one"),
        ({"init": "normal"}, ("w_q", 0, 0), "drawn at random by torch.randn from seed 123"),
        ({"init": "linear", "bias": True}, ("b_v", 0, 0), "drawn at random by nn.Linear from seed 123"),
        ({"init": "linear", "bias": True, "w_v": [[1] * 4] * 3}, ("b_v", 0, 3), "a bias that starts at 0"),
        ({"bias": True}, ("b_q", 0, 1), "a bias that starts at 0"),
        ({"edits": (("w_q", 0, 1, 0.9),)}, ("w_q", 0, 1), "Changed: it was 0.5166, drawn at random by torch.rand"),
    ],
)
def test_a_given_number_says_where_it_is_from(changed: dict[str, Any], cell: tuple[str, int, int], said: str) -> None:
    scenario = Scenario(**changed)
    explanation = explain(attnviz.trace(scenario), *cell, scenario=scenario)
    assert said in explanation.text
    assert explanation.sources == ()
    assert explanation.rule == "given"
    assert "Given: made from nothing else here" in explain(attnviz.trace(scenario), *cell).text


def test_a_trace_in_other_precisions() -> None:
    inputs = random_inputs(3, 4, 2, 2, bias=True)
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        in_dtype: dict[str, Any] = {name: matrix.to(dtype) for name, matrix in inputs.items()}
        trace = attend(**in_dtype)
        for name, row, column, value in cells_of(trace):
            explanation = explain(trace, name, row, column)
            assert explanation.value == value
            assert abs(explanation.exact - value) <= explanation.tolerance, name
            assert not explanation.notes


@pytest.mark.parametrize("token", HOSTILE)
def test_texts_of_tokens_stand_in_the_text_and_never_in_latex(token: str) -> None:
    trace = traced(Scenario(text=token, tokenizer="whitespace", causal=True))
    for name, row, column, _ in cells_of(trace):
        explanation = explain(trace, name, row, column)
        assert "<" not in explanation.latex
        explanation.text.encode()  # a lone surrogate is written out
    assert explain(trace, "q", 0, 0).latex == explain(Trace(trace.stages, trace.matrices), "q", 0, 0).latex
    assert "<b>" not in trace.tokens[0] or f"query 0 “{trace.tokens[0]}”" in explain(trace, "q", 0, 0).text
