"""Models that have their attention written out: what is caught is what they hand out; others say what they do."""

import copy
from functools import cache
from typing import Any

import pytest
import torch

from attnviz import ModelTrace, explain, look_into
from attnviz.core.limits import RefusedError
from tests.unit.small_models import OTHERWISE, TEXT, WRITTEN_OUT, tokenizer

each_model = pytest.mark.parametrize("name", WRITTEN_OUT)


@cache
def model_of(name: str) -> Any:
    return WRITTEN_OUT[name]()


def view_of(name: str, *edits: str) -> ModelTrace:
    return look_into(model_of(name), tokenizer(), TEXT, edits=edits)


@each_model
def test_weights_are_those_that_the_model_hands_out(name: str) -> None:
    view, plain = view_of(name), copy.deepcopy(model_of(name))
    plain.config._attn_implementation = "eager"
    with torch.no_grad():
        own = plain(torch.tensor([tokenizer()(TEXT)["input_ids"]]), output_attentions=True)
    assert torch.equal(view.result[0], own[0])
    assert (view.n_layers, view.n_heads) == (2, 4)
    for layer, weights in zip(view.layers, own.attentions, strict=True):
        assert torch.equal(layer.weights, weights[0])
    assert view.kinds == ("encoder" if name in ("RoFormer", "MPNet") else "decoder",)


@each_model
def test_every_number_of_a_head_is_explained_down_to_the_models_weights(name: str) -> None:
    own = {parameter.data_ptr() for parameter in model_of(name).parameters()}
    for trace in view_of(name).heads.values():
        assert not trace.notices
        for part in "qkv":
            assert trace[f"w_{part}"].untyped_storage().data_ptr() in own
        for matrix, stage in trace.stages.items():
            if stage.rule is not None:
                sources = [trace[source] for source in stage.sources]
                torch.testing.assert_close(trace[matrix], stage.rule.compute(*sources), rtol=1e-5, atol=1e-6)
                assert not explain(trace, matrix, 2, 1).notes


@each_model
def test_a_head_is_switched_off_a_layer_made_even_and_a_number_changed(name: str) -> None:
    before = copy.deepcopy(model_of(name).state_dict())
    view = view_of(name, "0.1.off", "1.even", "0.2.mask.3.0=-inf", "0.0.w_q.2.1=4", "0.3.w_v.0.0=2")
    assert view.original is not None
    assert not view.heads[0, 1].context.any()
    assert view.heads[0, 2].attention_weights[3, 0] == 0
    assert view.heads[0, 0].w_q[2, 1] == 4
    readable = view.original.heads[1, 0].attention_weights > 0
    torch.testing.assert_close(view.heads[1, 0].attention_weights, readable / readable.sum(-1, keepdim=True))
    first = view.layers[0].attended
    scores = first.query @ first.key.repeat_interleave(4 // len(first.key), 0).mT * first.scaling
    expected = torch.softmax(scores if first.added is None else scores + first.added, -1)
    torch.testing.assert_close(view.layers[0].weights, expected, rtol=1e-5, atol=1e-6)
    assert not torch.equal(view.result[0], view.original.result[0])
    assert all(torch.equal(value, before[key]) for key, value in model_of(name).state_dict().items())


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_model_that_attends_otherwise_is_refused_with_what_it_does(name: str) -> None:
    make, word = OTHERWISE[name]
    with pytest.raises(RefusedError, match=word):
        look_into(make(), tokenizer(), TEXT)
