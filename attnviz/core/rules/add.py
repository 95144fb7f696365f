"""The sum of matrices of one shape."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Factor, Made, Term
from attnviz.core.rules.explaining.displayed import as_decimal, in_sum, sign, total
from attnviz.words import say


@dataclass(frozen=True)
class Add(Rule):
    """Two matrices, cell by cell."""

    name = "add"
    n_sources = (2,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Add them."""
        return sources[0] + sources[1]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The shape that both have."""
        expect(shapes[1] == shapes[0], "the second summand", shapes[1], f"{shapes[0]} like the first")
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The cell at the same place of each."""
        return tuple((range(row, row + 1), range(column, column + 1)) for _ in shapes)

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors add up."""
        a, b = tables
        with np.errstate(all="ignore"):
            return Bounded(a.value + b.value, a.error + b.error)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """The same places."""
        return marks[0] | marks[1]

    def formula(self, *symbols: str) -> str:
        """A sum."""
        return " + ".join(symbols)

    def code(self, made: str, *names: str) -> list[str]:
        """A sum."""
        return [f"{made} = {' + '.join(names)}"]

    def explain(self, cell: Cell) -> Made:
        """Their sum."""
        numbers = [number for cells in cell.sources for number in cell.factors(cells)]
        values, value = [cell.write(number.value) for number in numbers], cell.write(cell.value)
        displayed = sum(map(as_decimal, values), start=Decimal(0))
        token = cell.token_of(cell.stage, cell.row)
        first, second = (number.symbols for number in numbers)
        key = "explanation.add.words" if token is None else "explanation.add.of_token"
        exact = total(number.value for number in numbers)
        return Made(
            self.formula(first, second), [in_sum(values), f"{sign(displayed, value)} {value}"],
            say(key, token=token, first=first, second=second),
            tuple(Term(number.value, (number,)) for number in numbers), exact,
            cell.tolerance(total(abs(number.value) for number in numbers), 2),
            notes=() if math.isfinite(cell.value) else tuple(_trouble(cell, numbers, exact)),
        )  # fmt: skip


def _trouble(cell: Cell, numbers: list[Factor], exact: float) -> list[str]:
    broken = [number for number in numbers if not math.isfinite(number.value)]
    if broken:
        from_two = math.isnan(cell.value) and not any(math.isnan(number.value) for number in broken)
        return [cell.already(broken[0]), *([say("explanation.trouble.difference")] if from_two else [])]
    arithmetic = f"{in_sum([cell.write(number.value) for number in numbers])} = {cell.write(exact)}"
    infinite = cell.write(math.copysign(math.inf, exact))
    return [say("explanation.trouble.beyond", arithmetic=arithmetic, largest=cell.largest_float, infinite=infinite)]
