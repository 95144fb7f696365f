"""Hybrid models: layers bear the model's numbers, and those without attention weights say what they do."""

import re
from typing import Any

import pytest
import torch

from attnviz import look_into
from attnviz.documents import model_page
from attnviz.features.language_models.inside import ModelTrace, OtherLayer
from attnviz.features.language_models.inside.hybrids import others_in_words
from attnviz.features.models.model_code import model_script
from attnviz.features.models.model_grid import model_spec
from attnviz.features.models.model_pages import grid_data, model_markup
from tests.unit.small_kinds import HYBRIDS, SIZES, of_kind
from tests.unit.small_models import TEXT, tokenizer

pytest.importorskip("transformers")


def _own_weights(model: Any, view: ModelTrace) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
    """The attention weights that transformers' own eager attention hands out, by the model's modules."""
    model.set_attn_implementation("eager")
    with torch.no_grad():
        made = model(torch.tensor([view.cut["input_ids"]]), output_attentions=True)
    return made.attentions, made.logits


@pytest.mark.parametrize("name", HYBRIDS)
def test_layers_bear_the_models_own_numbers(name: str) -> None:
    make, attending, _ = HYBRIDS[name]
    model = make()
    view = look_into(model, tokenizer(), TEXT)
    assert view.n_layers == model.config.num_hidden_layers
    assert [layer.number for layer in view.layers] == list(range(view.n_layers))
    assert tuple(layer.number for layer in view.attending) == attending
    assert {layer for layer, _ in view.heads} == set(attending)
    weights, logits = _own_weights(model, view)
    torch.testing.assert_close(view.result.logits, logits)
    assert len(weights) == len(attending)
    for layer, own in zip(view.attending, weights, strict=True):
        torch.testing.assert_close(layer.weights, own[0])
        for head in range(layer.n_heads):
            torch.testing.assert_close(view.heads[layer.number, head].attention_weights, own[0, head])
            torch.testing.assert_close(own[0, head] @ view.heads[layer.number, head].v, layer.head(head).context)


@pytest.mark.parametrize("name", HYBRIDS)
def test_layers_without_attention_weights_say_what_they_do(name: str) -> None:
    make, _, does = HYBRIDS[name]
    view = look_into(make(), tokenizer(), TEXT)
    others = [layer for layer in view.layers if isinstance(layer, OtherLayer)]
    assert {layer.does for layer in others} == set(does)
    told = " ".join(others_in_words(view.layers))
    for layer in others:
        assert str(layer) in told
        with pytest.raises(KeyError, match=re.escape(str(layer)[:40])):
            view.heads[layer.number, 0]
        with pytest.raises(ValueError, match="has no attention to change"):
            look_into(make(), tokenizer(), TEXT, edits=[f"{layer.number}.0.off"])


def test_a_change_is_laid_where_the_models_own_number_says() -> None:
    model = HYBRIDS["Jamba"][0]()
    plain, off = (look_into(model, tokenizer(), TEXT, edits=edits) for edits in ([], ["3.1.off"]))
    assert not off.heads[3, 1].context.any()
    assert off.heads[3, 0].context.any()
    assert torch.equal(off.heads[1, 1].context, plain.heads[1, 1].context)
    with torch.no_grad():  # the same by the model's own weights: this head's columns of W_o are zeros
        model.model.layers[3].self_attn.o_proj.weight[:, 8:16] = 0
        own = model(torch.tensor([plain.cut["input_ids"]])).logits
    torch.testing.assert_close(off.result.logits, own)


@pytest.mark.parametrize("name", ["Qwen 3.5", "Jamba", "LFM2", "Granite hybrid"])
def test_a_hybrid_writes_with_its_cache_as_without(name: str) -> None:
    view = look_into(HYBRIDS[name][0](), tokenizer(), TEXT)
    kept, anew = (view.write(3, temperature=1.0, seed=0, cache=cache) for cache in (True, False))
    assert [step.id for step in kept] == [step.id for step in anew]
    torch.testing.assert_close(kept[-1].view.result.logits, anew[-1].view.result.logits, rtol=1e-4, atol=1e-5)
    assert [layer.number for layer in kept[-1].view.layers] == [layer.number for layer in view.layers]


def test_pages_and_pictures_tell_the_other_layers() -> None:
    view = look_into(HYBRIDS["Qwen 3.5"][0](), tokenizer(), TEXT)
    data = grid_data(view)
    assert data["layers"] == 4
    assert data["others"] == [str(layer) for layer in view.layers[:3]] + [""]
    assert "linear attention" in model_page(view)
    assert "linear attention" in model_markup(view)
    assert model_spec(view)["layout"]["yaxis"]["ticktext"] == ["layer 3"]
    assert "output.attentions[0][0, 2]" in model_script(view, 3, 2, name="own")


def test_a_layer_that_attends_and_mixes_otherwise_says_both() -> None:
    sizes = {"num_hidden_layers": 2, "head_dim": 8, "mamba_d_ssm": 64, "mamba_n_heads": 8, "mamba_d_head": 8,
             "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 4}  # fmt: skip
    view = look_into(of_kind("FalconH1", **SIZES, **sizes), tokenizer(), TEXT)
    assert [layer.beside for layer in view.attending] == ["state_space"] * 2
    assert others_in_words(view.layers)[0].startswith("Layers 0 and 1 mix tokens in another way, too")
