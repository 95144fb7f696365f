"""The four parts of a score with added positions: together they are the score, and its explanation says them."""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, explain, trace
from attnviz.explanation.head_figures import score_parts
from attnviz.words import say
from tests.examples import examples
from tests.unit.teach.seen.sentences import number

BEGIN = say("explanation.product.parts", ww="|", wp="", pw="", pp="").partition("|")[0]


@given(st.sampled_from(("sinusoidal", "learned")), st.integers(0, 30), st.integers(1, 5), st.booleans(), st.booleans())
@settings(max_examples=examples(30), deadline=None)
def test_the_parts_are_the_score_and_its_explanation_says_them(
    positions: str, seed: int, d_out: int, heads: bool, factor: bool
) -> None:
    scenario = Scenario("a b c", positions=positions, seed=seed, d_in=4, d_out=2 * d_out, init="normal",
                        n_heads=1 + heads, embedding_factor=factor)  # fmt: skip
    made = trace(scenario)
    seen = made.seen_from(heads * 1)
    parts = score_parts(seen)
    torch.testing.assert_close(sum(parts).float(), seen.scores, rtol=1e-4, atol=1e-4)  # type: ignore[union-attr]
    for row, column in ((0, 2), (1, 1)):
        (note,) = (each for each in explain(seen, "scores", row, column, digits=6).notes if each.startswith(BEGIN))
        said = [number(each) for each in re.findall(r"−?\d+\.\d+(?:e[+−-]?\d+)?", note)]
        assert said == pytest.approx([float(part[row, column]) for part in parts], abs=1e-5, rel=1e-5)
