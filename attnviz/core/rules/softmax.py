"""Softmax: the exponentials of each row, over their sum."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape
from attnviz.words import say


@dataclass(frozen=True)
class Softmax(Rule):
    """Each row becomes shares that sum to 1."""

    name = "softmax"
    n_sources = (1,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own."""
        return torch.softmax(sources[0], dim=-1)

    def shape(self, *shapes: Shape) -> Shape:
        """The shape of the source."""
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The whole row."""
        return ((range(row, row + 1), range(shapes[0][1])),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """A number that is off by e makes its own exponential, and at worst the sum too, off by a factor of exp(e)."""
        value, error = tables[0]
        with np.errstate(all="ignore"):
            exponentials = np.exp(value - value.max(-1, keepdims=True))
            shares = exponentials / exponentials.sum(-1, keepdims=True)
            most = np.minimum(error + error.max(-1, keepdims=True), 50.0)
            return Bounded(shares, np.minimum(shares * np.expm1(most), 1.0))

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The difference to the row's largest is rounded before its exp is taken, and so are exp, sum and quotient."""
        first = np.abs(tables[0].value)
        scores = np.where(np.isfinite(first), first, 0.0)
        return made.value * (first.shape[1] + 4 + 2 * (scores + scores.max(-1, keepdims=True)))

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell of a row that holds a mark."""
        return np.broadcast_to(marks[0].any(axis=1, keepdims=True), marks[0].shape)

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        return say("stages.formula.softmax")

    def code(self, *names: str) -> str:
        """Torch's own."""
        return f"torch.softmax({names[0]}, dim=-1)"
