"""An even share is one of as many cells as are shared among; and who reads a token, with torch as the referee."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.figures import heatmap_spec
from attnviz.words import say
from attnviz.words.numbers import written
from tests.node import PageScript
from tests.unit.helpers import setups

AXES = ("rows", "columns", "whole")
# All scores are 0 here, so that what is shared out is shared evenly, and torch's own weights are the referee.
EVEN = Scenario("the cat sat on a mat", w_q="zeros")
MASKS = ("none", "causal", "padding:2", "window:2", "not-self")
_SHARES = """({ made, most_read: { evenShare, evenShareOfRow } }, [data, n]) => {
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


_READ_BY = """({ most_read: { readBy }, made: madeOf }, [data, key]) => readBy(madeOf(data), key)"""
CAT = "the fluffy cat chased a mouse"


def read_by(script: PageScript, scenario: Scenario, key: int) -> list[str]:
    said: list[str] = script.run(_READ_BY, [board_data(scenario, traced(scenario), 0, 4), key])
    return said


@given(setups(max_tokens=6), st.data())
def test_it_names_those_who_give_a_token_most_of_those_who_have_a_choice(
    script: PageScript, scenario: Scenario, data: st.DataObject
) -> None:
    trace = traced(scenario)
    count = len(trace.tokens)
    key = data.draw(st.integers(0, count - 1))
    said, even = read_by(script, scenario, key)
    column = trace.attention_weights[:, key].double()
    if not torch.isfinite(trace.attention_weights).all():
        return
    choosing = [row for row in range(count) if not scenario.causal or (row >= key and (row > 0 or count == 1))]
    largest = max(column[row].item() for row in choosing)
    chance = trace.chance and " most" in said  # of random numbers, no share is told
    assert chance or said.removesuffix(" each").endswith(in_percent(largest))
    close = {row for row in choosing if column[row].item() > largest - 0.005}
    if len(close) == 1 and count > 1 and not (scenario.causal and len(choosing) == 1):
        (row,) = close
        name = board_data(scenario, trace, 0, 4)["names"][row]
        assert (say("summary.itself") if row == key else say("board.named", token=name)) in said
        share = in_percent(1 / (row + 1 if scenario.causal else count))
        assert even == ("" if chance else say("board.even", even=share))


def in_percent(share: float) -> str:
    """As the page says it; nothing is said to be all or none that isn't."""
    if 0 < share < 0.01:
        return say("board.share.less")
    whole = written(100 * share, 0)
    return say("board.share.more") if share < 1 and whole == "100" else say("board.share.percent", share=whole)


@pytest.mark.parametrize(
    ("setup", "key", "kind", "places"),
    [
        ({"x": "example:fluffy-cat", "w_q": "example:fluffy-cat", "w_k": "example:fluffy-cat"}, 2, "most",
         {"names": "“fluffy”", "weight": "61 %"}),
        ({"w_q": "zeros"}, 2, "equally", {"count": 6, "weight": "17 %"}),
        ({"text": "the cat", "w_q": "zeros"}, 0, "equally_both", {"weight": "50 %"}),
        ({"text": "cat"}, 0, "alone", {"weight": "100 %"}),
        ({"w_q": "zeros", "causal": True}, 5, "last", {"weight": "17 %"}),
        ({"w_q": "zeros", "causal": True}, 0, "first", {"names": "“fluffy”", "weight": "50 %"}),
        ({"w_q": "zeros", "causal": True}, 3, "most", {"names": "itself", "weight": "25 %"}),
        ({"edits": (("x", 0, 0, 3e38), ("w_q", 0, 0, 3e38))}, 1, "undefined", {}),
    ],
)  # fmt: skip
def test_what_is_out_of_the_ordinary_is_said(
    script: PageScript, setup: dict[str, Any], key: int, kind: str, places: dict[str, object]
) -> None:
    scenario = Scenario(**({"text": CAT} | setup))
    said, _ = read_by(script, scenario, key)
    assert said == say(f"board.read_by.{kind}", token=scenario.tokens[key], **places)
