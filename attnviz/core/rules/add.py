"""The sum of matrices of one shape."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Bounded, Derivative, Rule, Table
from attnviz.core.rules.expression import RESULT, I, J, Piece, sentence, sources
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class Add(Rule):
    """Two matrices, cell by cell."""

    name = "add"
    n_sources = (2,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Add them."""
        return sources[0] + sources[1]

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors add up."""
        a, b = tables
        with np.errstate(all="ignore"):
            return Bounded(a.value + b.value, a.error + b.error)

    def derivatives(self, source: int, row: int, column: int, made: Table, *sources: Table) -> Iterator[Derivative]:
        """It's passed on."""
        yield Derivative(row, column, 1.0)

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The sum of the cells at the same place."""
        a, b = sources(2)
        both = {"first": a.name(), "second": b.name()}
        words = (
            sentence("explanation.add.of_token", token=RESULT.token(), **both),
            sentence("explanation.add.words", **both),
        )
        return (Piece(a[I, J] + b[I, J], (a.name(), " + ", b.name()), words, roundings=2, trouble="sum"),)

    def formula(self, *symbols: str) -> str:
        """A sum."""
        return " + ".join(symbols)

    def code(self, made: str, *names: str) -> list[str]:
        """A sum."""
        return [f"{made} = {' + '.join(names)}"]
