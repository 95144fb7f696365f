"""Masks: every kind equals its referee, hides what it says, and follows into each place from its numbers alone."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario, UndefinedAttentionError, explain, trace
from attnviz.core.carry_over import carry_over
from attnviz.core.changes import Changes, changes_of
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from attnviz.explanation.summary import attends_most, out_of_the_ordinary
from attnviz.link.set_up import query_of
from attnviz.words import say

WORDS = ("the", "cat", "sat", "on", "a", "mat", "again")
HIDDEN = -math.inf


@given(st.integers(1, 7), st.integers(1, 9))
def test_each_kind_hides_what_it_says(n: int, size: int) -> None:
    text = " ".join(WORDS[:n])
    places = np.subtract.outer(np.arange(n), np.arange(n))  # how far a key comes before its query
    expected = {
        "causal": places < 0,
        f"window:{size}": (places < 0) | (places >= size),
        f"padding:{size}": np.broadcast_to(np.arange(n) >= n - size, (n, n)),
        "not-self": places == 0,
        "painted": np.zeros((n, n), dtype=bool),
    }
    for mask, hidden in expected.items():
        made = traced(Scenario(text, mask=mask))
        assert (made.is_hidden == hidden).all()
        assert (made.matrices["mask"][~torch.from_numpy(hidden.copy())] == 0).all()
        for name in ("mask", "scaled_scores", "attention_weights"):
            np.testing.assert_array_equal(made.masked_in(name), hidden)
        for row, column in np.ndindex(n, n):
            assert explain(made, "attention_weights", row, column).masked == hidden[row, column]


def test_the_causal_mask_is_the_switch_and_the_name() -> None:
    assert Scenario(mask="causal") == Scenario(causal=True)
    assert Scenario(mask="none") == Scenario()
    assert Scenario(mask="window:3") == Scenario(masking="window", mask_size=3)
    assert query_of(Scenario(embedding="published", mask="causal")) == "causal=true"
    assert replace(Scenario(mask="causal"), causal=False) == Scenario()
    assert replace(Scenario(mask="window:3"), mask="not-self").mask_kind.name == "not-self"
    opened = Scenario("a b c", mask="causal", edits=[("mask", 0, 1, 0.0)])  # by painting it
    assert not trace(opened).causal
    assert trace(opened).attention_weights[0, 1] > 0


def test_what_was_painted_stays_with_its_kind_and_its_places() -> None:
    painted = Changes((Edit("mask", 0, 1, HIDDEN), Edit("mask", 2, 2, -1.0)))
    old = Scenario("a b c", mask="window:2")
    assert carry_over(painted, old, Scenario("d e f", mask="window:2", seed=7)) == (painted, Changes())
    kept, dropped = carry_over(painted, old, Scenario("a b", mask="window:2"))
    assert [each.edits for each in (kept, dropped)] == [painted.edits[:1], painted.edits[1:]]
    for other in ("window:1", "causal", "not-self"):
        assert carry_over(painted, old, Scenario("a b c", mask=other)) == (Changes(), painted)
    given = Scenario("a b", mask=[[0, HIDDEN], [0, 0]])
    assert carry_over(changes_of(given), Scenario("a b"), Scenario("a b c"))[1] == changes_of(given)


@pytest.mark.parametrize(
    ("mask", "cell", "said"),
    [
        ("causal", (1, 2), "key 2 “c” comes after query 1 “b”, and no token may read a later one"),
        ("window:2", (3, 1), "key 1 “b” comes too early for query 3 “d”: each token reads only the last 2"),
        ("window:2", (0, 1), "no token may read a later one"),
        ("padding:2", (0, 3), "no token may read key 3 “d”"),
        ("not-self", (1, 1), "no token may read itself"),
        ([[0, 0, HIDDEN, 0], *[[0] * 4] * 3], (0, 2), "query 0 “a” may not read key 2 “c”"),
    ],
)
def test_it_is_said_why_a_cell_is_masked(mask: Any, cell: tuple[int, int], said: str) -> None:
    explanation = explain(trace(Scenario("a b c d", mask=mask)), "scaled_scores", *cell)
    assert said in explanation.words
    assert explanation.masked
    assert explanation.value == explanation.exact == HIDDEN
    assert explanation.steps[-1].startswith("→ −∞")


# What learners do with a mask in place of adding it


@pytest.mark.parametrize("use", ["added", "factor", "zeroed", "renormalized"])
def test_a_row_that_may_read_nothing_says_so_in_each_use(use: str) -> None:
    scenario = Scenario("a b c", mask=[[HIDDEN] * 3, [0] * 3, [0] * 3], mask_use=use)
    made = traced(scenario)
    notes = out_of_the_ordinary(made)
    assert say(f"summary.nothing.{use}", names=say("summary.named", token="a")) in notes
    assert not any("Smaller numbers" in note for note in notes)
    row = made.attention_weights[0]
    if use in ("added", "renormalized"):
        assert row.isnan().all()
        for n_heads in (1, 2):
            with pytest.raises(UndefinedAttentionError, match=r"row 0 \('a'\)") as undefined:
                trace(replace(scenario, n_heads=n_heads))
            assert undefined.value.rows == (0,)
        assert attends_most(made, 0, 4) == say("summary.reads.nothing", token="a")
    elif use == "zeroed":
        assert (row == 0).all()
        assert attends_most(made, 0, 4) == say("summary.reads.nothing", token="a")
    else:
        torch.testing.assert_close(row, torch.full((3,), 1 / 3))
