"""The lesson says what the trace holds, and its challenges can be done, and told from what is not done."""

import re

import pytest
import torch
from hypothesis import given, settings

from attnviz import Scenario, trace
from attnviz.challenges import CHALLENGES, undefined
from attnviz.lesson import STEPS, shown_matrices, step_number
from attnviz.scenario import traced
from tests.unit.helpers import setups


@given(setups())
@settings(max_examples=40, deadline=None)
def test_every_step_speaks_of_every_trace_and_lights_a_cell_it_shows(scenario):
    computed = traced(scenario)
    for query in range(len(scenario.tokens)):
        for step in STEPS:
            assert all(sentence for sentence in step.says(computed, query, 3))
            assert set(step.new) <= set(shown_matrices(step, computed))
            if step.lit:
                matrix, row, column = step.lit(computed, query)
                assert matrix in step.shows
                getattr(computed, matrix)[row, column]  # exists


def test_the_published_example_is_told_with_its_published_numbers():
    computed = trace(Scenario(embedding="published"))
    told = " ".join(sentence for step in STEPS for sentence in step.says(computed, 1, 4))
    for number in ("0.4306, 1.4551", "1.8524", "0.2264", "0.3061, 0.8210", "√2 = 1.4142"):
        assert number in told


def test_the_divisor_follows_d_k_and_not_d_in():
    says = [" ".join(STEPS[5].says(trace(Scenario(d_in=d_in, d_out=4)), 0, 4)) for d_in in (2, 9)]
    assert all("√4 = 2.0000" in each for each in says)


def test_steps_of_a_link():
    assert [step_number(raw) for raw in ("1", "9", "0", "10", "", "x", "-1", "٣", "9" * 50)] == [
        1,
        9,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
    ]


CAT, UNIFORM, SYMMETRIC = CHALLENGES


def done(challenge, scenario):
    return challenge.check(trace(scenario), 4)[0]


def test_cat_can_be_made_to_read_sat():
    x = torch.eye(6)
    w_q = torch.zeros(6, 6)
    w_q[1, 2] = 5.0  # the query of 'cat' points the way of the key of 'sat'
    solved = Scenario(text=CAT.text, d_in=6, d_out=6, x=x, w_q=w_q, w_k="identity", scale=False)
    assert done(CAT, solved)
    assert not done(CAT, Scenario(text=CAT.text, w_q="zeros"))
    assert not done(CAT, Scenario(text="a dog"))


@pytest.mark.parametrize("matrix", ["w_q", "w_k"])
def test_zeros_make_every_row_uniform(matrix):
    assert done(UNIFORM, Scenario(**{matrix: "zeros"}))
    assert not done(UNIFORM, Scenario())


def test_equal_projections_make_symmetric_scores_and_zeros_do_not_count():
    w = Scenario().matrix("w_q")
    assert done(SYMMETRIC, Scenario(w_k=w))
    assert not done(SYMMETRIC, Scenario())
    assert not done(SYMMETRIC, Scenario(w_k="zeros"))
    assert not done(SYMMETRIC, Scenario(text="alone", w_k=w))


def test_each_challenge_says_its_number():
    for challenge in CHALLENGES:
        _, says = challenge.check(trace(Scenario(text=CAT.text)), 3)
        assert re.search(r"\d", says)


def test_what_is_undefined_is_seen():
    assert undefined(traced(Scenario(w_q=[[1e30] * 2] * 3, w_k=[[1e30] * 2] * 3)))
    assert not undefined(trace(Scenario()))
