"""One law for any set-up: wherever its numbers stand, they are those of its trace, and the trace's are PyTorch's."""

import csv
import html
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import nbformat
import numpy as np
import pytest
import safetensors.torch
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz import AttentionTrace, Edit, Explanation, Scenario, explain
from attnviz.board.data import FITS, board_data
from attnviz.core.heads import as_seen, in_view, of_whole
from attnviz.core.rules import in_rows
from attnviz.core.scenario import traced
from attnviz.core.what_if import WhatIf
from attnviz.documents import report
from attnviz.explanation.comparing import Comparison
from attnviz.export import (
    matrix_csv,
    matrix_names,
    notebook,
    pytorch_script,
    scenario_from_json,
    scenario_json,
    trace_json,
    trace_safetensors,
)
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.link.state import state_of
from attnviz.words.numbers import written
from tests.examples import examples
from tests.node import PageScript
from tests.unit.displayed_arithmetic import check_cell, check_terms
from tests.unit.helpers import anything


def close(got: Tensor, wanted: Tensor, rounding: float = 1.0) -> None:
    torch.testing.assert_close(got.double(), wanted.double(), rtol=1e-3, atol=1e-5 * rounding, equal_nan=True)


def rounding(made: AttentionTrace) -> float:
    """How much roundings may grow from layer to layer, by the sizes of what goes into the softmax and is mixed."""
    further = 1.0
    for layer in made.layers:
        for each in (layer.scaled_scores, layer.v, layer.attention_weights):  # without a softmax, more than 1, too
            finite = each[torch.isfinite(each)]
            further *= 1 + float(finite.abs().max()) if len(finite) else 1.0
    return min(further, 1e4)


# --- The numbers are PyTorch's ---


def slopes(n: int) -> Tensor:
    """ALiBi's slopes where they are powers of two, as in Press et al. 2022."""
    return torch.tensor([2.0 ** (-8 * (i + 1) / n) for i in range(n)], dtype=torch.float64)


def scaled(scenario: Scenario, layer: AttentionTrace, head: Any, number: int) -> Tensor:
    """The scaled scores of a head in float64, before any mask, of its queries and keys."""
    on = WhatIf.read(scenario.what_if)
    q, k = (head[f"{each}_rotated" if scenario.positions == "rotary" else each].double() for each in "qk")
    if on.get("scores") == "cosine":
        scores = F.cosine_similarity(q[:, None], k[None], dim=-1)
    else:
        scores = k @ q.T if on.get("scores") == "keys-first" else q @ k.T
    for row, column, typed in on.typed:
        scores[row, column] = typed
    width = scenario.d_out / scenario.n_heads
    scores = scores / ((math.sqrt(width) if scenario.scale else 1.0) * scenario.temperature)
    if "by_distance" not in layer.matrices:
        return scores
    own, read = scores.shape
    apart = torch.arange(read)[None] - (torch.arange(own)[:, None] + read - own)  # a key less its query
    if scenario.positions == "alibi" and not any(edit.matrix == "by_distance" for edit in scenario.edits) \
            and scenario.by_distance is None:  # fmt: skip
        return scores - slopes(scenario.n_heads)[number] * apart.abs()
    return scores + layer["by_distance"][number].double()[apart + read - 1]


def weights(scenario: Scenario, layer: AttentionTrace, head: Any, number: int) -> Tensor:
    """The attention weights of a head in float64, as somebody would write them who did all that is on."""
    on, use = WhatIf.read(scenario.what_if), scenario.mask_use
    factor = None if layer.mask is None else layer.mask.double().exp()
    if scenario.weighting == "linear":
        q, k = (head[f"{each}_rotated" if scenario.positions == "rotary" else each].double() for each in "qk")
        products = (F.elu(q) + 1) @ (F.elu(k) + 1).T * (1 if factor is None else factor)
        return products / products.sum(-1, keepdim=True)
    scores = scaled(scenario, layer, head, number)
    if layer.mask is not None and use == "added":
        scores = scores + layer.mask.double()
    elif factor is not None and use == "factor":
        scores = scores * factor
    if on.get("softmax") == "sums":
        return scores / scores.sum(-1, keepdim=True)
    if on.get("softmax") == "whole":
        return torch.softmax(scores.flatten(), 0).reshape(scores.shape)
    made = torch.softmax(scores, 0 if on.get("softmax") == "columns" else 1)
    if factor is not None and use in ("zeroed", "renormalized"):
        made = made * factor
    return made / made.sum(-1, keepdim=True) if factor is not None and use == "renormalized" else made


