"""The product of two matrices, with a bias added to each row where there is one."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.cell import Cell, Cells, Made, Term, line_of
from attnviz.core.rules.displayed import as_decimal, in_sum, shortened, sign_of_all, total
from attnviz.words import say


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

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
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

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The product is kept before the bias is added."""
        sizes: np.ndarray = np.abs(made.value)
        for bias in tables[2:]:
            sizes = sizes + np.abs(made.value - bias.value)
        return sizes

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

    def code(self, made: str, *names: str) -> list[str]:
        """A matrix product."""
        product = f"{names[0]} @ {names[1]}{'.mT' if self.transposed else ''}"
        return [f"{made} = {' + '.join((product, *names[2:]))}"]

    def explain(self, cell: Cell) -> Made:
        """Number by number, then the sum of the products and the bias."""
        first, second, *biases = cell.sources
        pairs = zip(cell.factors(first), cell.factors(second), strict=True)
        products = [Term(a.value * b.value, (a, b)) for a, b in pairs]
        bias = [Term(added.value, (added,)) for cells in biases for added in cell.factors(cells)]
        terms = (*shortened(products), *bias)
        words = say(
            "explanation.product.with_bias" if bias else "explanation.product.sum",
            n=len(products),
            first=_row_of(cell, first, cell.row),
            a=first.stage.symbol,
            second=_row_of(cell, second, cell.column)
            if self.transposed
            else line_of("column", cell.column + second.stage.first),
            b=second.stage.symbol,
        )
        size = total(abs(term.value) for term in (*products, *bias))
        return Made(
            symbols=" + ".join([f"{first.symbols} · {second.symbols}", *(cells.symbols for cells in biases)]),
            steps=_steps(cell, terms),
            words=words,
            terms=terms,
            exact=total(term.value for term in (*products, *bias)),
            tolerance=cell.tolerance(size, len(products) + 2),
            notes=() if math.isfinite(cell.value) else tuple(_trouble(cell, [*products, *bias])),
        )


def _steps(cell: Cell, terms: tuple[Term, ...]) -> list[str]:
    factors = [cell.write_factors(term) for term in terms]
    values = [cell.write(term.value) for term in terms]
    value = cell.write(cell.value)
    displayed = [
        math.prod((as_decimal(text.strip("()")) for text in texts), start=Decimal(1)) if term.factors else as_decimal(v)
        for term, texts, v in zip(terms, factors, values, strict=True)
    ]
    steps = [in_sum([" × ".join(texts) for texts in factors])]
    if len(terms) > 1:
        steps.append(f"{sign_of_all(displayed, values)} {in_sum(values)}")
        displayed = [sum(map(as_decimal, values), start=Decimal(0))]
    return [*steps, f"{sign_of_all(displayed, [value])} {value}"]


def _row_of(cell: Cell, cells: Cells, index: int) -> str:
    """Name a row of a source by its token; by its number, without one."""
    token = cell.token_of(cells.stage, index)
    return line_of("row", index) if token is None else say("explanation.line.of_token", token=token)


def _trouble(cell: Cell, terms: list[Term]) -> list[str]:
    no_number = [say("explanation.trouble.difference")] if math.isnan(cell.value) else []
    broken = [factor for term in terms for factor in term.factors if not math.isfinite(factor.value)]
    if broken:
        if any(math.isnan(factor.value) for factor in broken):
            no_number = []
        elif any(math.isnan(term.value) for term in terms):
            no_number = [say("explanation.trouble.product")]
        return [cell.already(broken[0]), *no_number]
    over = [term for term in terms if abs(term.value) > cell.precision.max]
    if not over:
        return [say("explanation.trouble.on_the_way", largest=cell.largest_float), *no_number]
    worst = max(over, key=lambda term: abs(term.value))
    beyond = say(
        "explanation.trouble.beyond",
        arithmetic=f"{' × '.join(cell.write_factors(worst))} = {cell.write(worst.value)}",
        largest=cell.largest_float,
        infinite=cell.write(math.copysign(math.inf, worst.value)),
    )
    others = len(over) - 1
    more = [say("explanation.trouble.others_beyond", n=others, terms=len(terms))] if others else []
    return [beyond, *more, *no_number]
