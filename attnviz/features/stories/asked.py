"""The questions in stories, and how often a model answers them rightly."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnviz.features.stories.grammar import ASKED, Drawn, World

PLACES = 96  # words of a story, at most, as in the included model
JUDGED_BY = 1_000_000  # added to the seed of a training, to draw the stories that test its result
RECALLED = ("recall of a name", "recall of an animal's name", "recall of what somebody does")
KINDS = ("recall", *RECALLED, *ASKED[1:])  # the kinds of questions in stories
Stories = Sequence[Drawn]


class StoryQuestion(NamedTuple):
    """A `word` that a story asks for, and what tells it."""

    story: int
    at: int
    word: int
    told_by: tuple[int, ...]


class Read(NamedTuple):
    """Stories as ids ``(stories, words)``, and which words count as predicted."""

    ids: Tensor
    counted: Tensor


def read(told: Stories, world: World) -> Read:
    """Return stories as ids; places after a story's end don't count."""
    places = {word: i for i, word in enumerate(world.vocabulary)}
    length = max(len(words) for words, _ in told)
    ids, counted = torch.zeros(len(told), length, dtype=torch.long), torch.zeros(len(told), length, dtype=torch.bool)
    for row, (words, _) in enumerate(told):
        ids[row, : len(words)] = torch.tensor([places[word] for word in words])
        counted[row, 1 : len(words)] = True
    return Read(ids, counted)


def asked_in(told: Stories, world: World) -> dict[str, list[StoryQuestion]]:
    """Return the questions in stories, by their kind."""
    words = {word: i for i, word in enumerate(world.vocabulary)}
    found = {each: list[StoryQuestion]() for each in KINDS}
    for story, (own, places) in enumerate(told):
        for at, (word, point) in enumerate(zip(own[1:], places[1:], strict=True)):
            if point.asked:
                asked = StoryQuestion(story, at, words[word], point.told_by)
                found[point.asked].append(asked)
                if point.asked == "recall":
                    of = 0 if word in world.names else 1 if word in world.pets else 2
                    found[RECALLED[of]].append(asked)
    return found


def right(guesses: Sequence[Sequence[int]], asked: Mapping[str, list[StoryQuestion]]) -> dict[str, int]:
    """Return how many guesses are right, by the kind of question."""
    return {each: sum(guesses[one.story][one.at] == one.word for one in all_of) for each, all_of in asked.items()}
