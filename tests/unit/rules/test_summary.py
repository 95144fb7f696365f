"""Sentences about a trace say what its numbers say."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import AttentionTrace, Scenario, trace
from attnviz.core.scenario import traced
from attnviz.core.stages import STAGES
from attnviz.core.tokens import token_labels
from attnviz.explanation.numbers_from import projections_in_words, vectors_in_words
from attnviz.explanation.summary import attends_most, out_of_the_ordinary
from attnviz.words import plural
from attnviz.words.numbers import written
from tests.examples import examples
from tests.unit.helpers import edits_of, setups

W = ("w_q", "w_k", "w_v")
COMPUTED = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


SETUPS = setups(whole=True) | st.builds(  # weights that are even, or nearly
    lambda setup, temperature, w: replace(setup, temperature=temperature, w_q=w),
    setups(whole=True), st.sampled_from((1.0, 100.0)), st.sampled_from((None, "zeros", "identity")),
)  # fmt: skip


def read_by(made: AttentionTrace, query: int) -> list[float]:
    """The attention weights that a query gives to the tokens it may read."""
    return made.attention_weights[query, : query + 1 if made.causal else None].tolist()


@given(SETUPS, st.integers(0, 20), st.integers(1, 6))
@settings(max_examples=examples(300))
def test_the_finding_is_true_of_the_numbers_and_as_they_are_shown(setup: Scenario, query: int, digits: int) -> None:
    made = trace(setup)
    query = min(query, len(made.tokens) - 1)
    weights, labels = read_by(made, query), token_labels(made.tokens, 40)
    shown = [written(weight, digits) for weight in weights]
    said = attends_most(made, query, digits)
    assert said.startswith(f"“{labels[query]}” ")
    said = said.removeprefix(f"“{labels[query]}” ")
    best, even = written(max(weights), digits), written(1 / len(weights), digits)
    assert f"attention weight {best}" in said
    assert ("equally" in said) == (len(weights) > 1 and set(shown) == {best} and max(weights) - min(weights) < 1e-6)
    assert ("nothing but itself" in said) == (len(weights) == 1), "a token alone reads nothing *most*"
    if "equally" in said or len(weights) == 1:
        assert "most" not in said
        assert ("before it" in said) == (made.causal and 1 < len(weights) < len(labels))
        return
    named, _, told = said.removeprefix("reads ").partition(" most")
    alike = [key for key, text in enumerate(shown) if text == best]  # of which none is told as read more
    ties = alike if len(alike) < len(shown) else [key for key in alike if max(weights) - weights[key] < 1e-6]
    names = ["itself" if key == query else f"“{labels[key]}”" for key in ties]
    assert named in (", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0],
                     f"{', '.join(names[:3])} and {len(names) - 3} more")  # fmt: skip
    assert ("each" in told) == (len(ties) > 1)
    assert ("hardly more than an even share" in told) == (best == even)
    assert best == even or f"an even share would be {even}" in told


# What the W's are


@given(setups(whole=True), st.data())
def test_what_is_said_of_the_projections_is_true_of_each(setup: Scenario, data: st.DataObject) -> None:
    fills: dict[str, Any] = {
        name: data.draw(st.sampled_from((None, None, "random:3", "identity", "zeros"))) for name in W
    }
    scenario = replace(setup, **fills)
    scenario = replace(scenario, edits=data.draw(edits_of(scenario)))
    said = projections_in_words(scenario)
    edited = {name: sum(edit.matrix == name for edit in scenario.edits) for name in W}
    typed_whole = {name: edited[name] == math.prod(scenario.shape_of(name)) for name in W}
    random = [name for name in W if fills[name] in (None, "random:3") and not typed_whole[name]]
    for sentence in re.findall(r"[^.]+\.", said):
        named = [name for name in W if f"W_{name[-1]}" in sentence]
        assert named == (random if "random" in sentence else [name for name in W if name not in random])
    assert ("means nothing yet" in said) == bool({"w_q", "w_k"} & set(random))
    changed = sum(edited[name] for name in random)
    assert ("changed by hand" in said) == (changed > 0)
    assert not changed or f"Apart from {plural(changed, 'number')} changed" in said


# What is out of the ordinary


@given(setups(whole=True))
def test_only_masked_cells_are_worth_a_word_in_an_ordinary_trace(setup: Scenario) -> None:
    made = trace(setup)
    masked = int((made.scaled_scores == -torch.inf).sum())
    notes = out_of_the_ordinary(made)
    assert len(notes) == (masked > 0)
    if masked:
        assert notes[0].startswith(f"{masked:,} of {made.scaled_scores.numel():,} scaled scores ")


OVERFLOWS = [
    (("q",), {"edits": [("x", 0, 0, 1e38), ("w_q", 0, 0, 1e10)], "x": [[1, 0, 0], [0, 1, 0]]}),
    (("v",), {"edits": [("x", 0, 0, 1e38), ("w_v", 0, 0, 1e10)], "w_q": "zeros", "w_k": "zeros"}),
    (("scores",), {"edits": [("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)]}),
    (("scaled_scores",), {"edits": [("w_q", 0, 0, 1e19), ("w_k", 0, 0, 1e19)], "temperature": 0.01, "scale": False,
                          "x": [[1, 0, 0], [1, 0, 0]]}),
]  # fmt: skip


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("first", "arguments"), OVERFLOWS, ids=lambda value: str(value)[:20])
def test_an_overflow_is_told_where_it_arises(first: tuple[str], arguments: dict[str, Any], causal: bool) -> None:
    made = traced(Scenario(text="a b", causal=causal, **arguments))
    later = torch.ones(2, 2, dtype=torch.bool).triu(1) if causal else torch.zeros(2, 2, dtype=torch.bool)
    bad = {name: ~getattr(made, name).isfinite() for name in COMPUTED}
    bad["scaled_scores"] &= ~later
    assert next(name for name in COMPUTED if bad[name].any()) == first[0]  # the case is what it says
    told = [note for note in out_of_the_ordinary(made) if "overflow first" in note]
    assert len(told) == 1
    assert f"overflow first in {STAGES[first[0]].title}: " in told[0]
    assert f"{int(bad[first[0]].sum())} of {bad[first[0]].numel()} cells" in told[0]


# Where the vectors come from, and formulas


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"embedding": "published"}, "All 6 tokens have their published vectors."),
        ({"embedding": "published", "text": "one"}, "The token has its published vector."),
        ({"embedding": "published", "text": "one small step"}, "2 of 3 tokens have published vectors"),
        ({"embedding": "published", "text": "one small leap"}, "1 of 3 tokens has a published vector"),
        ({"embedding": "published", "d_in": 4}, "drawn from its text, d_in and seed 123"),
        ({"embedding": "stable", "seed": 9}, "drawn from its text, d_in and seed 9"),
        ({"embedding": "table"}, "rows of nn.Embedding"),
        ({"x": "identity"}, "X is the identity matrix."),
        ({"x": "example:fluffy-cat", "text": "a dog"}, "“the fluffy cat chased a mouse”. No vector was made for “dog”"),
        ({"x": "example:fluffy-cat", "text": "two dogs"}, "The vector of each token is drawn from its text"),
        ({"x": "random:7"}, "X is random, from seed 7."),
        ({"x": [[1, 2, 3]] * 6}, "The numbers of X are given."),
        ({"positions": "alibi"}, "a number is added that falls with the distance of the two tokens"),
        ({"positions": "relative", "text": "a", "by_distance": [[2.0]]}, "these numbers are given."),
    ],
)
def test_it_is_said_where_the_vectors_come_from(arguments: dict[str, Any], said: str) -> None:
    assert said in vectors_in_words(Scenario(**arguments))
