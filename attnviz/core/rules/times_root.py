"""A matrix times the root of its width: what the vectors of tokens go through before positions are added."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Made, Term, grouped
from attnviz.core.rules.explaining.displayed import as_decimal, sign
from attnviz.words import say


@dataclass(frozen=True)
class TimesRoot(EachCell):
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

    def formula(self, *symbols: str) -> str:
        """A product."""
        return f"√d_in · {symbols[0]}"

    def code(self, made: str, *names: str) -> list[str]:
        """A product."""
        return [f"{made} = {names[0]} * {names[0]}.shape[-1] ** 0.5"]

    def explain(self, cell: Cell) -> Made:
        """The number and the root."""
        (number,) = cell.factors(cell.sources[0])
        d = cell.matrices[number.matrix].shape[-1]
        exact, root, value = number.value * math.sqrt(d), cell.write(math.sqrt(d)), cell.write(cell.value)
        displayed = as_decimal(root) * as_decimal(cell.write(number.value))
        notes: tuple[str, ...] = ()
        if not math.isfinite(number.value):
            notes = (cell.already(number),)
        elif not math.isfinite(cell.value):
            notes = (say("explanation.trouble.on_the_way", largest=cell.largest_float),)
        times = grouped(cell.write(number.value))
        steps = [f"√{d} × {times}", f"{sign(Decimal(d).sqrt(), root)} {root} × {times}"]
        return Made(
            f"√{d} × {number.symbols}", [*steps, f"{sign(displayed, value)} {value}"],
            say("explanation.times_root.words", number=cell.named(number), n=d),
            (Term(exact, (number,)),), exact, cell.tolerance(abs(exact), 4), notes=notes,
        )  # fmt: skip
