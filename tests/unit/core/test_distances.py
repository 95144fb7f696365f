"""What tells places by distance: ALiBi's slopes are those of the paper, T5's a number for each, turned pairs too."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.carried import bring_back, carry_over
from attnviz.core.changes import changes_of
from attnviz.core.rules import Rotate
from attnviz.explanation.numbers_from import vectors_in_words
from attnviz.words import say
from tests.unit.helpers import edits_of

WORDS = ("the", "cat", "sat", "on", "a", "mat", "again")


@st.composite
def biased(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """A scenario with numbers by distance, in any company."""
    n, n_heads = draw(st.integers(1, 7)), draw(st.sampled_from([1, 1, 2, 3, 4]))
    width = n_heads * draw(st.integers(1, 3))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS[:n]), "positions": draw(st.sampled_from(["alibi", "relative"])), "d_in": width,
        "d_out": width, "n_heads": n_heads, "n_kv_heads": draw(st.sampled_from([None, 1])), "init": "linear",
        "mask": draw(st.sampled_from(["none", "causal", "window:2"])), "scale": draw(st.booleans()),
        "mask_use": draw(st.sampled_from(["added", "added", "renormalized"])), "embedding": "stable",
        "n_layers": draw(st.sampled_from([1, 1, 2])), "norm": draw(st.sampled_from(["none", "pre"])),
        "temperature": draw(st.sampled_from([1.0, 0.5])), "seed": draw(st.integers(0, 50)),
        "output": draw(st.booleans()),
    }  # fmt: skip
    return Scenario(**(chosen | fixed))


def slopes_of_the_paper(n: int) -> list[float]:
    """The slopes as the code of the paper makes them: get_slopes of Press et al., attention_with_linear_biases."""

    def of_power(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return of_power(n)
    closest = 2 ** math.floor(math.log2(n))
    return of_power(closest) + slopes_of_the_paper(2 * closest)[0::2][: n - closest]


@pytest.mark.parametrize("n", range(1, 17))
def test_alibis_slopes_are_those_of_the_papers_code(n: int) -> None:
    made = trace(Scenario("a b", d_in=n, d_out=n, n_heads=n, positions="alibi"))
    assert made.by_distance is not None
    wanted = torch.tensor(slopes_of_the_paper(n), dtype=torch.float64)
    torch.testing.assert_close(-made.by_distance[:, 0].double(), wanted)


@given(biased(n_layers=1, mask="none"), st.data(), st.integers(1, 7))
def test_an_edit_stays_with_its_distance(scenario: Scenario, data: st.DataObject, n: int) -> None:
    edited = data.draw(edits_of(scenario))
    of_distances = [edit for edit in edited if edit.matrix == "by_distance"]
    text = " ".join(WORDS[:n])
    old = replace(scenario, edits=of_distances)
    plain = replace(scenario, text=text)
    kept, dropped = carry_over(changes_of(old), old, plain)
    assert len(kept.edits) + len(dropped.edits) == len(of_distances)
    new, left = bring_back(plain, kept)
    assert not left
    more = n - len(scenario.tokens)
    for edit in old.edits:
        at = edit.column + more
        assert (0 <= at < 2 * n - 1) == (edit not in dropped.edits)
        if 0 <= at < 2 * n - 1:
            assert new.matrix("by_distance")[edit.row, at] == old.matrix("by_distance")[edit.row, edit.column]


def test_the_summary_says_what_tells_places() -> None:
    assert say("summary.positions.alibi") in vectors_in_words(Scenario(positions="alibi"))
    by_hand = Scenario("a", positions="relative", by_distance=[[2.0]])
    assert say("summary.positions.distances") in vectors_in_words(by_hand)


@given(st.integers(1, 40), st.integers(0, 30), st.integers(1, 4), st.integers(0, 1000))
def test_what_rotary_positions_tell_apart_is_how_far_two_tokens_are(m: int, apart: int, pairs: int, seed: int) -> None:
    """A score of turned vectors depends on the distance of their places alone: Su et al. 2021, equation 16."""
    q, k = torch.randn(2, 2 * pairs, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    rows = Rotate().compute(q.expand(m + apart + 1, -1)), Rotate().compute(k.expand(m + apart + 1, -1))
    score, first = rows[0][m + apart] @ rows[1][m], rows[0][apart] @ rows[1][0]
    torch.testing.assert_close(score, first)
    torch.testing.assert_close(rows[0].norm(dim=-1), q.norm().expand(m + apart + 1))
