"""The lesson says what the trace holds, and asks what torch can answer; its challenges can be done."""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz import AttentionTrace, Edit, Scenario, explain, trace
from attnviz.core.scenario import traced
from attnviz.core.tokens import token_labels
from attnviz.features.lesson.asking import ASKING, nothing_to_predict, prediction_of
from attnviz.features.lesson.challenges import CHALLENGES, Challenge
from attnviz.features.lesson.steps import STEPS, shown_matrices
from attnviz.predicting.choice_question import ChoiceQuestion, fails_at
from attnviz.published import OPENING, starting_points
from attnviz.words import catalogue
from attnviz.words.numbers import written
from tests.examples import examples
from tests.unit.helpers import edited, every_way, setups


@given(setups(whole=True))
@settings(max_examples=examples(40), deadline=None)
def test_every_step_speaks_of_every_trace_and_lights_a_cell_it_shows(scenario: Scenario) -> None:
    computed = traced(scenario)
    for query in range(len(scenario.tokens)):
        for step in STEPS:
            assert set(step.new) <= set(shown_matrices(step, computed))
            if step.lit:
                matrix, row, column = step.lit(computed, query)
                assert matrix in step.shows
                getattr(computed, matrix)[row, column]  # exists
                sources = {cells.matrix for cells in explain(computed, matrix, row, column).sources}
                assert sources <= set(step.shows)  # what is lit can be seen


OVERFLOW = Scenario(text="a b c", edits=(Edit("x", 1, 0, 3e38),))
DIGITS = 4


def told(number: int, computed: AttentionTrace, query: int) -> str:
    """What a step says, without the texts of tokens, which may hold anything."""
    text = " ".join(STEPS[number - 1].says(computed, query, DIGITS))
    for label in sorted(set(token_labels(computed.tokens, 40)), key=len, reverse=True):
        text = text.replace(f"“{label}”", "TOKEN")
    return text


def reached(computed: AttentionTrace, query: int) -> torch.Tensor:
    """The attention weights that a query gives to the tokens it may read."""
    return computed.attention_weights[query, : query + 1 if computed.causal else None]


def numbers_in(text: str) -> set[str]:
    return set(re.findall(r"−?(?:\d+\.\d+(?:e[+−]\d+)?|∞)|NaN", text))


def numbers_of(*tensors: torch.Tensor) -> set[str]:
    return {written(value, DIGITS) for tensor in tensors for value in tensor.flatten().tolist()}


@given(edited(setups(max_tokens=5, whole=True), most=1, extremes=True))
@example(OVERFLOW)
@example(Scenario(text="alone"))
@example(Scenario(causal=True, scale=False, temperature=2.0))
@settings(max_examples=examples(60), deadline=None)
def test_every_step_says_two_or_three_sentences_and_every_number_in_them_is_one_of_the_trace(
    scenario: Scenario,
) -> None:
    computed = traced(scenario)
    d_k = computed.q.shape[-1]
    root = {written(math.sqrt(d_k), DIGITS)} if computed.scale else set()
    temperature = {f"{computed.temperature:g}"} if computed.temperature != 1 else set()
    divisors = root | temperature | ({written(computed.divisor, DIGITS)} if root else set())
    for query in range(len(computed.tokens)):
        weights = computed.attention_weights[query]
        allowed: tuple[set[str], ...] = (
            set(),
            numbers_of(computed.x[query]),
            numbers_of(computed.q[query], computed.k[query], computed.v[query]),
            numbers_of(computed.scores[query]),
            numbers_of(computed.scores[query], computed.scores[:, query]),
            divisors | {"−∞"},
            numbers_of(weights) | {written(1 / len(reached(computed, query)), DIGITS)},
            numbers_of(weights, computed.v),
            numbers_of(computed.context[query]),
        )
        for number, held in enumerate(allowed, 1):
            text = told(number, computed, query)
            assert numbers_in(text) <= held, text
            assert 2 <= len(re.findall(r"[.?!](?= |$)", text)) <= 3, text
        # The first score, and the shares of a row that has them, are told.
        assert numbers_in(told(4, computed, query))
        assert bool(numbers_in(told(7, computed, query))) == (not bool(torch.isnan(weights).any()))


