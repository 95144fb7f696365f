"""What the lesson's steps ask: the choice that is right is so by torch, for every sentence and setting."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from attnviz import AttentionTrace, Scenario
from attnviz.core.scenario import traced
from attnviz.teach.lesson import STEPS
from attnviz.teach.predictions import ASKING, Asked, fails_at, nothing_to_predict, prediction_of
from attnviz.words import catalogue
from tests.examples import examples
from tests.unit.helpers import setups

DIGITS = 4


def test_every_step_from_the_second_on_asks() -> None:
    assert tuple(step.name for step in STEPS[1:]) == ASKING


@given(setups(whole=True))
@settings(max_examples=examples(60), deadline=None)
def test_the_right_choice_is_right(scenario: Scenario) -> None:
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


def _of_x(asks: Asked, of: _Numbers, query: int) -> set[str]:
    return {name for name, label in asks.choices.items() if label.startswith(f"{of['x'].size}:")}


def _of_q(asks: Asked, of: _Numbers, query: int) -> set[str]:
    said = {asks.choices[name] for name in {"differ", "same"}}
    assert all(f" {of['q'].shape[1]}" in each for each in said)
    assert asks.choices.get("row", "").endswith(" its row") == (of["x"].shape[1] != of["q"].shape[1])
    return {"same" if of["q"][query].tolist() == of["k"][query].tolist() else "differ"}


def _strongest(of: _Numbers, query: int) -> list[int]:
    """The keys with the largest score, the query's own left out."""
    row = [(score, key) for key, score in enumerate(of["scores"][query]) if key != query]
    return [key for score, key in row if score == max(row)[0]]


def _of_sign(asks: Asked, of: _Numbers, query: int) -> set[str]:
    names = {1: "above", 0: "zero", -1: "below"}
    return {names[int(np.sign(of["scores"][query, key]))] for key in _strongest(of, query)}


def _of_mirror(asks: Asked, of: _Numbers, query: int) -> set[str]:
    names = {1: "more", 0: "same", -1: "less"}
    scores = of["scores"]
    return {names[int(np.sign(scores[key, query] - scores[query, key]))] for key in _strongest(of, query)}


def _of_spread(asks: Asked, of: _Numbers, query: int) -> set[str]:
    rows = [row[np.isfinite(row)] for row in (of["scores"][query], of["scaled_scores"][query])]
    before, after = (np.ptp(row) if row.size else 0 for row in rows)
    edges = {before: {"wider", "same", "closer"}, before / 2: {"closer", "half"}}
    near = [names for edge, names in edges.items() if math.isclose(edge, after, rel_tol=1e-5)]
    found = "wider" if after > before else "same" if after == before else "half" if after <= before / 2 else "closer"
    return {found}.union(*near)


def _of_share(asks: Asked, of: _Numbers, query: int) -> set[str]:
    share = of["attention_weights"][query].max()
    return {"all" if share >= 1 else "half" if share >= 0.5 else "less"}


def _of_mix(asks: Asked, of: _Numbers, query: int) -> set[str]:
    row, values = of["attention_weights"][query], of["v"][:, 0]
    read, slack = values[row != 0], 2e-5 * np.abs(values).max() + 1.1 * 10.0**-DIGITS
    away = row @ values - sum(read) / len(read)
    assert ("don't sum to 1" in asks.wrong.get("even", "")) == ("even" in asks.wrong and abs(row.sum() - 1) > 1e-3)
    assert "sum" not in asks.choices or abs(sum(read) - row @ values) > 10.0**-DIGITS / 100
    return {"above", "even", "below"} if abs(away) < slack else {"above" if away > 0 else "below"}


def _of_context(asks: Asked, of: _Numbers, query: int) -> set[str]:
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
    broken = traced(Scenario("a b", w_q=((3e38,) * 2,) * 3))
    assert nothing_to_predict("softmax", broken, 0) == "no_numbers"
