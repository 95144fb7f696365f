"""Cap: scores kept between a limit and its negative, smoothly."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, Rule
from attnviz.core.rules.expression import I, J, Piece, at_once, number, sentence, sources, tanh
from attnviz.core.rules.reading import Shape
from attnviz.words.numbers import significant

ROUNDINGS = 6  # of the quotient, the tangent, of which a machine knows the last digits badly, and the product


@dataclass(frozen=True)
class Cap(Rule):
    """limit · tanh(z / limit): a number far below the limit hardly changes, and none gets beyond it.

    Source: Gemma Team 2024, Gemma 2, section 2 (logit soft-capping); Bello et al. 2016, section 5.3.

    >>> Cap(50.0).compute(torch.tensor([1.0, 1e6]))
    tensor([ 0.9999, 50.0000])
    """

    limit: float = 1.0

    name = "cap"

    @property
    def settings(self) -> dict[str, object]:
        """The limit, and as formulas write it."""
        return super().settings | {"limit_text": significant(self.limit)}

    def compute(self, *sources: Tensor) -> Tensor:
        """Divided, capped and multiplied, as models do."""
        return torch.tanh(sources[0] / self.limit) * self.limit

    def bounded(self, *tables: Bounded) -> Bounded:
        """The curve is nowhere steeper than 1."""
        return Bounded(np.tanh(tables[0].value / self.limit) * self.limit, tables[0].error)

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Quotient, tangent and product."""
        return np.abs(made.value) * ROUNDINGS

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The limit times the tangent of the number over it."""
        (x,), limit = sources(1), number(self.limit)
        words = sentence("explanation.cap.words", number=x.named(), limit=significant(self.limit))
        return (Piece(limit * at_once(tanh(x[I, J] / limit)), self.around(x.name()), (words,), roundings=ROUNDINGS),)

    def around(self, of: Any) -> tuple[Any, ...]:
        """Return what stands around a number in symbols, and the number."""
        limit = significant(self.limit)
        return f"{limit} · tanh(", of, f" / {limit})"

    def formula(self, *symbols: str) -> str:
        """The limit times the tangent."""
        limit = significant(self.limit)
        return f"{limit} · tanh({symbols[0]} / {limit})"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.tanh({names[0]} / {self.limit!r}) * {self.limit!r}"]
