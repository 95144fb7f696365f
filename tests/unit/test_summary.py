"""Sentences about a trace say what its numbers say."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import AttentionTrace, Scenario, UndefinedAttentionError, attend, trace
from attnviz.numbers import written
from attnviz.scenario import traced
from attnviz.stages import EVERY_STAGE, PICTURED, STAGES, VECTORS, formula_of
from attnviz.summary import attends_most, described, out_of_the_ordinary, vectors_in_words
from attnviz.tokens import token_labels
from tests.unit.helpers import random_inputs, setups

COMPUTED = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


def overflown(**arguments: object) -> AttentionTrace:
    with pytest.raises(UndefinedAttentionError) as caught:
        trace(Scenario(**arguments))
    return caught.value.trace


@given(setups(), st.integers(0, 20), st.integers(1, 6))
def test_the_sentence_names_a_token_with_the_largest_weight(setup: Scenario, query: int, digits: int) -> None:
    made = trace(setup)
    query = min(query, len(made.tokens) - 1)
    row, labels = made.attention_weights[query], token_labels(made.tokens)
    said = attends_most(made, query, digits)
    assert written(row.max().item(), digits) in said
    assert said.startswith(f"'{labels[query]}' attends ")
    if "equally" in said:
        assert row.max() - row.min() < 1e-5
    elif row.argmax() == query:
        assert "itself" in said
    else:
        largest = row.max() - row < 1e-5
        assert any(f"'{labels[j]}'" in said or j == query for j in largest.nonzero()[:, 0].tolist())


def test_equal_weights_are_said_to_be_equal() -> None:
    made = trace(Scenario(w_q="zeros", text="a b c d"))
    assert attends_most(made, 0, 2) == "'a' attends to all 4 tokens equally: attention weight 0.25 each."


def test_ties_are_all_named() -> None:
    made = trace(Scenario(w_q="zeros", text="a b c d", causal=True))
    assert attends_most(made, 1, 2) == "'b' attends most to 'a' and itself: attention weight 0.50 each."


def test_a_single_token_attends_to_itself() -> None:
    assert attends_most(trace(Scenario(text="a")), 0, 2) == "'a' attends most to itself: attention weight 1.00."


def test_a_repeated_word_is_told_apart() -> None:
    made = trace(
        Scenario(text="the the", x=[[1, 0, 0], [0, 1, 0]], w_q=[[0, 9], [0, 0], [0, 0]], w_k=[[0, 0], [0, 9], [0, 0]])
    )
    assert attends_most(made, 0, 2).startswith("'the (1)' attends most to 'the (2)'")


def test_an_undefined_row_has_no_largest_weight() -> None:
    made = overflown(text="a b", edits=[("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)])
    assert "has no attention weights" in attends_most(made, 0, 4)


def test_rows_without_tokens_are_numbered() -> None:
    assert attends_most(attend(**random_inputs(3, 2, 2, 2)), 1, 2).startswith("'token 1' attends most to ")


@given(setups(), st.integers(1, 6))
def test_a_description_has_the_shape_and_the_spread(setup: Scenario, digits: int) -> None:
    made = trace(setup)
    for name in (stage for stage in STAGES if getattr(made, stage) is not None):
        matrix = torch.atleast_2d(getattr(made, name))
        said = described(made, name, 0, digits)
        finite = matrix[matrix.isfinite()]
        assert f"{STAGES[name].title}, {matrix.shape[0]} by {matrix.shape[1]}: " in said
        low, high = (written(value.item(), digits) for value in (finite.min(), finite.max()))
        assert f"Values from {low} to {high}." in said
        undefined = matrix.numel() - finite.numel()
        assert (f"{undefined} cells are masked or not finite" in said) == (undefined > 0)


def test_a_description_of_weights_says_what_the_query_attends_to() -> None:
    made = trace(Scenario())
    assert attends_most(made, 2, 3) in described(made, "attention_weights", 2, 3)


# What is out of the ordinary


@given(setups())
def test_only_masked_cells_are_worth_a_word_in_an_ordinary_trace(setup: Scenario) -> None:
    made = trace(setup)
    masked = int((made.scaled_scores == -torch.inf).sum())
    notes = out_of_the_ordinary(made)
    assert len(notes) == (masked > 0)
    if masked:
        assert f"({masked} of {made.scaled_scores.numel()} scaled scores)" in notes[0]


OVERFLOWS = [
    (("q",), {"edits": [("x", 0, 0, 1e38), ("w_q", 0, 0, 1e10)], "x": [[1, 0, 0], [0, 1, 0]]}),
    (("v",), {"edits": [("x", 0, 0, 1e38), ("w_v", 0, 0, 1e10)], "w_q": "zeros", "w_k": "zeros"}),
    (("scores",), {"edits": [("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)]}),
    (("scaled_scores",), {"edits": [("w_q", 0, 0, 1e19), ("w_k", 0, 0, 1e19)], "temperature": 0.01, "scale": False,
                          "x": [[1, 0, 0], [1, 0, 0]]}),
]  # fmt: skip


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("first", "arguments"), OVERFLOWS, ids=lambda value: str(value)[:20])
def test_an_overflow_is_told_where_it_arises(first: tuple[str], arguments: dict, causal: bool) -> None:
    made = traced(Scenario(text="a b", causal=causal, **arguments))
    later = torch.ones(2, 2, dtype=torch.bool).triu(1) if causal else torch.zeros(2, 2, dtype=torch.bool)
    bad = {name: ~getattr(made, name).isfinite() for name in COMPUTED}
    bad["scaled_scores"] &= ~later
    assert next(name for name in COMPUTED if bad[name].any()) == first[0]  # the case is what it says
    told = [note for note in out_of_the_ordinary(made) if "overflow first" in note]
    assert len(told) == 1
    assert told[0].startswith(STAGES[first[0]].title)
    assert f"{int(bad[first[0]].sum())} of {bad[first[0]].numel()} cells" in told[0]


def test_undefined_rows_are_counted() -> None:
    made = overflown(text="a b c", edits=[("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)])
    undefined = int(made.attention_weights.isnan().any(-1).sum())
    assert undefined > 0
    assert any(
        f"{undefined} of 3 rows of attention weights are undefined" in note for note in out_of_the_ordinary(made)
    )


# Where the vectors come from, and formulas


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"embedding": "published"}, "All 6 tokens have their published vectors."),
        ({"embedding": "published", "text": "one"}, "The token has its published vector."),
        ({"embedding": "published", "text": "one small step"}, "2 of 3 tokens have published vectors"),
        ({"embedding": "published", "d_in": 4}, "drawn from its text, d_in and seed 123"),
        ({"embedding": "stable", "seed": 9}, "drawn from its text, d_in and seed 9"),
        ({"embedding": "table"}, "rows of nn.Embedding"),
        ({"x": "identity"}, "X is identity."),
        ({"x": [[1, 2, 3]] * 6}, "X is given."),
    ],
)
def test_it_is_said_where_the_vectors_come_from(arguments: dict, said: str) -> None:
    assert said in vectors_in_words(Scenario(**arguments))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
@pytest.mark.parametrize("causal", [False, True])
def test_a_formula_has_what_is_switched_on_and_no_more(
    bias: bool, scale: bool, temperature: float, causal: bool
) -> None:
    formulas = {
        name: formula_of(stage, bias=bias, scale=scale, temperature=temperature, causal=causal)
        for name, stage in STAGES.items()
    }
    assert [name for name in "qkv" if re.search(rf"\+ b_{name}$", formulas[name])] == (list("qkv") if bias else [])
    assert ("√d_k" in formulas["scaled_scores"]) == scale
    assert ("2.5" in formulas["scaled_scores"]) == (temperature != 1)
    assert ("/" in formulas["scaled_scores"]) == (scale or temperature != 1)
    assert ("masked" in formulas["scaled_scores"]) == causal


_KINDS = {"token": "tokens", "query": "queries", "key": "keys", "feature": "features"}


@pytest.mark.parametrize("name", EVERY_STAGE)
def test_every_stage_says_what_it_is_and_what_its_rows_and_columns_are(name: str) -> None:
    stage = EVERY_STAGE[name]
    assert re.fullmatch(r"[A-Z][^.]*\.", stage.plain), "one sentence"
    assert not stage.meaning.endswith("."), "a part of a sentence"
    rows, columns = stage.axes.split(", ")
    assert rows == "one row" if name in VECTORS else rows.startswith("rows: ")
    assert columns.startswith("columns: ")
    if name not in VECTORS:
        assert _KINDS[stage.rows] in rows
    assert _KINDS[stage.columns] in columns


def test_every_picture_is_a_stage() -> None:
    assert set(PICTURED) <= set(STAGES)
