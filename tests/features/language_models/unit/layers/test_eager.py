"""A model that is watched computes what it computes by itself, or it's refused."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import look_into
from attnviz.core.limits import RefusedError
from attnviz.features.language_models.inside.eager import EAGER, WATCHED, is_watched
from attnviz.features.language_models.inside.loading import load
from attnviz.features.language_models.inside.pretrained import watched
from tests.families.building import Family, built, computed, families
from tests.unit.small_models import MODELS, TEXT, tokenizer

# Models that lay a sparse mask of their own; each token reads three others (or two blocks of two).
SPARSE = (
    "axk2",
    "deepseek_v32",
    "dots3_note_text",
    "glm_moe_dsa",
    "hy_v4",
    "minimax_m3_vl_text",
    "mistral_large4_text",
)
_BLOCKS = {"minimax_m3_vl_text": {"layer_types": ["minimax_m3_sparse"] * 2}}


def small(kind: str) -> Any:
    family: Family = next(each for each in families() if each.kind == kind)
    return built(family, **_BLOCKS.get(kind, {}))


@pytest.mark.parametrize("kind", SPARSE)
def test_a_model_of_sparse_attention_reads_as_few_tokens_as_by_itself(kind: str) -> None:
    model = small(kind)
    own = computed(model, output_attentions=True)
    view = look_into(model, tokenizer(), TEXT)
    assert torch.equal(view.result[0], own[0])
    for layer, weights in zip(view.layers, own.attentions, strict=True):
        assert torch.equal(layer.weights, weights[0])
        assert int((layer.weights > 0).sum(-1).max()) <= 4
    for (number, head), trace in view.heads.items():
        torch.testing.assert_close(trace.attention_weights, own.attentions[number][0, head])


class _Otherwise(nn.Module):
    """A layer that does something else where its attention isn't transformers' own."""

    def __init__(self, layer: Any, config: Any, by: float) -> None:
        super().__init__()
        self.layer, self.config, self.by = layer, config, by

    def forward(self, x: Tensor, **more: Any) -> Any:
        made = self.layer(x, **more)
        return made if type(self.config._attn_implementation) is str else made * self.by


@pytest.mark.parametrize("by", [1.01, -1.0, float("inf")])
def test_a_model_that_computes_otherwise_while_it_is_watched_is_refused(by: float) -> None:
    model = MODELS["Llama"]()
    block = model.model.layers[1]
    block.mlp = _Otherwise(block.mlp, model.config, by)
    with pytest.raises(RefusedError, match="While it's watched, it computes other numbers than by itself") as refused:
        look_into(model, tokenizer(), TEXT)
    assert refused.value.kind == "model_otherwise"
    block.mlp = _Otherwise(block.mlp.layer, model.config, 1.0)
    assert look_into(model, tokenizer(), TEXT).n_layers == 2


def test_the_name_of_the_watched_attention_is_eager_to_all_who_ask() -> None:
    model = MODELS["Llama"]()
    twin = watched(model)
    assert is_watched(twin)
    assert not is_watched(model)
    assert twin.config._attn_implementation in ("eager", "sdpa")
    assert watched(twin) is twin
    assert WATCHED not in {EAGER: 1}
    assert EAGER not in {WATCHED: 1}


def test_a_model_that_all_share_is_checked_once_for_each_length() -> None:
    model, _ = load("stories")
    known = model.lengths_checked
    texts = [" ".join(["mia"] * n) for n in (21, 22, 23)]
    with ThreadPoolExecutor(6) as threads:
        views = list(threads.map(lambda text: look_into("stories", text=text), texts * 4))
    lengths = {len(view.tokens) for view in views}
    assert len(lengths) == 3
    assert {(n, 0, 0) for n in lengths} <= known
    runs = []
    hook = model.register_forward_hook(lambda *_: runs.append(1))  # a copy has it, too
    try:
        look_into("stories", text=texts[0])
        assert len(runs) == 1
        look_into("stories", text=" ".join(["mia"] * 24))
        assert len(runs) == 3
    finally:
        hook.remove()