def behind(scenario: Scenario, layer: AttentionTrace) -> tuple[str, Tensor]:
    """The last matrix of a layer, from its contexts on, by torch's own functions in float64."""

    def normed(x: Tensor, number: int) -> Tensor:
        gain, offset = (layer[f"{name}_{number}"].double() for name in ("gamma", "beta"))
        return F.layer_norm(x, x.shape[-1:], gain, offset)

    made = layer.context.double()
    if scenario.output:
        made = F.linear(made, layer["w_o"].double().T, layer["b_o"].double())
    if scenario.norm != "none":
        made = layer.x.double() + made
    if scenario.norm == "post":
        made = normed(made, 1)
    if scenario.d_ff is not None:
        goes_in = normed(made, 2) if scenario.norm == "pre" else made
        hidden = F.linear(goes_in, layer["w_1"].double().T, layer["b_1"].double())
        hidden = F.relu(hidden) if scenario.activation == "relu" else F.gelu(hidden)
        step = F.linear(hidden, layer["w_2"].double().T, layer["b_2"].double())
        made = step if scenario.norm == "none" else made + step
        made = normed(made, 2) if scenario.norm == "post" else made
    return list(layer.stages)[-1], made


@given(anything())
@settings(max_examples=examples(300))
def test_any_set_up_is_what_it_says_in_float64(scenario: Scenario) -> None:
    made, on = traced(scenario), WhatIf.read(scenario.what_if)
    if "e" in made.matrices:  # Vaswani et al. 2017: the words' vectors times the root of d_model, and places added
        words = made["e"].double() * (scenario.d_in**0.5 if scenario.embedding_factor else 1.0)
        close(made.layers[0].x, words + (made["p"].double() if "p" in made.matrices else 0))
    for before, layer in zip((None, *made.layers), made.layers, strict=False):
        if before is not None:  # a row that may read nothing is NaN in both
            made_before = before[list(before.stages)[-1]]
            torch.testing.assert_close(layer.x, made_before, rtol=0, atol=0, equal_nan=True)
        assert scenario.reads != "second" or torch.equal(layer["y"], scenario.matrix("y"))
        further = rounding(layer)
        goes_in = layer["x_norm" if scenario.norm == "pre" else "x"]
        read = next(layer[each] for each in ("joined", "y_norm", "y", "x_norm", "x") if each in layer.matrices)
        by = {"exchanged": "kq"}.get(on.get("projections"), "qk") + "v"
        for name, w, of in zip("qkv", by, (goes_in, read, read), strict=True):
            matrix = layer[f"w_{w}"].double()
            matrix = matrix.T if on.get("projections") == "transposed" else matrix
            bias = layer.get(f"b_{w}")
            close(layer[name], of.double() @ matrix + (0 if bias is None else bias.double()), further)
        for number, head in enumerate(layer.heads):
            wanted = weights(scenario, layer, head, number)
            finite = wanted.isfinite().all() and head.attention_weights.isfinite().all()
            if finite:  # rows that may read nothing have their own tests
                close(head.attention_weights, wanted, further)
            close(head.context, head.attention_weights.double() @ head.v.double(), further)
        name, wanted = behind(scenario, layer)
        close(layer[name], wanted, further * 10)


# --- Wherever they stand ---


def in_link(scenario: Scenario, made: AttentionTrace) -> None:
    query = query_of(scenario)
    assert scenario_from_query(query) == (scenario, [])
    if query:  # bare, it opens another example
        assert (state_of(query).scenario, state_of(query).messages) == (scenario, ())


