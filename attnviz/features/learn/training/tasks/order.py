"""Order: who is bitten depends on the order of words alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attnviz.features.learn.training.tasks.base import Batch, OneAnswer, every

VOCABULARY = ("<s>", ",", "poor", ".", "bites", "kicks", "sees", "dog", "man", "cat", "boy", "cow", "hen")


def sentences(biter: torch.Tensor, verb: torch.Tensor, bitten: torch.Tensor) -> torch.Tensor:
    """Return "<s> dog bites man , poor man ." as ids."""
    same = torch.ones_like(biter)
    return torch.stack([0 * same, 7 + biter, 4 + verb, 7 + bitten, same, 2 * same, 7 + bitten, 3 * same], dim=1)


def draw(n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw sentences without held-out pairs; only who is poor counts."""
    biter, verb, bitten = (torch.randint(k, (n,), generator=generator) for k in (6, 3, 4))
    ids = sentences(biter, verb, (biter // 2 * 2 + 2 + bitten) % 6)
    return ids, (torch.arange(7) == 5).expand(n, 7)


@dataclass(frozen=True)
class Order(OneAnswer):
    """The task to name, after "poor", the one who was bitten."""

    vocabulary: tuple[str, ...] = VOCABULARY
    length: int = 8

    name = "order"
    defaults = {"seed": 3, "steps": 400, "d_model": 16, "d_k": 8}  # noqa: RUF012
    figures = ("bitten",)
    functions = (sentences, draw)
    told, asks = 3, 5  # places: of who was bitten, and before the answer

    def held_out(self) -> Batch:
        """Return all sentences with unseen pairs, each in both orders."""
        biter, verb = every(6, 3)
        ids = sentences(biter, verb, biter ^ 1)
        return self.batch(ids, (torch.arange(7) == 5).expand(len(ids), 7))

    def law(self, tokens: Sequence[str]) -> str | None:
        """Return who comes after the verb.

        >>> Order().law(("<s>", "dog", "bites", "man", ",", "poor"))
        'man'
        """
        return tokens[self.told] if len(tokens) == self.asks + 1 and tokens[-1] == "poor" else None

    def counts(self, tokens: Sequence[str], place: int) -> bool:
        """Whether a place's token is "poor"."""
        return tokens[place] == "poor"
