"""Cap: scores kept between a limit and its negative, smoothly."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Made, Term, grouped
from attnviz.core.rules.explaining.displayed import as_decimal, sign
from attnviz.words import say
from attnviz.words.numbers import significant

ROUNDINGS = 6  # of the quotient, the tangent, of which a machine knows the last digits badly, and the product


@dataclass(frozen=True)
class Cap(EachCell):
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

    def formula(self, *symbols: str) -> str:
        """The limit times the tangent."""
        limit = significant(self.limit)
        return f"{limit} · tanh({symbols[0]} / {limit})"

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.tanh({names[0]} / {self.limit!r}) * {self.limit!r}"]

    def explain(self, cell: Cell) -> Made:
        """The number over the limit, its tangent, times the limit."""
        (number,) = cell.factors(cell.sources[0])
        tangent = math.tanh(number.value / self.limit)
        exact = self.limit * tangent
        before, limit, written, value = map(cell.write, (number.value, self.limit, tangent, cell.value))
        displayed = as_decimal(before) / as_decimal(limit) if math.isfinite(number.value) else number.value
        steps = [
            f"{limit} × tanh({before} / {limit})",
            f"{sign(Decimal(math.tanh(float(displayed))), written)} {limit} × {grouped(written)}",
            f"{sign(as_decimal(limit) * as_decimal(written), value)} {value}",
        ]
        words = say("explanation.cap.words", number=cell.named(number), limit=significant(self.limit))
        return Made(
            self.formula(number.symbols), steps, words, (Term(exact, (number,)),), exact,
            cell.tolerance(abs(exact), ROUNDINGS), notes=() if math.isfinite(cell.value) else (cell.already(number),),
        )  # fmt: skip
