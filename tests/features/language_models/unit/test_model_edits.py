"""A changed model: what comes after a change is what torch computes from it, by hooks that do the same."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import ModelEdit, ModelTrace, look_into
from tests.unit.small_models import MODELS, TEXT, tokenizer

IDS = torch.tensor([tokenizer()(TEXT)["input_ids"]])
# Where each keeps its projections of queries, keys and values of layer 1, and what follows their contexts.
PLACES: dict[str, Callable[[Any], tuple[Any, Any, Any, Any]]] = {
    "BERT": lambda m: (*(getattr(m.encoder.layer[1].attention.self, n) for n in ("query", "key", "value")),
                       m.encoder.layer[1].attention.output.dense),
    "Llama": lambda m: tuple(getattr(m.model.layers[1].self_attn, f"{n}_proj") for n in "qkvo"),
    "DistilBERT": lambda m: tuple(
        getattr(m.transformer.layer[1].attention, f"{n}_lin") for n in ("q", "k", "v", "out")
    ),
}  # fmt: skip


@cache
def model_of(name: str) -> Any:
    return MODELS[name]()


@cache
def view_of(name: str) -> ModelTrace:
    return look_into(model_of(name), tokenizer(), TEXT)


def plain(model: Any) -> Any:
    own = copy.deepcopy(model)
    own.set_attn_implementation("eager")
    return own


def run(model: Any) -> Any:
    with torch.no_grad():
        return model(input_ids=IDS, output_attentions=True)


@contextmanager
def after(module: nn.Module, change: Callable[[Tensor], None]) -> Iterator[None]:
    def hook(_: Any, __: Any, made: Tensor) -> Tensor:
        changed = made.clone()
        change(changed)
        return changed

    handle = module.register_forward_hook(hook)
    yield
    handle.remove()


def same(view: ModelTrace, own: Any) -> None:
    assert torch.equal(view.result[0], own[0])
    for layer, weights in zip(view.layers, own.attentions, strict=True):
        assert torch.equal(layer.weights, weights[0])


@pytest.mark.parametrize("part", "qkv")
@pytest.mark.parametrize("name", PLACES)
def test_a_changed_number_of_q_k_or_v_is_what_a_hook_makes_of_it(name: str, part: str) -> None:
    model = plain(model_of(name))
    head, row, column = 2, 3, 4
    d_head = view_of(name).heads[1, head][part].shape[1]
    shared = head // 2 if name == "Llama" and part in "kv" else head  # two heads read the same keys
    place = PLACES[name](model)["qkv".index(part)]

    def change(made: Tensor) -> None:
        made[0, row, shared * d_head + column] = 2.5

    with after(place, change):
        own = run(model)
    view = look_into(model_of(name), tokenizer(), TEXT, edits=[ModelEdit(1, head, part, row, column, 2.5)])
    same(view, own)
    assert not torch.equal(view.result[0], view_of(name).result[0])
    trace = view.heads[1, head]
    assert trace[part][row, column] == 2.5
    assert trace.stages[part].rule is None
    assert view.original is not None
    assert torch.equal(view.original.result[0], view_of(name).result[0])
    assert torch.equal(view.layers[0].weights, view_of(name).layers[0].weights)  # what comes before stays


@pytest.mark.parametrize("matrix", ["w_q", "w_k", "w_v"])
@pytest.mark.parametrize("name", ["BERT", "Llama", "GPT-2"])
def test_a_changed_weight_is_that_weight_and_the_models_own_stays(name: str, matrix: str) -> None:
    model = plain(model_of(name))
    column = 6 * 1 + 5  # head 1 of some width 6; for keys that two heads read, head 0's
    head = 1 if name != "Llama" or matrix == "w_q" else 2
    with torch.no_grad():
        if name == "GPT-2":
            model.transformer.h[1].attn.c_attn.weight[7, 24 * "qkv".index(matrix[-1]) + column] = -3.0
        else:
            PLACES[name](model)["qkv".index(matrix[-1])].weight[column, 7] = -3.0
    before = {key: value.clone() for key, value in model_of(name).state_dict().items()}
    view = look_into(model_of(name), tokenizer(), TEXT, edits=[f"1.{head}.{matrix}.7.5=-3.0"])
    same(view, run(model))
    assert view.heads[1, head][matrix][7, 5] == -3.0
    assert view.heads[1, head].stages[matrix[-1]].rule is not None  # it's made of the changed weight
    assert all(torch.equal(value, before[key]) for key, value in model_of(name).state_dict().items())


@pytest.mark.parametrize("name", PLACES)
def test_a_head_that_is_off_is_its_slice_of_the_contexts_as_zeros(name: str) -> None:
    model = plain(model_of(name))
    d_head = view_of(name).heads[1, 3].v.shape[1]
    handle = PLACES[name](model)[3].register_forward_pre_hook(
        lambda _, given: (torch.cat([given[0][..., : 3 * d_head], torch.zeros_like(given[0][..., 3 * d_head :])], -1),)
    )
    own = run(model)
    handle.remove()
    view = look_into(model_of(name), tokenizer(), TEXT, edits=["1.3.off"])
    same(view, own)
    assert not view.heads[1, 3].context.any()
    assert view.heads[1, 3].notices


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        (["2.0.off"], "there is no layer 2"),
        (["0.4.off"], "there is no head 4"),
        (["0.0.q.12.0=1"], "there is no row 12"),
        (["0.0.w_q.0.6=1"], "expected 24 by 6"),
        (["0.0.b_q.1.0=1"], "there is no row 1"),
        (["0.0.q.0.0=nan"], "expected a finite number"),
        (["0.0.q.0.0=inf"], "expected a finite number"),
        (["0.0.q.0.0=-inf"], "expected a finite number, or -inf for the mask"),
        (["0.0.z.0.0=1"], "'z' can't be matrix. Take one of these: q, k, v"),
        (["0.0.q.0.0=one"], "is no number"),
        (["everything"], "expected 3.1.q.10.0=2.5, 3.1.off or 2.even"),
        ([3], "each a ModelEdit or a text"),
        ([f"0.0.q.0.{i}=1" for i in range(65)], "65 changes"),
        ([f"0.0.mask.4.{i}=-inf" for i in range(12)], "hides all tokens from row 4"),
        ([ModelEdit(0, None, "off")], "head is None"),
        ([ModelEdit(0, 1, "even")], "head is 1, expected None"),
    ],
)
def test_a_change_that_cannot_be_is_refused(edits: list[Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        look_into(model_of("BERT"), tokenizer(), TEXT, edits=edits)
