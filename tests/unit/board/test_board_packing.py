"""What is large travels as bits, and comes out of the page's hands as it went in."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz import Scenario, trace
from attnviz.board.data import table_data
from attnviz.core.rules import in_rows
from attnviz.core.scenario import traced
from attnviz.documents import board_page
from attnviz.documents.bit_differences import with_apart
from tests.node import PageScript

BITS = """({ matrices: { unpacked } }, matrices) => Object.fromEntries(
  Object.entries(unpacked(matrices)).map(([name, { rows, columns, values }]) =>
    [name, [rows, columns, Array.from(new Uint32Array(new Float32Array(values).buffer))]]))"""
MADE_AGAIN = f"""(modules, data) => {{
  modules.bit_differences.makeAgain(data);
  return ({BITS})(modules, data.matrices);
}}"""
FED = """({ made: madeOf, dependencies: { feeds, sourcesOf, isMasked } }, [data, place]) => {
  const made = madeOf(data);
  const fed = feeds(made, place);
  const reached = { [place.matrix]: new Set([place.row * made.matrices[place.matrix].columns + place.column]) };
  const wrong = [];
  for (const stage of made.stages.values()) {
    if (stage.rule === "given") continue;
    const { columns, values } = made.matrices[stage.name];
    const own = new Set();
    values.forEach((_, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      if (isMasked(made, stage, row, column)) return;
      const blocks = sourcesOf(stage, row, column, made.matrices);
      const left = made.stages.get(stage.sources[0]);
      const counts = ({ row: r, column: c }) => !isMasked(made, left, r, c);
      const weighed = stage.rule === "product" && left.columns === "key";
      const cells = blocks.flatMap((block, i) => block.filter((_, at) => !weighed || i > 1 || counts(blocks[0][at])));
      const reads = ({ matrix, row, column }) => reached[matrix]?.has(row * made.matrices[matrix].columns + column);
      if (cells.some(reads)) own.add(at);
      if (own.has(at) !== Boolean(fed[stage.name]?.[at])) wrong.push([stage.name, row, column]);
    });
    reached[stage.name] = own;
  }
  return { wrong, fed: Object.values(fed).reduce((sum, cells) => sum + cells.reduce((a, b) => a + b, 0), 0) };
}"""


def of_words(count: int, **settings: Any) -> Scenario:
    return Scenario(" ".join(f"word{i}" for i in range(count)), **settings)


def assert_bits(arrived: dict[str, Any], matrices: dict[str, Tensor]) -> None:
    assert arrived.keys() == matrices.keys()
    for name, (rows, columns, bits) in arrived.items():
        wanted = in_rows(matrices[name]).numpy()
        got = np.array(bits, np.uint32).reshape(rows, columns)
        assert got.shape == wanted.shape
        same = (got == wanted.view(np.uint32)) | (np.isnan(got.view(np.float32)) & np.isnan(wanted))
        assert same.all(), name


@pytest.mark.parametrize("more", [
    {"d_out": 64, "causal": True}, {"causal": True, "edits": [("mask", 3, 1, 0.5)]}, {"temperature": 0.01},
    {"d_out": 4, "n_heads": 2}, {"what_if": "scores:cosine"},
])  # fmt: skip
def test_a_page_of_its_own_makes_large_matrices_again_bit_by_bit(script: PageScript, more: dict[str, Any]) -> None:
    shown = traced(of_words(90, **more)).for_head(0)
    data = table_data(shown)
    sent = with_apart(data["matrices"], shown)
    assert "apart" in sent["attention_weights"]
    assert ("apart" in sent["scores"]) == ("what_if" not in more)
    arrived = script.run(MADE_AGAIN, json.loads(json.dumps(data | {"matrices": sent})))
    assert_bits(arrived, dict(shown.matrices))


def test_a_quotient_that_has_other_bits_is_not_sent() -> None:
    shown = trace(of_words(30))
    changed = dict(shown.matrices) | {"scaled_scores": torch.nextafter(shown["scaled_scores"], torch.tensor(9.0))}
    sent = table_data(type(shown)(shown.stages, changed, shown.tokens))["matrices"]
    assert "float32" in sent["scaled_scores"]


def test_many_tokens_are_sent_in_few_bytes() -> None:
    shown = trace(of_words(256, d_in=8, d_out=8))
    numbers = sum(matrix.numel() for name, matrix in shown.matrices.items() if name != "scaled_scores")
    assert len(json.dumps(table_data(shown)["matrices"])) < 4 * 4 / 3 * numbers * 1.02
    assert len(board_page(of_words(6))) <= 203_000
    assert len(board_page(of_words(512))) <= 500_000


@pytest.mark.parametrize("more", [
    {}, {"causal": True, "positions": "sinusoidal"}, {"reads": "kept", "second": "five six", "norm": "pre", "d_in": 4},
])  # fmt: skip
def test_what_a_number_feeds_is_what_is_made_of_it(script: PageScript, more: dict[str, Any]) -> None:
    """Against the cells that each cell reads, one by one."""
    usual: dict[str, Any] = {"bias": True, "d_ff": 3, "d_out": 4, "n_heads": 2, "n_kv_heads": 1, "output": True}
    scenario = Scenario("one two three four", **usual | more)
    data = table_data(trace(scenario))
    for name in scenario.editable:
        rows, columns = scenario.shape_of(name)
        found = script.run(FED, [data, {"matrix": name, "row": rows // 2, "column": columns - 1}])
        assert found["wrong"] == []
        assert found["fed"] > 0 or name == "mask"
