"""What stories ask, and who is right."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnviz.stories.grammar import ASKED, Drawn, World

PLACES = 96  # of the model that comes along
JUDGED_BY = 1_000_000  # what is added to the seed of its training to draw stories that judge it
RECALLED = ("recall of a name", "recall of an animal's name", "recall of what somebody does")
KINDS = ("recall", *RECALLED, *ASKED[1:])  # what stories ask
Told = Sequence[Drawn]


class Asked(NamedTuple):
    """Where a story asks for a `word`, and what tells it."""

    story: int
    at: int
    word: int
    told_by: tuple[int, ...]


class Read(NamedTuple):
    """Stories as ids ``(stories, words)``, and which of these are foretold."""

    ids: Tensor
    counted: Tensor


def read(told: Told, world: World) -> Read:
    """Return stories as ids; what is behind a story's end doesn't count."""
    places = {word: i for i, word in enumerate(world.vocabulary)}
    length = max(len(words) for words, _ in told)
    ids, counted = torch.zeros(len(told), length, dtype=torch.long), torch.zeros(len(told), length, dtype=torch.bool)
    for row, (words, _) in enumerate(told):
        ids[row, : len(words)] = torch.tensor([places[word] for word in words])
        counted[row, 1 : len(words)] = True
    return Read(ids, counted)


def asked_in(told: Told, world: World) -> dict[str, list[Asked]]:
    """Return where stories ask for a word, by what they ask."""
    words = {word: i for i, word in enumerate(world.vocabulary)}
    found = {each: list[Asked]() for each in KINDS}
    for story, (own, places) in enumerate(told):
        for at, (word, point) in enumerate(zip(own[1:], places[1:], strict=True)):
            if point.asked:
                asked = Asked(story, at, words[word], point.told_by)
                found[point.asked].append(asked)
                if point.asked == "recall":
                    of = 0 if word in world.names else 1 if word in world.pets else 2
                    found[RECALLED[of]].append(asked)
    return found


def right(guesses: Sequence[Sequence[int]], asked: Mapping[str, list[Asked]]) -> dict[str, int]:
    """Return how many guesses are right, by what is asked."""
    return {each: sum(guesses[one.story][one.at] == one.word for one in all_of) for each, all_of in asked.items()}
