"""Scores divided, and masked where a key comes after its query."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.cell import Cell, Factor, Made, Term
from attnviz.core.rules.displayed import as_decimal, quotient, sign
from attnviz.words import say


def later(n_queries: int, n_keys: int, device: torch.device | str = "cpu") -> Tensor:
    """Return where a key comes after its query, which a causal mask hides: ``(n_queries, n_keys)`` of bool.

    >>> later(2, 2)
    tensor([[False,  True],
            [False, False]])
    """
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).triu(1)


@dataclass(frozen=True)
class Scale(EachCell):
    """A score over √d_k (where `d_k` is not None) and the temperature; with `causal`, -∞ where its key comes later.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1.

    >>> Scale(d_k=4, temperature=2.0).divisor
    4.0
    """

    d_k: int | None = None
    temperature: float = 1.0
    causal: bool = False

    name = "scale"
    spells_sources = True

    @property
    def settings(self) -> dict[str, Any]:
        """Its fields, and the temperature as formulas write it."""
        return super().settings | {"temperature_text": f"{self.temperature:g}"}

    @property
    def divisor(self) -> float:
        """What the scores are divided by."""
        return (1.0 if self.d_k is None else math.sqrt(self.d_k)) * self.temperature

    def compute(self, *sources: Tensor) -> Tensor:
        """Divide, then mask."""
        scaled = sources[0] / self.divisor
        if self.causal:
            scaled = scaled.masked_fill(later(scaled.shape[-2], scaled.shape[-1], scaled.device), -math.inf)
        return scaled

    def hidden(self, n_rows: int, n_columns: int) -> np.ndarray | None:
        """Where the key comes after the query of a causal mask."""
        return later(n_rows, n_columns).numpy() if self.causal else None

    def bounded(self, *tables: Bounded) -> Bounded:
        """What is masked is exact."""
        value, error = tables[0]
        hidden = self.hidden(*value.shape)
        if hidden is None:
            hidden = np.zeros(value.shape, dtype=bool)
        with np.errstate(all="ignore"):
            return Bounded(np.where(hidden, -np.inf, value / self.divisor), np.where(hidden, 0.0, error / self.divisor))

    def formula(self, *symbols: str) -> str:
        """The score over its divisors."""
        formula = quotient(symbols[0], self.in_symbols) if self.in_symbols else say("stages.formula.undivided")
        return say("stages.formula.masked", formula=formula) if self.causal else formula

    def code(self, made: str, *names: str) -> list[str]:
        """A quotient, masked where the key comes later."""
        lines = [f"{made} = {quotient(names[0], self._divisors('d_k**0.5', repr(self.temperature)), ' * ')}"]
        if self.causal:
            lines += [
                f"future = torch.ones_like({names[0]}, dtype=torch.bool).triu(1)",
                f'{made} = {made}.masked_fill(future, float("-inf"))  # none attends to a later token',
            ]
        return lines

    def explain(self, cell: Cell) -> Made:
        """A quotient, then the mask."""
        (score,) = cell.factors(cell.sources[0])
        exact = score.value / self.divisor
        symbols, steps = quotient(score.symbols, self.in_symbols), self._steps(cell, score.value)
        divided = self.in_words(cell)
        words = say("explanation.scale.divided", score=score.symbols, divisor=divided)
        if not divided:
            words = say("explanation.scale.undivided", score=score.symbols)
        if cell.masked:
            masked = say("explanation.step.masked")
            steps.append(f"→ −∞ {masked}")
            symbols = f"−∞ {masked}"
            words = say("explanation.scale.masked", key=cell.label("columns"), query=cell.label("rows"), words=words)
        return Made(
            symbols, steps, words, (Term(exact, (score,)),), -math.inf if cell.masked else exact,
            0.0 if cell.masked else cell.tolerance(abs(exact), 4), self.divisor, masked=cell.masked,
            notes=_trouble(cell, score),
        )  # fmt: skip

    def _steps(self, cell: Cell, score: float) -> list[str]:
        numerator, value = cell.write(score), cell.write(score / self.divisor if cell.masked else cell.value)
        cooled = cell.write(self.temperature)
        steps = [quotient(numerator, self._divisors(f"√{self.d_k}", cooled), " × ")]
        denominator = cell.write(self.divisor) if self.in_symbols else "1"
        if self.d_k is not None:
            displayed = Decimal(self.d_k).sqrt() * (as_decimal(cooled) if self.temperature != 1 else 1)
            steps.append(f"{sign(displayed, denominator)} {numerator} / {denominator}")
        return [*steps, f"{sign(as_decimal(numerator) / as_decimal(denominator), value)} {value}"]

    @property
    def in_symbols(self) -> list[str]:
        """What scores are divided by, in symbols."""
        return self._divisors("√d_k", self.settings["temperature_text"])

    def in_words(self, cell: Cell) -> str:
        """Say what scores are divided by; empty where by nothing."""
        temperature = say("explanation.scale.temperature", temperature=f"{self.temperature:g}")
        if self.d_k is None:
            return temperature if self.temperature != 1 else ""
        root = say("explanation.scale.root", n=self.d_k, root=cell.write(math.sqrt(self.d_k)))
        if self.temperature == 1:
            return root
        return say("explanation.scale.both", root=root, temperature=temperature)

    def _divisors(self, root: str, temperature: str) -> list[str]:
        return [root] * (self.d_k is not None) + [temperature] * (self.temperature != 1)


def _trouble(cell: Cell, score: Factor) -> tuple[str, ...]:
    if not math.isfinite(score.value):
        return (cell.already(score),)
    if not math.isfinite(cell.value) and not cell.masked:
        return (say("explanation.trouble.quotient_beyond", largest=cell.largest_float),)
    return ()
