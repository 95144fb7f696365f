"""Repeat: a block of letters comes again, as induction heads predict."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.features.learn.training.tasks.base import Batch, Task, Weights, is_held_out, learned_from, most

VOCABULARY = tuple("abcdefghijklmnopqrstuvwx")


def texts(orders: torch.Tensor, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return blocks of 3 to 16 letters, repeated up to 20.

    Only repetitions count.
    """
    lengths = torch.randint(3, 17, (len(orders), 1), generator=generator)
    return orders.gather(1, torch.arange(20) % lengths), torch.arange(19) >= lengths


def draw(n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw texts of any blocks whose first three letters aren't held out."""
    return texts(learned_from(torch.rand(n, 24, generator=generator).argsort(dim=1), 3), generator)


@dataclass(frozen=True)
class Repeat(Task):
    """The task: after a repeated letter comes what followed it before.

    Source: Olsson et al. 2022, In-context Learning and Induction Heads, for the figures of both heads.
    """

    vocabulary: tuple[str, ...] = VOCABULARY
    length: int = 20

    name = "repeat"
    defaults = {  # noqa: RUF012
        "seed": 0, "steps": 300, "learning_rate": 0.01, "batch_size": 32, "n_layers": 2, "d_model": 32, "d_k": 32,
    }  # fmt: skip
    figures = ("induction", "first_block")
    functions = (is_held_out, learned_from, texts, draw)

    def held_out(self) -> Batch:
        """Return blocks whose first three letters are never drawn together."""
        generator = torch.Generator().manual_seed(2**31)
        orders = torch.rand(4000, 24, generator=generator).argsort(dim=1)
        return self.batch(*texts(orders[is_held_out(orders, 3)][:64], generator))

    def law(self, tokens: Sequence[str]) -> str | None:
        """Return what followed the last token where it occurred before.

        >>> Repeat().law("dogd")
        'o'
        """
        before = [i for i, token in enumerate(tokens[:-1]) if token == tokens[-1]]
        return tokens[before[-1] + 1] if before else None

    def counts(self, tokens: Sequence[str], place: int) -> bool:
        """Whether the letter at a place has occurred before."""
        return tokens[place] in tokens[:place]

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return the heads' attention to what followed the same letter before.

        The figure `first_block` is the attention to the token just before, within the first block.
        """
        foretold = torch.nn.functional.pad(batch.foretold, (0, 1))
        first = torch.nn.functional.pad(~batch.foretold[:, 1:], (1, 1))
        return {
            "induction": most(weights, after_the_same(batch.ids), foretold),
            "first_block": most(weights, torch.eye(batch.ids.shape[1]).roll(-1, dims=1).tril(-1), first),
        }


def after_the_same(ids: Tensor) -> Tensor:
    """Return which keys follow an earlier equal token: ``(texts, queries, keys)``.

    >>> after_the_same(torch.tensor([[3, 5, 3]]))[0, 2].tolist()
    [0.0, 1.0, 0.0]
    """
    same = ids[:, :, None] == ids[:, None, :]
    same = torch.tril(same, -1)
    return torch.nn.functional.pad(same[:, :, :-1], (1, 0)).float()