def in_file(scenario: Scenario, made: AttentionTrace) -> None:
    """And in a notebook, as it shows itself."""
    assert eval(repr(scenario), {"Scenario": Scenario, "Edit": Edit, "inf": math.inf}) == scenario
    assert scenario_from_json(scenario_json(scenario)) == scenario


def runs(code: str, made: AttentionTrace) -> None:
    """All that is printed, layer for layer, is what the trace has under that name."""
    printed: list[Any] = []
    names: dict[str, Any] = {"print": lambda *told, **_: printed.extend(told)}
    exec(code, names)
    layers, further = list(made.layers), rounding(made)
    for title, matrix in pairwise(printed):
        if isinstance(matrix, Tensor):
            close(matrix, layers[0][title], further * 10)
        elif isinstance(title, Tensor) and matrix.startswith("layers."):
            layers.pop(0)
    assert len(layers) == 1
    assert "mask" not in layers[0].matrices or torch.equal(names["mask"], made.layers[0]["mask"])


def in_script(scenario: Scenario, made: AttentionTrace) -> None:
    runs(pytorch_script(scenario), made)


def in_notebook(scenario: Scenario, made: AttentionTrace) -> None:
    read = nbformat.reads(notebook(scenario), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(read)
    runs("\n".join(cell["source"] for cell in read["cells"] if cell["cell_type"] == "code"), made)


def in_json(scenario: Scenario, made: AttentionTrace) -> None:
    held = json.loads(trace_json(made), parse_constant=pytest.fail)
    tokens = list(scenario.tokens), list(scenario.read_tokens)
    assert (held["tokens"], held.get("read_tokens", held["tokens"])) == tokens
    assert held["causal"] == made.causal
    tensors = safetensors.torch.load(trace_safetensors(made))
    assert set(held["matrices"]) == set(tensors)
    for name, rows in held["matrices"].items():
        got = torch.from_numpy(np.array(rows, dtype=object).astype(np.float64)).float()
        wanted = made[name] if name in matrix_names(made) else tensors[name]
        for each in (got.reshape(wanted.shape), tensors[name].reshape(wanted.shape)):
            torch.testing.assert_close(each, wanted, rtol=0, atol=0, equal_nan=True)


def in_csv(scenario: Scenario, made: AttentionTrace) -> None:
    for name in matrix_names(made):
        _, *rows = csv.reader(io.StringIO(matrix_csv(made, name)))
        read = torch.tensor([[float(cell) for cell in row[1:]] for row in rows])
        torch.testing.assert_close(read, made[name].reshape(read.shape), rtol=0, atol=0, equal_nan=True)


def in_report(scenario: Scenario, made: AttentionTrace) -> None:
    page = report(scenario, made, digits=4)
    told = [html.unescape(each) for each in re.findall(r"<td style[^>]*>([^<]*)</td>", page)]
    for name in matrix_names(made):
        matrix, hidden = in_rows(made[name]), made.masked_in(name)
        if max(matrix.shape) > FITS:  # a picture
            continue
        texts, told = told[: matrix.numel()], told[matrix.numel() :]
        for i, (text, value) in enumerate(zip(texts, matrix.flatten().tolist(), strict=True)):
            if math.isfinite(value) and (hidden is None or not hidden.flatten()[i % hidden.size]):
                assert text == written(value, 4)
    assert not told


SURFACES = {each.__name__: each for each in (in_link, in_file, in_script, in_notebook, in_json, in_csv, in_report)}


@pytest.mark.parametrize("surface", SURFACES)
@given(scenario=anything())
@settings(max_examples=examples(150))
def test_it_has_the_numbers_of_the_trace(surface: str, scenario: Scenario) -> None:
    SURFACES[surface](scenario, traced(scenario))


_ON_BOARD = """({ made: madeOf, matrices: { unpacked }, explain: { explain, seenSourcesOf }, evaluate: { evaluate },
    difference: { difference } }, [data, cells]) => {
  const arrived = Object.fromEntries(Object.entries(unpacked(data.matrices)).map(([name, { values }]) =>
    [name, Array.from(new Float32Array(values), String)]));
  const made = madeOf(data);
  const names = data.stages.filter(({ rule }) => rule === "given").map(({ name }) => name);
  const given = Object.fromEntries(names.map((name) => [name, made.matrices[name]]));
  return {
    arrived,
    unexplained: difference(made, given).unexplained,
    cells: cells.map(([matrix, row, column]) => {
      const { text, symbols, steps, words, notes } = explain(made, { matrix, row, column });
      const sources = seenSourcesOf(made, { matrix, row, column })
        .map((block) => block.map((at) => [at.matrix, at.row, at.column]));
      return { text, symbols, steps, words, notes, sources };
    }),
  };
}"""


Chosen = Callable[[int, int], tuple[int, int]]  # a cell of so many rows and columns


def on_board(
    script: PageScript, scenario: Scenario, view: AttentionTrace, digits: int, cell: Chosen
) -> list[Explanation]:
    """See that the board has every number, and of a cell of each matrix the same words; give the explanations."""
    places, explained, wanted = [], [], []
    shown = tuple(in_view(view.stages))
    usual = not scenario.what_if and (scenario.mask_use, scenario.masking) == ("added", "none")
    for name in shown:
        matrix = in_rows(view.matrices[name])
        at = name, *cell(*matrix.shape)
        told = explain(view, *at, digits=digits, scenario=scenario, shown=shown)
        check_cell(told, matrix[at[1], at[2]].item(), view.stages[name].title)
        if usual and told.rule != "layer_norm":  # of which not every cell is a factor of its own
            check_terms(told)
        whole = of_whole(view.stages, *at)
        if whole[0] in scenario.editable:
            assert scenario.matrix(whole[0])[whole[1], whole[2]] == told.value
            assert as_seen(view.stages, view.matrices, *whole) == at
        places.append(at)
        explained.append(told)
        blocks = [[[cells.matrix, i, j] for i in cells.rows for j in cells.columns] for cells in told.sources]
        wanted.append({"text": told.text, "symbols": told.symbols, "steps": list(told.steps), "words": told.words,
                       "notes": list(told.notes), "sources": blocks})  # fmt: skip
    seen = script.run(_ON_BOARD, [board_data(scenario, view, 0, digits, shown), places])
    for name, values in seen["arrived"].items():
        got = np.array([float(each) for each in values], np.float32)
        np.testing.assert_array_equal(got, in_rows(view.matrices[name]).numpy().flatten())
    assert seen["unexplained"] is None
    assert seen["cells"] == wanted
    return explained


@given(scenario=anything(), data=st.data(), digits=st.integers(1, 6))
@settings(max_examples=examples(300))
def test_the_board_and_every_explanation_have_them_too(
    script: PageScript, scenario: Scenario, data: st.DataObject, digits: int
) -> None:
    made = traced(scenario)
    view = made.for_head(data.draw(st.integers(0, made.n_heads - 1)), data.draw(st.integers(0, scenario.n_layers - 1)))
    on_board(script, scenario, view, digits, lambda rows, columns: (
        data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    ))  # fmt: skip


@given(anything(), st.data())
@settings(max_examples=examples(100))
def test_a_comparison_is_what_there_is_between_two(a: Scenario, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([each for each in a.editable if each != "mask"]))
    edit = name, 0, 0, data.draw(st.sampled_from((-1.0, 0.25, 2.0)))
    b = replace(a, edits=(*a.edits, edit))
    compared = Comparison.of_heads(traced(a), traced(b), 0)
    for each in compared.names:
        difference = compared.difference(each)
        assert difference is not None
        before, after = compared.a[each], compared.b[each]
        finite = before.isfinite() & after.isfinite()
        close(difference[finite], (after.double() - before.double())[finite], rounding(compared.b) * 10)
