"""Models of transformers under the glass: what is caught of them is what they compute, to the last bit.

Those that have their attention written out are caught by what they hand out; others say what they do.
"""

import copy
import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from attnviz import ModelTrace, explain, look_into
from attnviz.core.limits import RefusedError
from attnviz.features.language_models.inside.available_models import ALONG, INCLUDED
from attnviz.features.language_models.inside.loading import check_sum, load
from tests.unit.small_models import MODELS, OTHERWISE, TEXT, WORDS, WRITTEN_OUT, bart, tokenizer

N_TOKENS = len(TEXT.split()) + 2
ANIMAL = "The animal didn't cross the street because it was too tired"


EVERY = MODELS | {f"{name}, written out": make for name, make in WRITTEN_OUT.items()}


@cache
def model_of(name: str) -> Any:
    return EVERY[name]()


@cache
def view_of(name: str, *edits: str) -> ModelTrace:
    return look_into(model_of(name), tokenizer(), TEXT, edits=edits)


def eager(model: Any, **inputs: Tensor) -> Any:
    """What a model returns by its own plain attention, with its attention weights."""
    plain = copy.deepcopy(model)
    plain.config._attn_implementation = "eager"
    with torch.no_grad():
        return plain(**inputs, output_attentions=True)


def ids(text: str) -> Tensor:
    return torch.tensor([tokenizer()(text)["input_ids"]])


each_model = pytest.mark.parametrize("name", EVERY)


@each_model
def test_what_is_caught_and_what_comes_out_is_the_models_own_to_the_last_bit(name: str) -> None:
    view, own = view_of(name), eager(model_of(name), input_ids=ids(TEXT))
    assert view.tokens == ("[CLS]", *TEXT.split(), "[SEP]")
    assert torch.equal(view.result[0], own[0])  # hidden states, or the scores of the next token
    assert (view.n_layers, view.n_heads) == (2, 4)
    assert view.kinds == ("encoder" if any(weights.triu(1).any() for weights in own.attentions) else "decoder",)
    for layer, weights in zip(view.layers, own.attentions, strict=True):
        assert torch.equal(layer.weights, weights[0])
    for (number, head), trace in view.heads.items():
        assert torch.equal(trace.attention_weights, own.attentions[number][0, head])
        assert trace.tokens == view.tokens


@each_model
def test_a_head_is_a_trace_whose_every_number_is_explained(name: str) -> None:
    """The arithmetic of the table gives the model's own numbers, to the roundings of float32."""
    view = view_of(name)
    for place in ((0, 0), (1, 3)):
        trace = view.heads[place]
        made = {"q", "k", "v", "scores", "attention_weights", "context"}
        assert all(trace.stages[matrix].rule is not None for matrix in made), trace.notices
        for matrix, stage in trace.stages.items():
            if stage.rule is None:
                continue
            sources = [trace[source] for source in stage.sources]
            torch.testing.assert_close(trace[matrix], stage.rule.compute(*sources), rtol=1e-5, atol=1e-6)
            rows, columns = trace[matrix].shape
            for row, column in ((0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2)):
                told = explain(trace, matrix, row, column)
                assert not told.notes, told.text


@each_model
def test_queries_keys_and_values_are_made_of_the_layers_input_and_its_weights(name: str) -> None:
    view, model = view_of(name), model_of(name)
    own = {parameter.data_ptr() for parameter in model.parameters()}
    for trace in view.heads.values():
        assert set(trace.stages) >= {"x", "w_q", "w_k", "w_v"}
        assert trace.x.shape == (N_TOKENS, model.config.hidden_size)
        for part in "qkv":
            weight = trace[f"w_{part}"]
            assert weight.shape == (model.config.hidden_size, trace[part].shape[1])
            assert weight.untyped_storage().data_ptr() in own  # a view: a model's weights are in memory once


@pytest.mark.parametrize("name", [name for name in EVERY if name.endswith("written out")])
def test_a_head_is_switched_off_a_layer_made_even_and_a_number_changed(name: str) -> None:
    before = copy.deepcopy(model_of(name).state_dict())
    view = view_of(name, "0.1.off", "1.even", "0.2.mask.3.0=-inf", "0.0.w_q.2.1=4", "0.3.w_v.0.0=2")
    assert view.original is not None
    assert not view.heads[0, 1].context.any()
    assert view.heads[0, 2].attention_weights[3, 0] == 0
    assert view.heads[0, 0].w_q[2, 1] == 4
    readable = view.original.heads[1, 0].attention_weights > 0
    torch.testing.assert_close(view.heads[1, 0].attention_weights, readable / readable.sum(-1, keepdim=True))
    first = view.attending_at(0).attended
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


