"""What a question says one sees follows from the numbers, whatever is pressed, moved, chosen, dragged or typed there.

Every sentence is found again in the catalogue, and what stands in its places is judged by numbers computed another way:
in numpy and float64, or read off the float32 numbers as they are shown.
"""

import re
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.board.data import has_numbers
from attnviz.core.stages import EVERY_STAGE
from attnviz.features.questions.questions import QUESTIONS, Question
from attnviz.words import catalogue, plural, say
from tests.examples import examples
from tests.features.questions.unit.seen import (
    of_inputs,
    of_matching,
    of_mixing,
    of_models,
    of_order,
    of_sizes,
    of_what_if,
)
from tests.features.questions.unit.seen.sentences import PARTS, REFEREES, said
from tests.features.questions.unit.seen.world import IDS, World, every_choice, left_by_a_reader

_JUDGES = (of_inputs, of_matching, of_mixing, of_models, of_order, of_sizes, of_what_if)  # which enter their referees

# ---- the law ----


def judge(world: World) -> set[str]:
    """Judge all that is said of a world; return the keys of it."""
    keys = set()
    for sentence in world.sentences:
        key, places = said(sentence)
        try:
            REFEREES[key](world, **places)
        except AssertionError as error:
            raise AssertionError(f"{sentence}\n{world.scenario}\n{world.options}, {world.digits} digits") from error
        keys.add(key)
    return keys


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
@given(data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_what_is_said_to_be_seen_follows_from_the_numbers(question: Question, data: st.DataObject) -> None:
    world = data.draw(left_by_a_reader(question))
    assert judge(world)
    assert has_numbers(world.scenario)
    assert question.is_own(world.scenario), "a link to it opens as it is"


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_every_question_says_once_and_first_that_this_is_its_start(question: Question) -> None:
    world = World(question, question.start, question.defaults, 4, 0)
    first, *others = world.sentences
    assert first == say("seen.start")
    assert not [each for each in others if "start" in each and said(each)[0] != "seen.learned.loss_before"]
    for option in question.options:
        for choice in every_choice(option):
            if choice != option.default:
                chosen = World(question, question.start, question.defaults | {option.name: choice}, 4, 0)
                assert say("seen.start") not in chosen.sentences


def test_everything_that_may_be_said_has_a_referee() -> None:
    keys = {key for key in catalogue() if key.startswith("seen.")}
    assert keys == PARTS | REFEREES.keys()


# ---- what is random ----


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None)
def test_only_numbers_that_were_drawn_are_called_random(question: Question, data: st.DataObject) -> None:
    world = data.draw(left_by_a_reader(question))
    scenario = world.scenario
    said = question.random_in_words(scenario)
    edits = len([edit for edit in scenario.edits if f"{EVERY_STAGE[edit.matrix].symbol} " in said.replace(",", " ")])
    assert (plural(edits, "number") in said) == bool(edits)
    drawn = replace(question.start, x=None, w_q=None, w_k=None, w_v=None, edits=(), text=scenario.text)
    drawn = replace(drawn, positions=scenario.positions)
    for name in (world.scenario.token_matrix, "w_q", "w_k", "w_v"):
        named = EVERY_STAGE[name].symbol in re.findall(r"\b[XE]\b|W_[qkv]", said)
        untouched = getattr(scenario, name) is None and all(edit.matrix != name for edit in scenario.edits)
        if untouched and name in question.board_matrices(world.options):
            assert named, said
        if named and question.name not in ("which_d", "self", "sizes"):  # whose sliders draw others
            assert torch.isclose(scenario.matrix(name), drawn.matrix(name)).any(), said
