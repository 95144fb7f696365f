"""Stories follow their law, and those held out are never learned from."""

import math
from collections import Counter

import pytest
import torch

import attnviz
from attnviz.features.stories.grammar import ASKED, BEGIN, Drawn, World, is_held_out, point_after, points, stories
from attnviz.features.stories.held_out import examples
from attnviz.features.stories.small import LENGTH, SMALL

WORLD = World()
WORLDS = {"world": (WORLD, 96), "small": (SMALL, LENGTH)}


def told(world: World, length: int, n: int, seed: int = 1, *, held_out: bool = False) -> list[Drawn]:
    return stories(n, torch.Generator().manual_seed(seed), world, length, held_out=held_out)


@pytest.mark.parametrize("world", WORLDS)
def test_every_place_has_a_law_that_the_words_before_it_tell(world: str) -> None:
    """It sums to 1, is in words of the vocabulary, and is the one that the story was drawn by; the places that tell a
    word lie before it, and their words do."""
    own, length = WORLDS[world]
    assert len(set(own.vocabulary)) == len(own.vocabulary)
    for words, places in told(own, length, 60):
        again = list(points(words, own))
        assert again[: len(places)] == places
        for at, (word, point) in enumerate(zip(words, places, strict=True)):
            assert math.isclose(sum(point.law.values()), 1.0)
            assert min(point.law.values()) > 0
            assert set(point.law) <= set(own.vocabulary)
            assert word in point.law
            assert bool(point.asked) == bool(point.told_by)
            if point.asked:
                assert point.law == {word: 1.0}
                assert point.asked in ASKED
                assert max(point.told_by) < at
            if point.asked == "recall":
                assert {words[each] for each in point.told_by} == {word}


def test_what_is_drawn_follows_the_law() -> None:
    """Of each kind of choice, how often each word comes is as probable as the law has it: chi-square."""
    seen: dict[tuple[tuple[str, float], ...], Counter[str]] = {}
    for words, places in told(SMALL, LENGTH, 2000):
        for word, point in zip(words[7:], places[7:], strict=True):  # by what comes before, some are held out
            seen.setdefault(tuple(point.law.items()), Counter())[word] += 1
    tested = 0
    for law, counts in seen.items():
        n, freedom = counts.total(), len(law) - 1
        if freedom and n * min(p for _, p in law) >= 20:
            square = sum((counts[word] - n * p) ** 2 / (n * p) for word, p in law)
            assert square < freedom + 5 * math.sqrt(2 * freedom) + 5, (law, counts)
            tested += 1
    assert tested >= 5


def test_the_probability_of_a_story_is_that_of_its_words() -> None:
    """All stories of a world so small that they can be counted, with their products, have 1 in all."""
    tiny = World(
        girls=("anna",), boys=("tom",), verbs=("sings", "reads"), objects=(), kinds=(), pets=(), things=("key", "cup"),
        links=("near",), looks=("red",), feels=("glad",), places=(), kin=(), most_people=2, most_pets=0,
        going_on={"today": 0.5, "the": 0.5}, ends=0.5,
    )  # fmt: skip

    def whole(words: list[str], p: float, left: int) -> float:
        found = list(points(words, tiny))
        if len(found) == len(words) or not left:
            return p
        return sum(whole([*words, word], p * share, left - 1) for word, share in found[-1].law.items())

    assert math.isclose(whole([], 1.0, 19), 1.0)
    assert point_after(["tom"], tiny) is None  # no story begins so


def test_held_out_stories_are_none_of_those_learned_from() -> None:
    learned = {tuple(words) for words, _ in told(WORLD, 96, 400)}
    assert not learned & {tuple(words) for words, _ in told(WORLD, 96, 400, 2, held_out=True)}


@pytest.mark.parametrize("kind", ASKED)
def test_examples_are_held_out_and_have_one_right_next_word(kind: str) -> None:
    """The grammar says so of each."""
    drawn = examples(kind, n=30, seed=7)
    assert drawn == examples(kind, n=30, seed=7) == attnviz.stories.examples(kind, 40, 7)[:30]
    assert drawn != examples(kind, n=30, seed=8)
    for text, word in drawn:
        words = [BEGIN, *text.split()]
        point = point_after(words, WORLD)
        assert point is not None
        assert (point.asked, point.law) == (kind, {word: 1.0})
        assert is_held_out([*words, word], WORLD)


def test_examples_of_another_kind_are_refused() -> None:
    for wrong in (("grammar", 3, 0), ("recall", 0, 0), ("recall", 3, -1)):
        with pytest.raises(ValueError, match=r"kind|can't be"):
            examples(*wrong)
