"""The published examples are all there: each is what its source states, and its cells come out as they were printed."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz.core.carry_over import carry_over
from attnviz.core.changes import changes_of, with_changes
from attnviz.core.seeding.vectors import stated_matrix
from attnviz.explanation import explain
from attnviz.explanation.numbers_from import numbers_in_words, vectors_in_words
from attnviz.features.check.marking import ENTERS
from attnviz.features.check.page.examples import marking_of
from attnviz.link.changes_text import decode_changes, encode_changes
from attnviz.published import WorkedExample, published_variances, starting_points, worked_example, worked_examples
from tests.unit.rules.test_surfaces import SURFACES

EXAMPLES = tuple(worked_examples().values())
WHOLE = tuple(example for example in EXAMPLES if not example.from_scores)


@pytest.mark.parametrize("example", WHOLE, ids=lambda example: example.id)
def test_a_scenario_has_the_matrices_that_the_source_states(example: WorkedExample) -> None:
    scenario = example.scenario
    for name, rows in example.inputs.items():
        assert torch.equal(scenario.matrix(name), torch.tensor(rows)), name
    assert scenario.tokens == tuple(token.replace(" ", "-") for token in example.tokens)
    assert scenario.scale is example.scale


def test_notes_are_true_to_what_the_page_marks_and_are_written_for_readers() -> None:
    for example in EXAMPLES:
        assert not re.search(r"must|sqrt|cells", example.note), example.note
    love_ai = worked_example("love-ai")
    made = attnviz.trace(love_ai.scenario).context[0, 1].item()
    printed, exact, counts_as, right = re.findall(r"\d\.\d{3}", love_ai.note)
    assert float(printed) == love_ai.published["context"][0][1]
    assert exact == f"{made:.3f} "[:5]
    wrong = [table for table in marking_of(love_ai).tables if table.count(*ENTERS)]
    assert [(table.stage.name, table.count(*ENTERS)) for table in wrong] == [("feed_forward", 1)], "as the note says"
    (row, column) = np.argwhere(wrong[0].at(*ENTERS))[0]
    assert (float(counts_as), right) == (wrong[0].given[row, column], f"{wrong[0].exact[row, column]:.3f}")
    assert all(example.note for example in EXAMPLES)


def test_the_variances_are_as_near_to_d_as_chance_allows() -> None:
    for row in published_variances():
        assert abs(row.raw / row.d - 1) < 3 * row.standard_error
        assert row.scaled == pytest.approx(row.raw / row.d)
    # The law behind the standard error, by simulation from a seed of its own.
    generator = torch.Generator().manual_seed(7)
    q, k = (torch.randn(400, 1000, 5, generator=generator) for _ in range(2))
    spread = ((q * k).sum(-1).var(-1) / 5).std().item()
    assert spread == pytest.approx(published_variances()[0].standard_error, rel=0.15)


# An example's matrices as a replacement: named, not copied


@pytest.mark.parametrize("part", ["x.example.nobody", "w_q.example.journey", "w_q.example.", "b_q.example.love-ai"])
def test_a_matrix_that_no_example_states_is_left_out(part: str) -> None:
    assert decode_changes(part) == (type(decode_changes("")[0])(), [part])


@given(
    st.lists(st.sampled_from(["the", "fluffy", "cat", "chased", "a", "mouse", "dog", "with"]), min_size=1, max_size=9)
)
@pytest.mark.parametrize("positions", ["none", "learned"])
def test_an_examples_vectors_belong_to_its_words(positions: str, words: list[str]) -> None:
    example = starting_points()["fluffy-cat"].scenario
    stated = dict(zip(example.tokens, example.matrix("x"), strict=True))
    drawn = replace(example, text=" ".join(words), x=None, positions=positions)
    kept, dropped = carry_over(changes_of(example), example, drawn)
    assert not dropped
    own = with_changes(drawn, kept)
    assert decode_changes(encode_changes(kept)) == (kept, [])
    assert own.replaced[own.token_matrix] == "example:fluffy-cat"
    both = zip(own.tokens, own.matrix(own.token_matrix), drawn.matrix(drawn.token_matrix), strict=True)
    assert all(torch.equal(vector, stated.get(token, other)) for token, vector, other in both)
    said = "No vector was made for “dog”: it is drawn at random."  # "with" has a published one
    assert (said in numbers_in_words(own)) == ("dog" in words)


def test_where_an_examples_numbers_are_from_is_said() -> None:
    scenario = worked_example("three-words").scenario
    trace = attnviz.trace(scenario)
    words = explain(trace, "w_q", 0, 1, scenario=scenario).words
    assert words == "Given: stated by the worked example “Three words”"
    assert vectors_in_words(scenario) == "The vectors are those of the worked example “Three words”."
    assert stated_matrix("three-words", "w_q") == worked_example("three-words").inputs["w_q"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_an_example_leaves_and_comes_back(example: WorkedExample) -> None:
    for surface in SURFACES.values():
        surface(example.scenario, attnviz.trace(example.scenario))


# S. Raschka, Build a Large Language Model (From Scratch), 2024, sections 3.3.1 and 3.3.2.
SIMPLE_JOURNEY_SCORES = (0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865)
SIMPLE_JOURNEY_WEIGHTS = (0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581)
SIMPLE_CONTEXT = (
    (0.4421, 0.5931, 0.5790), (0.4419, 0.6515, 0.5683), (0.4431, 0.6496, 0.5671),
    (0.4304, 0.6298, 0.5510), (0.4671, 0.5910, 0.5266), (0.4177, 0.6503, 0.5645),
)  # fmt: skip


def trace_of(name: str) -> attnviz.AttentionTrace:
    return attnviz.trace(worked_example(name).scenario)


def assert_printed(computed: torch.Tensor, published: Any, decimals: int) -> None:
    """Every computed number, rounded, is the printed one (half a unit of the last digit, and float32's error)."""
    np.testing.assert_allclose(computed.double().numpy(), np.array(published), rtol=0, atol=0.5 * 10**-decimals + 1e-6)


# Tables in which a source has mistakes, as its note says, or prints other rows than are computed; see the tests below.
DIFFERENT = {
    ("love-ai", "context"),
    ("slide-row", "attention_weights"),
    ("softmax-times-8", "attention_weights"),
    *(("three-words", table) for table in worked_example("three-words").published),
}
TABLES = [(each.id, table) for each in EXAMPLES for table in each.published if (each.id, table) not in DIFFERENT]


@pytest.mark.parametrize(("name", "table"), TABLES)
def test_published_table(name: str, table: str) -> None:
    example = worked_example(name)
    assert_printed(getattr(trace_of(name), table), example.published[table], example.decimals)


def test_published_context_by_hand_apart_from_its_slips() -> None:
    # The source carried rounded attention weights on in two cells: its 2.265 and 2.42 are exactly what
    # those give, 2.267 and 2.421 are right.
    example = worked_example("love-ai")
    context = np.array(example.published["context"])
    computed = trace_of("love-ai").context.double().numpy()
    slips = np.argwhere(np.abs(computed - context) > 0.0005 + 1e-6).tolist()
    assert slips == [[0, 1], [2, 0]]
    carried_on = np.array(example.published["attention_weights"]) @ np.array(example.published["v"])
    for row, column in slips:
        assert context[row, column] == pytest.approx(carried_on[row, column], abs=1e-9)


def test_published_attention_without_trainable_weights() -> None:
    trace = trace_of("journey-simple")
    for name in ("q", "k", "v"):
        assert torch.equal(getattr(trace, name), trace.x)
    assert_printed(trace.scores[1], SIMPLE_JOURNEY_SCORES, 4)
    assert_printed(trace.attention_weights[1], SIMPLE_JOURNEY_WEIGHTS, 4)
    assert_printed(trace.context, SIMPLE_CONTEXT, 4)
