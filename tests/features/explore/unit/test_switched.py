"""What is asked before a switch of What if is turned: which choice is right follows from the numbers."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario
from attnviz.core.scenario import traced
from attnviz.core.what_if import PLACES, TYPED, WhatIf
from attnviz.features.explore.switch_predictions import (
    LESS,
    MIRRORED,
    MORE,
    SAME,
    about,
    alone,
    next_of,
    turned,
    without,
    yet_to_predict,
)
from attnviz.predicting.choice_question import fails_at
from attnviz.words.numbers import percent, written
from tests.examples import examples


def attended(scenario: Scenario, head: int) -> tuple[Any, Any]:
    """The scores and attention weights of one head, which tests/unit/rules/test_surfaces.py holds to plain torch."""
    seen = traced(scenario).for_head(head)
    return seen.scores.double().numpy(), seen.attention_weights.double().numpy()


@pytest.mark.parametrize("place", PLACES)
@given(st.data())
@settings(max_examples=examples(25), deadline=None)
def test_the_right_choice_follows_from_the_numbers(place: str, data: st.DataObject) -> None:
    heads = 2 if place == "cut.view" else data.draw(st.sampled_from((1, 2)))
    scenario = Scenario(
        "the cat sat", d_in=4, d_out=4, n_heads=heads, causal=place != "softmax.sums" and data.draw(st.booleans()),
        init=data.draw(st.sampled_from(("normal", "linear"))), seed=data.draw(st.integers(0, 500)),
    )  # fmt: skip
    query, head = data.draw(st.integers(0, 2)), data.draw(st.integers(0, heads - 1))
    typed = (query, data.draw(st.integers(0, 2)), data.draw(st.sampled_from((-3.0, 0.0, 5.0))))
    to = WhatIf.read(f"typed:{typed[0]}:{typed[1]}:{typed[2]}") if place == TYPED else alone(place)
    found = turned(scenario, to, place, query, head)
    linked = replace(scenario, what_if=to.text)
    drawn = yet_to_predict(linked, (), query, head)
    assert yet_to_predict(linked, {about(place)}, query, head) == (linked, None)
    assert without(to, place) == WhatIf()
    assert next_of(scenario, place) not in ("", place)
    if found is None:  # nothing else is read
        assert scenario.causal
        assert drawn == (linked, None)
        return
    assert drawn == (scenario, found), "a link with it on asks, too"
    assert found.cell is not None
    matrix, asker, key = found.cell
    assert asker == query
    both = [attended(each, head) for each in (scenario, linked)]
    shares = both[0][1][query].copy()  # the word is asked about that the headline tells of
    mirrors = place in ("projections.exchanged", "scores.keys-first")
    shares[[query] if mirrors else [typed[1]] if place == TYPED else []] = 0
    assert shares[key] == pytest.approx(shares.max(), rel=1e-5)
    assert (key == query and place not in ("softmax.columns", "softmax.whole")) == ("itself" in found.asks)
    summed = place in ("softmax.columns", "softmax.whole")
    if summed:
        was, now = (weights[query].sum() for _, weights in both)
    else:
        was, now = (each[0 if matrix == "scores" else 1][query, key] for each in both)
    write = percent if matrix != "scores" and not summed else lambda value: written(value, 2)
    if any(write(float(each * (1 - 1e-5))) != write(float(each * (1 + 1e-5))) for each in (was, now)):
        return  # on the edge between two ways to write it
    told = [write(float(was)), write(float(now))]
    assert found.happened.endswith(", as before." if told[0] == told[1] else f", {told[0]} before.")
    assert told[1] in found.happened
    mirrored = write(float(both[0][0][key, query]))
    right = SAME if write(float(was)) == write(float(now)) else MORE if now > was else LESS
    if mirrors:
        right = right if right == SAME else MIRRORED
        assert write(float(now)) == mirrored
    assert found.right == right
    assert 3 <= len(found.choices) <= 4
    assert told[0] in found.asks
    assert {*found.wrong} == {*found.choices} - {right}
    assert "wrong" not in " ".join(found.wrong.values()).lower()
    for choice in found.wrong if place != TYPED else ():
        other = fails_at(lambda at: turned(scenario, to, place, at, head), choice, query, 3)
        again = None if other is None else turned(scenario, to, place, other, head)
        assert again is None or choice in again.wrong
    for where, choice in found.cells.items():
        assert choice in found.choices
        assert write(float(both[0][0][tuple(map(int, where.split(",")[1:]))])) in found.choices[choice]
