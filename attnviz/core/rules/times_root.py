"""A matrix times the root of its width: what the vectors of tokens go through before positions are added."""

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Bounded, Rule
from attnviz.core.rules.expression import I, J, Piece, number, root, sentence, sources
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class TimesRoot(Rule):
    """Each number times √d, where its matrix has d columns.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.4.
    """

    name = "times_root"

    def compute(self, *sources: Tensor) -> Tensor:
        """A product."""
        return sources[0] * math.sqrt(sources[0].shape[-1])

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors grow with the numbers."""
        root = math.sqrt(tables[0].value.shape[1])
        with np.errstate(all="ignore"):
            return Bounded(tables[0].value * root, tables[0].error * root)

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The root is rounded before the product is."""
        return 2 * np.abs(made.value)

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The number and the root."""
        (x,), d = sources(1), shapes[0][1]
        words = sentence("explanation.times_root.words", number=x.named(), n=d)
        value = root(number(d, str(d))) * x[I, J]
        return (Piece(value, (f"√{d} × ", x.name()), (words,), roundings=4, trouble="read"),)

    def formula(self, *symbols: str) -> str:
        """A product."""
        return f"√d_in · {symbols[0]}"

    def code(self, made: str, *names: str) -> list[str]:
        """A product."""
        return [f"{made} = {names[0]} * {names[0]}.shape[-1] ** 0.5"]