@given(every_way().filter(lambda scenario: scenario.reads == "itself"), st.integers(0, 1))
@example(Scenario("a b", causal=True, mask_use="zeroed"), 0)
@example(Scenario("a b", causal=True, mask_use="factor"), 0)
@example(Scenario("a b c", causal=True, mask_use="renormalized", temperature=0.01), 0)
@example(Scenario("a b a"), 0)
@example(Scenario("a b", masking="painted", edits=(Edit("mask", 0, 0, -math.inf), Edit("mask", 0, 1, -math.inf))), 0)
@example(Scenario("a b", mask=[[-math.inf] * 2, [0, 0]], mask_use="zeroed"), 0)
@example(Scenario("a b", masking="painted", edits=(Edit("mask", 0, 0, 0.5),)), 0)
@example(Scenario("a b", d_in=2, d_out=2, n_layers=2), 1)
@example(Scenario("a b", d_in=2, d_out=2, n_heads=2, output=True, norm="post", d_ff=3), 0)
@settings(max_examples=examples(100), deadline=None)
def test_every_step_is_true_whatever_is_masked_switched_and_follows(scenario: Scenario, layer: int) -> None:
    layer = min(layer, scenario.n_layers - 1)
    seen = traced(scenario).for_head(0, layer)
    usual, mask = not scenario.what_if, seen.matrices.get("mask", torch.zeros(1))
    hides = scenario.mask_use == "added" and bool(mask.isinf().any())
    plain = bool((mask.isinf() | mask.eq(0)).all())
    for query in range(len(seen.tokens)):
        says = [" ".join(step.says(seen, query, DIGITS)) for step in STEPS]
        weights, context, scaled = seen.attention_weights[query], seen.context[query], seen.scaled_scores[query]
        finite = bool(weights.isfinite().all())
        assert ("nothing has passed" in says[1]) == (layer == 0)
        if "are read alike" in says[1]:
            again = [at for at, token in enumerate(seen.tokens) if token == seen.tokens[query]]
            assert len(again) > 1
            if usual and scenario.positions == "none" and not mask.any():
                same = seen.attention_weights[:, again]
                torch.testing.assert_close(same, same[:, :1].expand_as(same), equal_nan=True)
        assert f"each row of {'X′' if scenario.norm == 'pre' else 'X'}." in says[2] or not usual
        assert ("masked with −∞" in says[5] or "cells with −∞" in says[5]) == (hides and plain)
        if "Each reads all" in says[0]:
            assert not finite or scenario.what_if or bool((weights[scaled > scaled.max() - 80] > 0).all())
            assert scenario.mask_use != "added" or bool(scaled.isfinite().all()) or not finite
        if "It lies between the values" in says[8] and finite and usual:
            assert bool((weights >= 0).all())
            assert float(weights.sum()) == pytest.approx(1, abs=1e-5)
        if "its own value" in says[8]:
            torch.testing.assert_close(context, seen.v[query], rtol=1e-4, atol=1e-6)
        if "a number grew beyond" in says[8] or "Smaller numbers" in says[7]:
            assert any(not bool(seen[name].isfinite().all()) for name in ("x", "q", "k", "v", "scores"))
        after = {"context"}
        for name, stage in seen.stages.items():
            if after & set(stage.sources):
                after.add(name)
        named = [stage.symbol for name, stage in seen.stages.items() if name in after - {"context", "contexts"}]
        if not weights.any():
            assert not any(each in says[7] + says[8] for each in ("gives", "that has read", "counts as much"))
        elif finite and "softmax" not in scenario.what_if:
            assert ("In a transformer" in says[8]) == (not named)
            assert all(f" {symbol}" in says[8] for symbol in named)
            assert "next layer gets" not in says[8]


READS, UNIFORM, SYMMETRIC = CHALLENGES


def done(challenge: Challenge, scenario: Scenario) -> bool:
    return challenge.check(trace(scenario), 4)[0]


def test_a_word_can_be_made_to_read_the_next() -> None:
    x = torch.eye(6)
    w_q = torch.zeros(6, 6)
    w_q[1, 2] = 5.0  # the query of 'cat' points the way of the key of 'sat'
    text = "the cat sat on the mat"
    solved = Scenario(text=text, d_in=6, d_out=6, x=x, w_q=w_q, w_k="identity", scale=False)
    assert done(READS, solved)
    assert not done(READS, Scenario(text=text, w_q="zeros"))
    assert not done(READS, Scenario(text="dog"))
    assert "“cat” read “sat”" in READS.task(trace(solved))


@pytest.mark.parametrize(
    "text", [starting_points()[OPENING].scenario.text, "a dog", "dog", "the cat", "cat cat", "a b"]
)
def test_a_challenge_names_words_that_the_sentence_has(text: str) -> None:
    of_text = trace(Scenario(text))
    named = set(re.findall("“(.*?)”", READS.task(of_text) + READS.hint(of_text)))
    assert named <= set(token_labels(of_text.tokens))
    assert len(named) == min(2, len(of_text.tokens))
    assert not done(READS, starting_points()[OPENING].scenario), "nothing is done before one begins"


@given(setups(whole=True))
@settings(max_examples=examples(60), deadline=None)
def test_the_right_choice_is_right(scenario: Scenario) -> None:
    assert tuple(step.name for step in STEPS[1:]) == ASKING, "every step from the second on asks"
    trace = traced(scenario)
    for query in range(len(trace.tokens)):
        for step in ASKING:
            asks = prediction_of(step, trace, query, DIGITS)
            if asks is not None:
                numbers = {name: np.asarray(trace[name].tolist(), dtype=float) for name in _READ}
                assert asks.right in asks.choices
                assert asks.right in _REFEREES[step](asks, numbers, query)
                assert len(set(asks.choices.values())) == len(asks.choices) >= 3
                assert {*asks.wrong} == {*asks.choices} - {asks.right}
                for choice in (*asks.choices, "none"):
                    assert all(asks.outcome(choice))
                    other = _where_it_fails(step, trace, choice, query)
                    there = None if other is None else prediction_of(step, trace, other, DIGITS)
                    assert there is None or choice in there.wrong, "which the referee sees, too, as it comes to it"


