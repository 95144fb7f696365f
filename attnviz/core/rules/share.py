"""Each row over its sum, without a softmax: what linear attention makes of its scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Bounded, Rule
from attnviz.core.rules.expression import (
    I,
    Index,
    J,
    K,
    Node,
    Piece,
    Text,
    add_up,
    as_number,
    exp,
    magnitude,
    rounded,
    sentence,
    sources,
    text,
)
from attnviz.core.rules.lines import ROWS
from attnviz.core.rules.reading import Shape
from attnviz.words import say


@dataclass(frozen=True)
class Share(Rule):
    """Each number over the sum of its row; with a second source, a mask, each is multiplied by its exponential first,
    which is 0 where it holds -∞.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
    """

    name = "share"
    n_sources = (1, 2)
    is_linear = True

    @property
    def masked_by(self) -> int:
        """The mask, where there is one."""
        return 1

    def compute(self, *sources: Tensor) -> Tensor:
        """Products with the mask, then quotients."""
        kept = sources[0] if len(sources) == 1 else sources[0] * sources[1].exp()
        return kept / kept.sum(-1, keepdim=True)

    def _kept(self, *tables: Bounded) -> Bounded:
        value, error = tables[0]
        if len(tables) == 1:
            return tables[0]
        mask, of_mask = tables[1]
        most = np.exp(mask + of_mask)
        return Bounded(value * np.exp(mask), (np.abs(value) + error) * (most - np.exp(mask)) + error * most)

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors of the numerator, and of the sum as far as the share is large."""
        with np.errstate(all="ignore"):
            value, error = self._kept(*tables)
            sums, of_sums = value.sum(-1, keepdims=True), error.sum(-1, keepdims=True)
            least = np.abs(sums) - of_sums
            shares = value / sums
            return Bounded(shares, np.where(least > 0, (error + np.abs(shares) * of_sums) / least, np.inf))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The exponential, the product and the quotient."""
        return np.abs(made.value) * 6 + self.summed(made, *tables)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The sum is off by as much more as its terms are larger than it is."""
        with np.errstate(all="ignore"):
            value = self._kept(*tables).value
            spread = np.abs(value).sum(-1, keepdims=True) / np.abs(value.sum(-1, keepdims=True))
            sizes: np.ndarray = np.abs(made.value) * spread * (value.shape[1] + 2)
            return sizes

    def shares_over(self, n_sources: int) -> str:
        """Rows."""
        return ROWS

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """A number over the sum of its row."""
        (score, mask), n = sources(2), shapes[0][1]

        def left(column: Index) -> Node:
            return as_number(score[I, column] * exp(mask[I, column]) if len(shapes) == 2 else score[I, column])

        def name(column: Any) -> Text:
            return (score.name(I, column), *((" × exp(", mask.name(I, column), ")") if len(shapes) == 2 else ()))

        each = ("(", *name("j"), ")") if len(shapes) == 2 else name("j")
        words = sentence("explanation.share.words", score=text(*name(J)), n=n)
        symbols = (*name(J), " / Σ_j ", *each)
        share, sums = left(J) / add_up(n, left(K), J), magnitude(add_up(n, left(K)))
        # The sum is off by as much more as its terms are larger than it is.
        size = magnitude(share) * (rounded(add_up(n, magnitude(left(K)))) / sums)
        return (Piece(share, symbols, (words,), (), n + 8, size, "share"),)

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        if len(symbols) == 1:
            return say("stages.formula.share")
        return say("stages.formula.share_masked", mask=symbols[1])

    def code(self, made: str, *names: str) -> list[str]:
        """Products with the mask, then quotients."""
        kept = names[0] if len(names) == 1 else f"{names[0]} * {names[1]}.exp()"
        return [f"{made} = {kept}", f"{made} = {made} / {made}.sum(-1, keepdim=True)"]
