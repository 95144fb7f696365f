"""Sort: a few letters, then the same in alphabetical order."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attnviz.features.learn.training.tasks.base import Batch, Task, Weights, is_held_out, learned_from, most

VOCABULARY = ("<s>", ":", ".", *"abcdefghij")


def texts(orders: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return four letters, a colon, and the letters sorted, as ids.

    What follows the colon counts.
    """
    letters, same = 3 + orders[:, :4], torch.ones(len(orders), 1, dtype=torch.long)
    ids = torch.cat([0 * same, letters, same, letters.sort(dim=1).values, 2 * same], dim=1)
    return ids, (torch.arange(10) >= 5).expand(len(orders), 10)


def draw(n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw texts of any letters that aren't held out."""
    return texts(learned_from(torch.rand(n, 10, generator=generator).argsort(dim=1), 4))


@dataclass(frozen=True)
class Sort(Task):
    """The task: after each letter comes the next larger given one."""

    vocabulary: tuple[str, ...] = VOCABULARY
    length: int = 11

    name = "sort"
    defaults = {"seed": 0, "steps": 500, "learning_rate": 0.01, "d_model": 32, "d_k": 16}  # noqa: RUF012
    figures = ("next",)
    functions = (is_held_out, learned_from, texts, draw)

    def held_out(self) -> Batch:
        """Return texts whose letters are never drawn together, in any order."""
        orders = torch.rand(2000, 10, generator=torch.Generator().manual_seed(2**31)).argsort(dim=1)
        return self.batch(*texts(orders[is_held_out(orders, 4)][:96]))

    def law(self, tokens: Sequence[str]) -> str | None:
        """Return the next larger given letter, or a full stop at last.

        >>> Sort().law(("<s>", "c", "a", "d", "b", ":", "a"))
        'b'
        """
        if ":" not in tokens or tokens[-1] == ".":
            return None
        given = sorted(token for token in tokens[: tokens.index(":")] if token in VOCABULARY[3:])
        return next((token for token in given if tokens[-1] == ":" or token > tokens[-1]), ".")

    def counts(self, tokens: Sequence[str], place: int) -> bool:
        """Whether a place is the colon, or after it."""
        return ":" in tokens[: place + 1]

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return the attention to the letter that comes next."""
        n, length = batch.ids.shape
        following = torch.nn.functional.pad(batch.ids[:, 1:], (0, 1), value=-1)
        read = (following[:, :, None] == batch.ids[:, None, :]).float()
        read[:, :, 5:] = 0
        asked = torch.zeros(n, length, dtype=torch.bool)
        asked[:, 5:9] = True
        return {"next": most(weights, read, asked)}
