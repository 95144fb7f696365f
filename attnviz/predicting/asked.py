"""Predictions before an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar

import torch

from attnviz.words import say

Choice = TypeVar("Choice", bound=str)


@dataclass(frozen=True)
class Asked:
    """One prediction: the act, the question, its choices, and the outcome.

    `about` is what links call it, for ever. `right` is the choice that the numbers make right; `happened` says what
    they are, `wrong` what leads to each other choice, `more` why it is so. `cell` is the one that is asked about;
    `cells` are choices, too, by where a click on the board says them: "v,1" is a row.
    """

    about: str
    act: str
    asks: str
    choices: Mapping[str, str]
    right: str
    happened: str
    wrong: Mapping[str, str]
    more: tuple[str, ...] = ()
    cell: tuple[str, int, int] | None = None
    cells: Mapping[str, str] = field(default_factory=dict)

    def outcome(self, predicted: str) -> list[str]:
        """Return prediction and result, the cause of a wrong choice, and why."""
        if predicted not in self.choices:
            return [self.happened[:1].upper() + self.happened[1:], *self.more]
        key = "as" if predicted == self.right else "but"
        both = say(f"predicting.{key}", predicted=self.choices[predicted], happened=self.happened)
        return [both, *filter(None, [self.wrong.get(predicted)]), *self.more]


def compared(now: str, before: str, after: str) -> str:
    """Say a number after what was done beside that before it.

    >>> compared("The score is 2 now.", "2", "2"), compared("“a” reads “b” 20 % now.", "10 %", "20 %")
    ('the score is 2, as before.', '“a” reads “b” 20 %, 10 % before.')
    """
    key = "stays" if before == after else "moves"
    after = now[:1].lower() + now[1:].removesuffix(".").removesuffix(" now")
    return say(f"predicting.{key}", now=after, before=before)


def by_size(about: str, names: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """Return choices, the least first or last: the name draws which."""
    return names if sha256(about.encode()).digest()[0] % 2 else names[::-1]


def fails_at(asks: Callable[[int], Asked | None], choice: str, query: int, n: int) -> int | None:
    """Return the next token where a choice is wrong, too, or None."""
    for other in (*range(query + 1, n), *range(query)):
        asked = asks(other)
        if asked is not None and choice in asked.wrong:
            return other
    return None


def spread(row: torch.Tensor) -> float:
    """Return the largest minus the smallest finite number of a row."""
    finite = row[row.isfinite()]
    return float(finite.max() - finite.min()) if finite.numel() else 0.0
