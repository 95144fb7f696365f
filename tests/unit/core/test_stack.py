"""Layers that follow one another, against one layer at a time, which another test holds to PyTorch's own."""

from dataclasses import replace
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.limits import MAX_LAYERS
from tests.examples import examples
from tests.unit.helpers import edits_of

WORDS = "the cat sat on the mat because it was tired"


@st.composite
def stacks(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """Random scenarios of several layers, with edits in any of them."""
    n_heads = draw(st.sampled_from([1, 1, 2, 4]))
    width = n_heads * draw(st.integers(1, 3))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS.split()[: draw(st.integers(1, 8))]), "d_in": width, "d_out": width,
        "n_heads": n_heads, "n_layers": draw(st.integers(1, MAX_LAYERS)), "output": draw(st.booleans()),
        "bias": draw(st.booleans()), "init": draw(st.sampled_from(["uniform", "linear", "normal"])),
        "norm": draw(st.sampled_from(["none", "sums", "pre", "post"])), "d_ff": draw(st.none() | st.integers(1, 5)),
        "activation": draw(st.sampled_from(["relu", "gelu"])), "causal": draw(st.booleans()),
        "positions": draw(st.sampled_from(["none", "sinusoidal", "learned"])), "embedding": "stable",
        "seed": draw(st.integers(0, 1000)), "temperature": draw(st.sampled_from([0.5, 1.0])),
    }  # fmt: skip
    scenario = Scenario(**(chosen | fixed))
    of_later = [name for name in scenario.editable if name.startswith("layers.")]
    fills = st.sampled_from(["zeros", "identity", "random:5"])
    deeper = draw(st.dictionaries(st.sampled_from(of_later), fills, max_size=1)) if of_later else {}
    edits = [edit._replace(value=edit.value % 3.0) for edit in draw(edits_of(scenario))]
    return replace(scenario, edits=edits, deeper=deeper)


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
    fewer = replace(plain, n_layers=max(1, scenario.n_layers - 1))
    for name in fewer.editable:
        assert torch.equal(fewer.matrix(name), plain.matrix(name))
