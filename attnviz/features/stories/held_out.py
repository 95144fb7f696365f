"""Held-out beginnings of stories, each with the one right next word."""

import torch

from attnviz.core.limits import MAX_SEED, check_choice, check_whole
from attnviz.features.stories.asked import PLACES
from attnviz.features.stories.grammar import ASKED, World, stories

MOST_EXAMPLES = 10_000
_AT_ONCE = 64  # stories drawn at a time


def examples(kind: str, n: int = 30, seed: int = 0) -> list[tuple[str, str]]:
    """Return `n` pairs of a story's beginning and its next word.

    The `kind` says how the beginning determines that word: "recall" (a fact was told before), "agreement" (is or are)
    or "pronoun". The stories are of the world of the included model "stories", which never learned from them. One
    beginning is taken from each story, and the same `seed` gives the same pairs.

    Raises ``ValueError`` for another kind, and for an `n` or `seed` outside its limits.

    >>> examples("recall", n=1, seed=7)[0][1] in World().vocabulary
    True
    """
    check_choice("kind", kind, ASKED)
    check_whole("n", n, 1, MOST_EXAMPLES)
    check_whole("seed", seed, 0, MAX_SEED)
    generator, found = torch.Generator().manual_seed(seed), list[tuple[str, str]]()
    while len(found) < n:
        for words, places in stories(_AT_ONCE, generator, World(), PLACES, held_out=True):
            asked = [at for at, point in enumerate(places) if point.asked == kind]
            if asked:
                at = asked[int(torch.randint(len(asked), (), generator=generator))]
                found.append((" ".join(words[1:at]), words[at]))  # without the first word, which the tokenizer adds
    return found[:n]
