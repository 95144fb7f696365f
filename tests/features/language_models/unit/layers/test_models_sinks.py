"""Sinks that take a share of each row: weights, values and contexts are those that the model reads with."""

from typing import Any

import pytest
import torch

from attnviz import look_into
from attnviz.words.numbers import significant
from tests.unit.small_kinds import granite_swa
from tests.unit.small_models import TEXT, tokenizer

pytest.importorskip("transformers")


def _own_contexts(model: Any, ids: list[int]) -> list[torch.Tensor]:
    """What the model itself multiplies with W_o in each layer, by its own eager attention."""
    model.set_attn_implementation("eager")
    seen: list[torch.Tensor] = []
    hooks = [
        layer.self_attn.o_proj.register_forward_pre_hook(lambda _, given: seen.append(given[0][0]))
        for layer in model.model.layers
    ]
    with torch.no_grad():
        model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    return [each.view(len(ids), 4, -1).transpose(0, 1) for each in seen]


@pytest.mark.parametrize("kind", ["GraniteSWA", "GraniteMoeSWA"])
def test_rows_are_what_the_sink_leaves_and_make_the_models_own_contexts(kind: str) -> None:
    model = granite_swa(kind)
    view = look_into(model, tokenizer(), TEXT)
    own = _own_contexts(model, view.cut["input_ids"])
    for (layer, head), trace in view.heads.items():
        torch.testing.assert_close(trace.attention_weights @ trace.v, own[layer][head], rtol=1e-5, atol=1e-6)
        scores = trace.scaled_scores.double()
        left = torch.sigmoid(scores.logsumexp(-1) - model.model.layers[layer].self_attn.sinks[head].double())
        torch.testing.assert_close(trace.attention_weights.sum(-1).double(), left, rtol=1e-5, atol=1e-6)
        assert bool((left < 1).all())
        assert not trace.notices
        told = trace.stages["attention_weights"].plain
        assert "sums to less than 1" in told
        assert significant(float(model.model.layers[layer].self_attn.sinks[head])) in told
        assert "−1e" not in told


def test_heads_that_are_changed_keep_weights_that_make_their_contexts() -> None:
    view = look_into(granite_swa(), tokenizer(), TEXT, edits=["0.1.off", "1.even"])
    assert not view.heads[0, 1].context.any()
    assert float(view.heads[0, 0].attention_weights.sum(-1).max()) < 1
    for head in range(4):
        trace = view.heads[1, head]
        torch.testing.assert_close(trace.attention_weights @ trace.v, trace.context)