def test_an_encoder_with_a_decoder_has_three_kinds_of_attention() -> None:
    model = bart()
    view = look_into(model, tokenizer(), TEXT, target="der kater")
    decoder = torch.tensor([[2, WORDS.index("der"), WORDS.index("kater")]])
    own = eager(model, input_ids=ids(TEXT), decoder_input_ids=decoder)
    assert torch.equal(view.result[0], own[0])
    assert view.kinds == ("encoder", "decoder", "cross")
    caught = {"encoder": own.encoder_attentions, "decoder": own.decoder_attentions, "cross": own.cross_attentions}
    for kind in view.kinds:
        part = view.only(kind)
        for layer, weights in zip(part.layers, caught[kind], strict=True):
            assert torch.equal(layer.weights, weights[0])
    cross = view.only("cross")
    assert cross.tokens == ("[SEP]", "der", "kater")
    assert cross.layers[0].read == ("[CLS]", *TEXT.split(), "[SEP]")
    trace = cross.heads[1, 2]
    assert trace.stages["q"].sources[0] == "x"
    assert trace.stages["k"].sources[0] == trace.stages["v"].sources[0] == "y"
    assert (trace.x.shape, trace["y"].shape) == ((3, 24), (N_TOKENS, 24))
    assert not explain(trace, "k", 1, 0).notes
    assert trace.read_tokens == cross.layers[0].read
    # Where it isn't found what queries are made of, keys are of the encoder's tokens all the same.
    attended = cross.attending_at(1).attended
    known = tuple(each for each in attended.projections if len(each.product) == N_TOKENS)
    found = replace(cross.attending_at(1), attended=replace(attended, projections=known)).head(2)
    assert not found.stages["q"].sources
    assert "x" not in found.stages
    assert found.stages["k"].sources[0] == found.stages["v"].sources[0] == "y"
    assert found.stages["y"].labels("rows", found.tokens, N_TOKENS) == trace.stages["y"].labels(
        "rows", trace.tokens, N_TOKENS
    )
    assert view.only("encoder").heads[0, 0].tokens == ("[CLS]", *TEXT.split(), "[SEP]")
    with pytest.raises(ValueError, match=r"'both' can't be kind\. Take one of these: encoder, decoder, cross"):
        view.only("both")  # type: ignore[arg-type]


def test_the_model_itself_stays_as_it_was() -> None:
    model = MODELS["GPT-2"]().train()
    before = {name: (id(value), value._version) for name, value in model.named_parameters()}
    how = model.config._attn_implementation
    look_into(model, tokenizer(), TEXT)
    assert model.training
    assert model.config._attn_implementation == how
    assert {name: (id(value), value._version) for name, value in model.named_parameters()} == before
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_the_head_that_finds_what_it_stands_for() -> None:
    view = look_into("all-MiniLM-L6-v2", text=ANIMAL)
    it, animal = view.tokens.index("it"), view.tokens.index("animal")
    assert [ANIMAL[slice(*view.spans[i])] for i in (it, animal)] == ["it", "animal"]
    shares = {place: view.heads[place].attention_weights[it, animal].item() for place in ((3, 1), (5, 11))}
    assert {place: round(share, 3) for place, share in shares.items()} == {(3, 1): 0.640, (5, 11): 0.647}
    model, its_tokenizer = load(INCLUDED)
    own = eager(model, input_ids=torch.tensor([its_tokenizer(ANIMAL)["input_ids"]]))
    assert all(
        torch.equal(layer.weights, weights[0]) for layer, weights in zip(view.layers, own.attentions, strict=True)
    )
    assert torch.equal(view.result.last_hidden_state, own.last_hidden_state)
    told = explain(view.heads[3, 1], "q", it, 0)
    assert "377 more" in told.text  # of 384 products, the largest first
    assert not told.notes


def test_a_file_of_another_sum_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"other")
    with pytest.raises(ValueError, match=f"has the SHA-256 {hashlib.sha256(b'other').hexdigest()}, expected 53aa"):
        check_sum(file, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
    with pytest.raises(ValueError, match="there is no"):
        check_sum(ALONG[INCLUDED].folder(INCLUDED) / "nothing", "0")
