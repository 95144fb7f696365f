"""A prediction that a reader makes before an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar

import torch

from attnviz.words import say

Choice = TypeVar("Choice", bound=str)


@dataclass(frozen=True)
class ChoiceQuestion:
    """One prediction: the act, the question, its choices, and the outcome.

    `about` is its name in links, and never changes. `right` is the choice that the numbers make right; `happened` says
    what they are, `wrong` the reasoning behind each other choice, `more` why the right one is right. `cell` is the cell
    that is asked about. `cells` maps places on the board, such as "v,1" for a row, to the choice that a click there
    makes.
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
        """Return prediction and result, a wrong choice's reasoning, and the reasons."""
        if predicted not in self.choices:
            return [self.happened[:1].upper() + self.happened[1:], *self.more]
        key = "as" if predicted == self.right else "but"
        both = say(f"predicting.{key}", predicted=self.choices[predicted], happened=self.happened)
        return [both, *filter(None, [self.wrong.get(predicted)]), *self.more]


def compared(now: str, before: str, after: str) -> str:
    """Say a number after an act, beside the number before it.

    >>> compared("The score is 2 now.", "2", "2"), compared("“a” reads “b” 20 % now.", "10 %", "20 %")
    ('the score is 2, as before.', '“a” reads “b” 20 %, 10 % before.')
    """
    key = "stays" if before == after else "moves"
    after = now[:1].lower() + now[1:].removesuffix(".").removesuffix(" now")
    return say(f"predicting.{key}", now=after, before=before)


def by_size(about: str, names: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """Return choices, smallest first or last, as the name's hash decides."""
    return names if sha256(about.encode()).digest()[0] % 2 else names[::-1]


def fails_at(asks: Callable[[int], ChoiceQuestion | None], choice: str, query: int, n: int) -> int | None:
    """Return the next token where a choice is wrong, too, or None."""
    for other in (*range(query + 1, n), *range(query)):
        question = asks(other)
        if question is not None and choice in question.wrong:
            return other
    return None


def spread(row: torch.Tensor) -> float:
    """Return the largest minus the smallest finite number of a row."""
    finite = row[row.isfinite()]
    return float(finite.max() - finite.min()) if finite.numel() else 0.0
