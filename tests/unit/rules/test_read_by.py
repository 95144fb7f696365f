"""Who reads a token: the page's sentence about a column of the attention weights, with torch as the referee."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.words import say
from attnviz.words.numbers import written
from tests.node import PageScript
from tests.unit.helpers import setups

_READ_BY = """({ reads: { readBy }, made: madeOf }, [data, key]) => readBy(madeOf(data), key)"""
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
    assert said.removesuffix(" each").endswith(in_percent(largest))
    close = {row for row in choosing if column[row].item() > largest - 0.005}
    if len(close) == 1 and count > 1 and not (scenario.causal and len(choosing) == 1):
        (row,) = close
        name = board_data(scenario, trace, 0, 4)["names"][row]
        assert (say("summary.itself") if row == key else say("board.named", token=name)) in said
        assert even == say("board.even", even=in_percent(1 / (row + 1 if scenario.causal else count)))


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
