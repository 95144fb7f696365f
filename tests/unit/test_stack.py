"""Layers that follow one another, against PyTorch's own and against one layer at a time."""

import json
from dataclasses import replace
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Edit, Scenario, explain, trace
from attnviz.core.changes import bring_back, carry_over, changes_of
from attnviz.core.heads import as_seen, of_whole
from attnviz.core.limits import MAX_LAYERS
from attnviz.export.code import pytorch_script
from attnviz.export.data import trace_json
from attnviz.link.set_up import query_of, scenario_from_query
from tests.examples import examples
from tests.unit.encoder_layer import encoder_layer
from tests.unit.helpers import edits_of

WORDS = "the cat sat on the mat because it was tired"


@st.composite
def stacks(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """Random scenarios of several layers, with edits in any of them."""
    n_heads = draw(st.sampled_from([1, 1, 2, 4]))
    width = n_heads * draw(st.integers(1, 3))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS.split()[: draw(st.integers(1, 8))]), "d_in": width, "d_out": width,
        "n_heads": n_heads, "n_layers": draw(st.integers(2, MAX_LAYERS)), "output": draw(st.booleans()),
        "bias": draw(st.booleans()), "init": draw(st.sampled_from(["uniform", "linear", "normal"])),
        "norm": draw(st.sampled_from(["none", "sums", "pre", "post"])), "d_ff": draw(st.none() | st.integers(1, 5)),
        "activation": draw(st.sampled_from(["relu", "gelu"])), "causal": draw(st.booleans()),
        "positions": draw(st.sampled_from(["none", "sinusoidal", "seeded"])), "embedding": "stable",
        "seed": draw(st.integers(0, 1000)), "temperature": draw(st.sampled_from([0.5, 1.0])),
    }  # fmt: skip
    scenario = Scenario(**(chosen | fixed))
    of_later = [name for name in scenario.editable if name.startswith("layers.")]
    deeper = {draw(st.sampled_from(of_later)): draw(st.sampled_from(["zeros", "identity", "random:5"]))}
    edits = [edit._replace(value=edit.value % 3.0) for edit in draw(edits_of(scenario))]
    return replace(scenario, edits=edits, deeper=deeper if draw(st.booleans()) else {})


ENCODER = {"output": True, "bias": True, "init": "linear", "positions": "none", "temperature": 1.0}


@given(st.sampled_from(["pre", "post"]).flatmap(lambda norm: stacks(norm=norm, d_ff=5, **ENCODER)))
@settings(max_examples=examples(40))
def test_a_stack_is_pytorchs_encoder_layers_one_after_the_other(scenario: Scenario) -> None:
    made = trace(scenario)
    n, theirs = len(made.tokens), made.layers[0].x[None]
    mask = torch.ones(n, n, dtype=torch.bool).triu(1) if scenario.causal else None
    for layer in made.layers:
        with torch.no_grad():
            theirs = encoder_layer(scenario, layer)(theirs, src_mask=mask)
        torch.testing.assert_close(layer[list(layer.stages)[-1]], theirs[0], rtol=1e-3, atol=1e-3)


@given(stacks())
@settings(max_examples=examples(40))
def test_each_layer_is_one_alone_with_what_the_one_before_it_made(scenario: Scenario) -> None:
    made = trace(scenario)
    alone = replace(scenario, n_layers=1, positions="none", edits=(), deeper={}, e=None, p=None)
    for number, layer in enumerate(made.layers):
        given_there: dict[str, Any] = {name: layer[name] for name in alone.editable if name != "x"}
        one = trace(replace(alone, x=layer.x, **given_there))
        for name, matrix in one.matrices.items():
            assert torch.equal(layer[name], matrix), (number, name)
        if number:
            before = made.layers[number - 1]
            assert torch.equal(layer.x, before[list(before.stages)[-1]])


@given(stacks())
def test_more_layers_change_no_number_of_the_first_ones(scenario: Scenario) -> None:
    plain = replace(scenario, edits=(), deeper={})
    fewer = replace(plain, n_layers=scenario.n_layers - 1)
    for name in fewer.editable:
        assert torch.equal(fewer.matrix(name), plain.matrix(name))


@given(stacks())
def test_changes_of_a_layer_that_goes_are_kept_to_be_brought_back(scenario: Scenario) -> None:
    plain = replace(scenario, edits=(), deeper={}, n_layers=1)
    kept, dropped = carry_over(changes_of(scenario), scenario, plain)
    assert all(edit.matrix.startswith("layers.") for edit in dropped.edits)
    assert not any(edit.matrix.startswith("layers.") for edit in kept.edits)
    again, left = bring_back(replace(plain, n_layers=scenario.n_layers), kept + dropped)
    assert (changes_as_sets(again), bool(left)) == (changes_as_sets(scenario), False)


def changes_as_sets(scenario: Scenario) -> tuple[set[Edit], set[tuple[str, Any]]]:
    changes = changes_of(scenario)
    return set(changes.edits), set(changes.replaced)


@given(stacks(norm="pre", d_ff=3), st.data())
@settings(max_examples=examples(25))
def test_layers_that_are_the_same_are_those_of_a_stack_with_the_same_numbers(
    scenario: Scenario, data: st.DataObject
) -> None:
    edits = [edit for edit in scenario.edits if not edit.matrix.startswith("layers.")]
    same = replace(scenario, same_layers=True, edits=edits, deeper={})
    one = trace(replace(same, same_layers=False, n_layers=1))
    given_there = {name: one[name] for name in same.editable if name not in ("x", "e", "p", "mask")}
    deeper = {
        f"layers.{layer}.{name}": numbers for layer in range(1, same.n_layers) for name, numbers in given_there.items()
    }
    made, wanted = trace(same), trace(replace(same, same_layers=False, deeper=deeper))
    for layer, other in zip(made.layers, wanted.layers, strict=True):
        for name in ("w_q", "scores", "context"):
            assert torch.equal(layer[name], other[name])
    assert scenario_from_query(query_of(same)) == (same, [])
    names: dict[str, Any] = {"print": lambda *_, **__: None}
    exec(pytorch_script(same), names)
    torch.testing.assert_close(names["attention_weights"], made.layers[-1]["attention_weights"], rtol=1e-3, atol=1e-4)
    held = json.loads(trace_json(made))["matrices"]
    assert [name for name in held if name.endswith(".w_q")] == ["layers.0.w_q"]
    number = data.draw(st.integers(0, same.n_layers - 1))
    view = made.seen_from(data.draw(st.integers(0, same.n_heads - 1)), number)
    assert of_whole(view.stages, "w_q", 0, 0)[0] == "w_q"
    assert as_seen(view.stages, view.matrices, *of_whole(view.stages, "w_q", 0, 0)) == ("w_q", 0, 0)
    for name in ("w_q", "q", "w_1", "attention_weights"):
        told = explain(view, name, 0, 0, scenario=same)
        assert told.exact == told.value or abs(told.exact - told.value) <= told.tolerance
