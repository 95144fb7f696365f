"""Agreement: a verb agrees with the subject, not the nearest noun."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attnviz.features.learn.training.tasks.base import Batch, OneAnswer, every

VOCABULARY = (
    "<s>", "the", "near", "behind", "is", "are", "old", "here", "red", ".",
    "key", "cat", "dog", "boy", "keys", "cats", "dogs", "boys",
)  # fmt: skip


def sentences(first: torch.Tensor, near: torch.Tensor, second: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
    """Return "<s> the key near the cats is old ." as ids."""
    same = torch.ones_like(first)
    return torch.stack(
        [0 * same, same, 10 + first, 2 + near, same, 10 + second, 4 + first // 4, 6 + end, 9 * same], dim=1
    )


def draw(n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw sentences without held-out pairs of nouns; every place counts."""
    first, near, second, end, plural = (torch.randint(k, (n,), generator=generator) for k in (3, 2, 8, 3, 2))
    return sentences(plural * 4 + (second + 2 + first) % 4, near, second, end), torch.ones(n, 8, dtype=torch.bool)


@dataclass(frozen=True)
class Agreement(OneAnswer):
    """The task: "is" or "are", as the first noun requires."""

    vocabulary: tuple[str, ...] = VOCABULARY
    length: int = 9

    name = "agreement"
    defaults = {"seed": 28}  # noqa: RUF012
    figures = ("subject",)
    functions = (sentences, draw)
    told, asks = 2, 5  # places: of the subject, and before the verb

    def held_out(self) -> Batch:
        """Return all sentences with unseen noun pairs, half of different number."""
        near, second, end, plural = every(2, 8, 3, 2)
        ids = sentences(plural * 4 + (second + 1) % 4, near, second, end)
        return self.batch(ids, torch.ones(len(ids), 8, dtype=torch.bool))

    @property
    def example(self) -> str:
        """A sentence whose nouns differ in number."""
        return "<s> the cat near the keys is old ."

    def law(self, tokens: Sequence[str]) -> str | None:
        """Return "is" or "are", by the first noun's number.

        >>> Agreement().law(("<s>", "the", "keys", "near", "the", "cat"))
        'are'
        """
        nouns = [token for token in tokens if token in VOCABULARY[10:]]
        if len(nouns) != 2 or tokens[-1] not in nouns:
            return None
        return "are" if nouns[0] in VOCABULARY[14:] else "is"
