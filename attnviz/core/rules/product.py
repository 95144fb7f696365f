"""The product of two matrices, with a bias added to each row where there is one."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, expect


@dataclass(frozen=True)
class Product(Rule):
    """Rows of the first source times columns of the second, or times its rows where it is `transposed`."""

    transposed: bool = False

    name = "product"
    n_sources = (2, 3)

    def compute(self, *sources: Tensor) -> Tensor:
        """Multiply, then add the bias to each row."""
        made = sources[0] @ (sources[1].mT if self.transposed else sources[1])
        return made + sources[2] if len(sources) == 3 else made

    def shape(self, *shapes: Shape) -> Shape:
        """As many rows as the first source, as many columns as the second."""
        first, second, *bias = shapes
        inner, width = second[::-1] if self.transposed else second
        line = "columns" if self.transposed else "rows"
        expect(first[1] == inner, "the second factor", second, f"{first[1]} {line} to fit the first {first}")
        for each in bias:
            expect(each == (1, width), "the bias", each, f"{(1, width)}")
        return first[0], width

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """A row of the first source, a column (or row) of the second, one number of the bias."""
        inner, this_row, this_column = range(shapes[0][1]), range(row, row + 1), range(column, column + 1)
        second = (this_column, inner) if self.transposed else (inner, this_column)
        return ((this_row, inner), second, *((range(1), this_column) for _ in shapes[2:]))

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors add up along the sum."""
        a, b = tables[:2]
        if self.transposed:
            b = Bounded(b.value.T, b.error.T)
        with np.errstate(all="ignore"):
            value = a.value @ b.value
            error = np.abs(a.value) @ b.error + a.error @ np.abs(b.value) + a.error @ b.error
            for bias in tables[2:]:
                value, error = value + bias.value, error + bias.error
        return Bounded(value, error)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Each product goes through a sum of all, and so does the bias."""
        first, second = (np.abs(table.value) for table in tables[:2])
        terms: np.ndarray = first @ (second.T if self.transposed else second)
        for bias in tables[2:]:
            terms = terms + np.abs(bias.value)
        return (first.shape[1] + 1) * terms

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell whose row of the first, column of the second, or bias holds a mark."""
        second = marks[1].T if self.transposed else marks[1]
        rows = np.logical_or.reduce(marks[0], axis=1, keepdims=True)
        made: np.ndarray = rows | np.logical_or.reduce(second, axis=0, keepdims=True)
        return made | marks[2] if len(marks) == 3 else made

    def formula(self, *symbols: str) -> str:
        """The factors beside each other, plus the bias."""
        product = f"{symbols[0]} {symbols[1]}{'ᵀ' if self.transposed else ''}"
        return " + ".join((product, *symbols[2:]))

    def code(self, *names: str) -> str:
        """A matrix product."""
        return " + ".join((f"{names[0]} @ {names[1]}{'.mT' if self.transposed else ''}", *names[2:]))
