"""Scores divided, and masked where a key comes after its query."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
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
        divisors = self._divisors("√d_k", f"{self.temperature:g}")
        formula = over(symbols[0], divisors, " · ") if divisors else say("stages.formula.undivided")
        return say("stages.formula.masked", formula=formula) if self.causal else formula

    def code(self, *names: str) -> str:
        """A quotient, masked where the key comes later."""
        divided = over(names[0], self._divisors("d_k**0.5", repr(self.temperature)), " * ")
        if not self.causal:
            return divided
        divided = divided if divided == names[0] else f"({divided})"
        return f'{divided}.masked_fill(torch.ones_like({names[0]}, dtype=torch.bool).triu(1), float("-inf"))'

    def _divisors(self, root: str, temperature: str) -> list[str]:
        return [root] * (self.d_k is not None) + [temperature] * (self.temperature != 1)


def over(numerator: str, divisors: Sequence[str], joint: str) -> str:
    """Write a quotient; several divisors, joined to one, stand in parentheses.

    >>> over("S", [], " · "), over("S", ["√2"], " · "), over("S", ["√2", "3"], " · ")
    ('S', 'S / √2', 'S / (√2 · 3)')
    """
    if not divisors:
        return numerator
    return f"{numerator} / {divisors[0] if len(divisors) == 1 else f'({joint.join(divisors)})'}"
