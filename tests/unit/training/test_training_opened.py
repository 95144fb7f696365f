"""A moment of a training opens in Explore: the same numbers, from the tokens' vectors to the last layer."""

from typing import Any

import pytest
import torch

from attnviz.app.learn.home import scenario_of_layer
from attnviz.core.scenario import trace
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.training import scenario_of, train
from attnviz.training.code import numbers

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "one head": ("agreement", {}),
    "two layers": ("repeat", {}),
    "heads": ("order", {"n_heads": 2, "d_k": 4, "d_model": 8, "n_layers": 2}),
    "rotary": ("sort", {"positions": "rotary", "n_layers": 3, "n_heads": 2}),
    "norms before": ("agreement", {"norm": "pre", "d_ff": 6, "activation": "gelu", "n_layers": 2, "positions": "none"}),
    "norms behind": ("agreement", {"norm": "post", "d_ff": 6, "n_heads": 4, "tied": True}),
    "feed-forward alone": ("order", {"d_ff": 5, "n_layers": 2}),
    "characters": ("text", {"text": "the cat sat on the mat. " * 4, "length": 10}),
}


@pytest.mark.parametrize("name", MODELS)
def test_all_layers_make_the_same_numbers_in_the_playground(name: str) -> None:
    task, settings = MODELS[name]
    training = train(task, steps=6, **settings)
    asked, made = training.settings, training.trace(6)
    scenario = scenario_of(training, made)
    again, ignored = scenario_from_query(query_of(scenario))
    assert ignored == []
    assert again == scenario
    found = trace(again)
    assert found.tokens == made.tokens
    for layer in range(asked.n_layers):
        for head in range(asked.n_heads):
            matrix = training.model.name_of(layer, head, "attention_weights")
            torch.testing.assert_close(found[matrix], made[matrix], rtol=1e-4, atol=1e-5)
        alone, ignored = scenario_from_query(query_of(scenario_of_layer(made, layer)))
        assert (alone.tokens, ignored) == (made.tokens, [])
        weights = made.layers[layer].attention_weights
        torch.testing.assert_close(trace(alone).attention_weights, weights, rtol=1e-4, atol=1e-5)
    before = made.stages["logits"].sources[0]
    assert before == list(found.stages)[-1]
    torch.testing.assert_close(found[before], made[before], rtol=1e-4, atol=1e-4)


def test_a_head_that_is_switched_off_opens_switched_off() -> None:
    training = train("repeat", steps=6)
    made = training.trace(6, without=[(0, 0)])
    found = trace(scenario_of(training, made))
    assert not found["layers.0.output"].any()
    torch.testing.assert_close(found["layers.1.residual_1"], made["layers.1.residual_1"], rtol=1e-4, atol=1e-4)


def test_numbers_travel_in_few_digits_and_come_back_to_the_last_bit() -> None:
    matrix = torch.randn(9, 7, generator=torch.Generator().manual_seed(1))
    rows = numbers(matrix)
    assert torch.equal(torch.tensor(rows), matrix)
    assert max(len(repr(value)) for row in rows for value in row) <= 16
