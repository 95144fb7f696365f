"""Sort: a few letters, and then the same in the order of the alphabet."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attnviz.training.tasks.base import Batch, Task, Weights, most

VOCABULARY = ("<s>", ":", ".", *"abcdefghij")


def draw(n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """<s> c a d b : a b c d . - four of ten letters; what comes after the colon counts."""
    letters = 3 + torch.rand(n, 10, generator=generator).argsort(dim=1)[:, :4]
    same = torch.ones(n, 1, dtype=torch.long)
    ids = torch.cat([0 * same, letters, same, letters.sort(dim=1).values, 2 * same], dim=1)
    return ids, (torch.arange(10) >= 5).expand(n, 10)


@dataclass(frozen=True)
class Sort(Task):
    """After each letter comes the next larger of those that were given."""

    vocabulary: tuple[str, ...] = VOCABULARY
    length: int = 11

    name = "sort"
    defaults = {"seed": 0, "steps": 500, "learning_rate": 0.01, "d_model": 32, "d_k": 16}  # noqa: RUF012
    figures = ("next",)

    def draw(self, n: int, generator: torch.Generator) -> Batch:
        """Fresh letters."""
        ids, counted = draw(n, generator)
        return Batch(ids, counted, counted)

    def held_out(self) -> Batch:
        """Letters of a seed of their own."""
        return self.draw(96, torch.Generator().manual_seed(2**31))

    def law(self, tokens: Sequence[str]) -> str | None:
        """The next larger letter of those before the colon, and a full stop after the largest.

        >>> Sort().law(("<s>", "c", "a", "d", "b", ":", "a"))
        'b'
        """
        if ":" not in tokens or tokens[-1] == ".":
            return None
        given = sorted(token for token in tokens[: tokens.index(":")] if token in VOCABULARY[3:])
        return next((token for token in given if tokens[-1] == ":" or token > tokens[-1]), ".")

    def counts(self, tokens: Sequence[str], place: int) -> bool:
        """From the colon on."""
        return ":" in tokens[: place + 1]

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """How much is read the letter that comes next, wherever it was given."""
        n, length = batch.ids.shape
        following = torch.nn.functional.pad(batch.ids[:, 1:], (0, 1), value=-1)
        read = (following[:, :, None] == batch.ids[:, None, :]).float()
        read[:, :, 5:] = 0
        asked = torch.zeros(n, length, dtype=torch.bool)
        asked[:, 5:9] = True
        return {"next": most(weights, read, asked)}

    def code(self) -> str:
        """Its letters, and the function above."""
        return f"VOCABULARY = {VOCABULARY!r}\n\n\n{inspect.getsource(draw)}"
