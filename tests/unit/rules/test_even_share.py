"""An even share is one of as many cells as are shared among: of a row, a column, or the whole matrix."""

from dataclasses import replace

import pytest

from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.figures import heatmap_spec
from attnviz.words import say
from attnviz.words.numbers import written
from tests.node import PageScript

AXES = ("rows", "columns", "whole")
# All scores are 0 here, so that what is shared out is shared evenly, and torch's own weights are the referee.
EVEN = Scenario("the cat sat on a mat", w_q="zeros")
MASKS = ("none", "causal", "padding:2", "window:2", "not-self")
_SHARES = """({ made, reads: { evenShare, evenShareOfRow } }, [data, n]) => {
  const of = made(data);
  const all = Array.from({ length: n }, (_, at) => at);
  return [all.map((row) => all.map((column) => evenShare(of, row, column))), all.map((row) => evenShareOfRow(of, row))];
}"""


def over(axis: str, scenario: Scenario) -> Scenario:
    return scenario if axis == "rows" else replace(scenario, what_if=f"softmax:{axis}")


def masked(mask: str) -> Scenario:
    return replace(EVEN, mask=mask) if mask != "none" else EVEN


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("mask", MASKS)
def test_the_boards_even_share_is_what_each_gets_of_equal_scores(script: PageScript, axis: str, mask: str) -> None:
    scenario = over(axis, masked(mask))
    made, n = traced(scenario), len(scenario.tokens)
    weights, hidden = made.attention_weights.numpy(), made.is_hidden
    shares, of_rows = script.run(_SHARES, [board_data(scenario, made, 0, 4), n])
    assert shares == [
        [None if hidden[row, column] else pytest.approx(weights[row, column], abs=1e-6) for column in range(n)]
        for row in range(n)
    ]
    for row, share in enumerate(of_rows):
        own = {round(float(each), 6) for each in weights[row][~hidden[row]]}
        assert share == (pytest.approx(own.pop(), abs=1e-5) if len(own) == 1 else None)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("query", [None, 0, 2])
def test_a_heatmap_has_its_tick_at_what_each_gets_of_equal_scores(axis: str, mask: str, query: int | None) -> None:
    """On the scale of the colours, and not beyond its end."""
    made = traced(over(axis, masked(mask)))
    weights = made.attention_weights.numpy()
    rows = slice(None) if query is None else slice(query, query + 1)
    cells = weights[rows][~made.is_hidden[rows]]
    counts = {round(1 / float(each)) for each in cells}
    spec = heatmap_spec(made, "attention_weights", query=query)
    (scaled,) = (drawn for drawn in spec["data"] if drawn["showscale"])
    assert scaled["colorbar"]["tickvals"] == [0, scaled["zmax"]]
    assert scaled["colorbar"]["ticktext"] == ["0", written(scaled["zmax"], 2)]
    lines = [shape["x0"] for shape in spec["layout"].get("shapes", []) if shape["type"] == "line"]
    said = [each["text"] for each in spec["layout"].get("annotations", []) if "even" in each["text"]]
    shared = [n for n in counts if len(counts) == 1 and 1 / n <= scaled["zmax"] * (1 + 1e-6)]
    assert lines == [pytest.approx(min(1, 1 / n / scaled["zmax"])) for n in shared]
    assert said == [say("figures.even_share", n=n) for n in shared]