def _where_it_fails(step: str, trace: AttentionTrace, choice: str, query: int) -> int | None:
    found = fails_at(lambda at: prediction_of(step, trace, at, DIGITS), choice, query, len(trace.tokens))
    assert found != query
    return found


_READ = ("x", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")
_Numbers = dict[str, np.ndarray]


def _of_x(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    return {name for name, label in asks.choices.items() if label.startswith(f"{of['x'].size}:")}


def _of_q(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    said = {asks.choices[name] for name in {"differ", "same"}}
    assert all(f" {of['q'].shape[1]}" in each for each in said)
    assert asks.choices.get("row", "").endswith(" its row") == (of["x"].shape[1] != of["q"].shape[1])
    return {"same" if of["q"][query].tolist() == of["k"][query].tolist() else "differ"}


def _strongest(of: _Numbers, query: int) -> list[int]:
    """The keys with the largest score, the query's own left out."""
    row = [(score, key) for key, score in enumerate(of["scores"][query]) if key != query]
    return [key for score, key in row if score == max(row)[0]]


def _of_sign(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    names = {1: "above", 0: "zero", -1: "below"}
    return {names[int(np.sign(of["scores"][query, key]))] for key in _strongest(of, query)}


def _of_mirror(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    names = {1: "more", 0: "same", -1: "less"}
    scores = of["scores"]
    return {names[int(np.sign(scores[key, query] - scores[query, key]))] for key in _strongest(of, query)}


def _of_spread(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    rows = [row[np.isfinite(row)] for row in (of["scores"][query], of["scaled_scores"][query])]
    before, after = (np.ptp(row) if row.size else 0 for row in rows)
    edges = {before: {"wider", "same", "closer"}, before / 2: {"closer", "half"}}
    near = [names for edge, names in edges.items() if math.isclose(edge, after, rel_tol=1e-5)]
    found = "wider" if after > before else "same" if after == before else "half" if after <= before / 2 else "closer"
    return {found}.union(*near)


def _of_share(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    share = of["attention_weights"][query].max()
    return {"all" if share >= 1 else "half" if share >= 0.5 else "less"}


def _of_mix(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    row, values = of["attention_weights"][query], of["v"][:, 0]
    read, slack = values[row != 0], 2e-5 * np.abs(values).max() + 1.1 * 10.0**-DIGITS
    away = row @ values - sum(read) / len(read)
    assert ("don't sum to 1" in asks.wrong.get("even", "")) == ("even" in asks.wrong and abs(row.sum() - 1) > 1e-3)
    assert "sum" not in asks.choices or abs(sum(read) - row @ values) > 10.0**-DIGITS / 100
    return {"above", "even", "below"} if abs(away) < slack else {"above" if away > 0 else "below"}


def _of_context(asks: ChoiceQuestion, of: _Numbers, query: int) -> set[str]:
    away = np.linalg.norm(of["v"] - of["context"][query], axis=1)
    row = [(share, key) for key, share in enumerate(of["attention_weights"][query]) if key != query]
    others = [key for share, key in row if share == max(row)[0]]
    slack = 1e-5 * (1 + away.max())
    near = {key for key, each in enumerate(away) if each <= away.min() + slack}
    assert len(away) > 2 or "another" not in asks.choices
    found = {"own"} if query in near else set()
    found |= {"read"} if near & set(others) else set()
    found |= {"middle"} if {query, *others} <= near else set()
    return found | ({"another"} if near - {query} - {others[0] if len(others) == 1 else None} else set())


_REFEREES = dict(
    zip(ASKING, (_of_x, _of_q, _of_sign, _of_mirror, _of_spread, _of_share, _of_mix, _of_context), strict=True)
)


@pytest.mark.parametrize("step", ASKING)
def test_each_wrong_choice_has_its_misconception(step: str) -> None:
    room = f"lesson_predictions.{step}"
    choices = {key.removeprefix(f"{room}.choice.") for key in catalogue() if key.startswith(f"{room}.choice.")}
    named = {key.removeprefix(f"{room}.wrong.") for key in catalogue() if key.startswith(f"{room}.wrong.")}
    assert choices - named <= {"all"} if step == "embeddings" else choices == named


def test_where_nothing_can_be_predicted_nothing_is_asked() -> None:
    alone = traced(Scenario(text="alone", d_in=1))
    asked = [step for step in ASKING if prediction_of(step, alone, 0, DIGITS)]
    assert not set(asked) & {"embeddings", "one-score", "all-scores", "context"}
    assert {nothing_to_predict(step, alone, 0) for step in ASKING} == {"", "alone"}
    # Each product overflows, all of one sign: in whatever order they're added, rounded apart or not.
    broken = traced(Scenario("a b", x=((2.0,) * 3,) * 2, w_q=((3e38,) * 2,) * 3, w_k=((1.0,) * 2,) * 3))
    assert nothing_to_predict("softmax", broken, 0) == "no_numbers"
