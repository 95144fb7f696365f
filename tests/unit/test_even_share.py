"""An even share is one of as many cells as are shared among: of a row, a column, or the whole matrix."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from attnviz import Scenario, UndefinedAttentionError, explain, trace
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.explanation.head_figures import head_figures, heads_in_words
from attnviz.explanation.masking import undefined_by_mask
from attnviz.explanation.summary import attends_most, out_of_the_ordinary
from attnviz.figures import heatmap_spec
from attnviz.teach.challenges import CHALLENGES
from attnviz.words import say
from tests.node import PageScript

AXES = ("rows", "columns", "whole")
# All scores are 0 here, so that what is shared out is shared evenly, and torch's own weights are the referee.
EVEN = Scenario("the cat sat on a mat", w_q="zeros")
MASKS = ("none", "causal", "padding:2", "window:2", "not-self")
_SHARES = """({ made, reads_most: { evenShare, evenShareOfRow } }, [data, n]) => {
  const of = made(data);
  const all = Array.from({ length: n }, (_, at) => at);
  return [all.map((row) => all.map((column) => evenShare(of, row, column))), all.map((row) => evenShareOfRow(of, row))];
}"""
_READS = "({ made, reads_most: { readsInPercent } }, [data, query]) => readsInPercent(made(data), query)"
_READ_BY = "({ made, read_by: { readBy } }, [data, key]) => readBy(made(data), key)"


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
@pytest.mark.parametrize("query", [None, 2])
def test_a_heatmap_has_its_tick_at_what_each_gets_of_equal_scores(axis: str, mask: str, query: int | None) -> None:
    made = traced(over(axis, masked(mask)))
    weights = made.attention_weights.numpy()
    rows = slice(None) if query is None else slice(query, query + 1)
    cells = weights[rows][~made.is_hidden[rows]]
    counts = {round(1 / float(each)) for each in cells}
    layout = heatmap_spec(made, "attention_weights", query=query)["layout"]
    said = [each["text"] for each in layout.get("annotations", []) if "even" in each["text"]]
    assert said == ([say("figures.even_share", n=counts.pop())] if len(counts) == 1 else [])


def test_a_mask_that_takes_from_shares_leaves_no_even_one(script: PageScript) -> None:
    made = trace(replace(EVEN, causal=True, mask_use="zeroed"))
    assert "even" not in str(heatmap_spec(made, "attention_weights", query=2)["layout"].get("annotations"))
    shares, of_rows = script.run(_SHARES, [board_data(EVEN, made, 0, 4), 6])
    assert {each for row in shares for each in row} == {None} == set(of_rows)


@pytest.mark.parametrize("axis", ["columns", "whole"])
def test_where_rows_do_not_sum_to_1_nothing_is_measured_by_an_even_share_of_them(script: PageScript, axis: str) -> None:
    for scenario in (over(axis, EVEN), over(axis, replace(EVEN, w_q=None, causal=True))):
        made = trace(scenario)
        data = board_data(scenario, made, 0, 4)
        for query in range(len(scenario.tokens)):
            said, even = script.run(_READS, [data, query])
            assert even == ""
            assert "even share" not in said + attends_most(made, query, 4)


def test_who_reads_a_token_is_measured_by_the_share_of_its_column(script: PageScript) -> None:
    scenario = replace(EVEN, mask="causal", what_if="softmax:columns")
    _, even = script.run(_READ_BY, [board_data(scenario, trace(scenario), 0, 4), 3])
    assert even == say("board.even", even="33 %")  # three tokens may read the fourth of six
    whole = replace(EVEN, what_if="softmax:whole")
    _, even = script.run(_READ_BY, [board_data(whole, trace(whole), 0, 4), 3])
    assert even == say("board.even", even="3 %")


def test_the_challenge_of_even_shares_is_done_by_what_the_softmax_makes_of_equal_scores() -> None:
    for axis in AXES:
        made = trace(over(axis, EVEN))
        done, stands = CHALLENGES[1].check(made, 4)
        assert done
        assert f"1/{36 if axis == 'whole' else 6}" in stands
        assert not CHALLENGES[1].check(trace(over(axis, Scenario("the cat sat", init="normal"))), 4)[0]


def test_what_does_not_sum_to_1_has_no_entropy() -> None:
    two = Scenario("the cat sat", d_out=4, n_heads=2)
    assert all("Entropy" in each["full"] for each in heads_in_words(trace(two).seen_from(0)))
    for other in (replace(two, what_if="softmax:whole"), replace(two, causal=True, mask_use="zeroed")):
        assert not any("Entropy" in each["full"] for each in heads_in_words(trace(other).seen_from(0)))
    found = head_figures(trace(Scenario("a b", what_if="softmax:columns")))
    assert found is not None
    assert found.most is None


# What no token may read


def padded(n: int = 1, **settings: object) -> Scenario:
    return Scenario("the cat sat on", masking="padding", mask_size=n, what_if="softmax:columns", **settings)  # type: ignore[arg-type]


def notes_of(scenario: Scenario) -> str:
    return " ".join(out_of_the_ordinary(traced(scenario)))


@pytest.mark.parametrize("settings", [{}, {"n_heads": 2, "d_out": 4}, {"n_layers": 2, "d_out": 3}])
def test_a_column_that_no_token_may_read_is_said_to_be_that(settings: dict[str, int]) -> None:
    made = traced(padded(**settings))
    assert made.layers[0].attention_weights[..., :, 3].isnan().all()
    said = notes_of(padded(**settings))
    assert say("summary.unread.columns", n=1, names=say("summary.named", token="on")) in said
    assert "overflow" not in said
    assert "Smaller numbers" not in said
    assert undefined_by_mask(made)
    with pytest.raises(UndefinedAttentionError, match=r"no finite value in column 3 \('on'\)"):
        trace(padded(**settings))


def test_the_columns_that_are_shared_out_are_told_as_they_are(script: PageScript) -> None:
    scenario = padded(2)
    made = traced(scenario)
    data = board_data(scenario, made, 0, 4)
    for query, row in enumerate(made.attention_weights):
        said = attends_most(made, query, 4)
        assert "has no attention weights" not in said
        assert f"{row[:2].max().item():.4f}" in said
        assert "has no attention weights" not in script.run(_READS, [data, query])[0]
    assert script.run(_READ_BY, [data, 3])[0] == say("board.read_by.hidden", token="on")
    told = explain(made, "attention_weights", 0, 3)
    assert say("explanation.trouble.no_score", line=say("explanation.softmax.line.columns")) in " ".join(told.notes)


def test_an_overflow_beside_such_a_column_is_told_too() -> None:
    broken = replace(padded(), edits=(("x", 0, 0, 3e38), ("w_q", 0, 0, 3e38)))
    assert "overflow" in notes_of(broken)


def test_a_row_that_may_read_nothing_is_0_where_columns_are_shared_out() -> None:
    hidden = [[-np.inf] * 3, [0] * 3, [0] * 3]
    for axis in ("columns", "whole"):
        for cell in (-np.inf, -1e9):
            mask = [[cell] * 3, *hidden[1:]]
            scenario = Scenario("a b c", mask=mask, what_if=f"softmax:{axis}")
            assert (trace(scenario).attention_weights[0] == 0).all()
            assert say("summary.nothing.zeroed", names=say("summary.named", token="a")) in notes_of(scenario)
    nothing = Scenario("a b c", masking="padding", mask_size=3, what_if="softmax:whole")
    assert traced(nothing).attention_weights.isnan().all()
    assert say("summary.unread.whole") in notes_of(nothing)
    assert "overflow" not in notes_of(nothing)


def test_in_later_layers_nothing_is_said_to_overflow_that_a_mask_took() -> None:
    made = traced(Scenario("a b c", d_out=3, n_layers=2, mask=[[-np.inf] * 3, [0] * 3, [0] * 3]))
    assert torch.isnan(made.layers[1].attention_weights).any()
    assert "overflow" not in " ".join(out_of_the_ordinary(made))


def texts() -> Iterator[str]:
    for mask in MASKS:
        for axis in AXES:
            yield notes_of(over(axis, masked(mask)))


def test_of_ordinary_masks_nothing_is_said_to_be_undefined() -> None:
    undefined = [said for said in texts() if re.search("undefined", said)]
    assert len(undefined) == 1  # the columns of padding
