"""The product of two matrices, with a bias added to each row where there is one."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import numpy as np
from torch import Tensor, matmul
from torch.nn.functional import linear

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Cells, Made, Term, line_of
from attnviz.core.rules.explaining.displayed import DECIMALS, as_decimal, in_sum, shortened, sign, sign_of_all, total
from attnviz.core.rules.explaining.position_parts import four_parts
from attnviz.words import say

SMALL, LARGE = 1e-18, 1e18  # lengths between these can be squared in float32


@dataclass(frozen=True)
class Product(Rule):
    """Rows of the first source times columns of the second, or times its rows where it is `transposed`.

    What attention doesn't do: with `cosine`, each product of two rows is divided by their lengths, so that only their
    directions count; and cells ``(row, column, number)`` may be `typed` in place of what they would be.

    >>> import torch
    >>> Product(transposed=True, cosine=True).compute(torch.tensor([[3.0, 0.0]]), torch.tensor([[2.0, 2.0]]))
    tensor([[0.7071]])
    """

    transposed: bool = False
    cosine: bool = False
    typed: tuple[tuple[int, int, float], ...] = ()

    name = "product"
    n_sources = (2, 3)

    def compute(self, *sources: Tensor) -> Tensor:
        """Multiply, then add the bias to each row."""
        return self.kernel(len(sources))(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        """Torch's own product, and what is done to it where something is."""
        product = _with_transpose if self.transposed else matmul
        return partial(self._finished, product) if n_sources == 3 or self.cosine or self.typed else product

    def _finished(self, product: Callable[[Tensor, Tensor], Tensor], *sources: Tensor) -> Tensor:
        first, second, *biases = sources
        made = product(first, second)
        if self.cosine:
            made = made / (first.norm(dim=-1)[..., :, None] * second.norm(dim=-1)[..., None, :])
        for bias in biases:
            made = made + bias
        for row, column, number in self.typed:
            made[..., row, column] = number
        return made

    def _typed_at(self, row: int, column: int) -> float | None:
        return next((number for *place, number in self.typed if place == [row, column]), None)

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
        if self._typed_at(row, column) is not None:
            inner = range(0)
        second = (this_column, inner) if self.transposed else (inner, this_column)
        return ((this_row, inner), second, *((range(1), this_column) for _ in shapes[2:]))

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors add up along the sum."""
        a, b = tables[:2]
        if self.cosine:
            a, b = (_of_length_1(each) for each in (a, b))
        if self.transposed:
            b = Bounded(b.value.T, b.error.T)
        with np.errstate(all="ignore"):
            value = a.value @ b.value
            error = np.abs(a.value) @ b.error + a.error @ np.abs(b.value) + a.error @ b.error
            for bias in tables[2:]:
                value, error = value + bias.value, error + bias.error
        for row, column, number in self.typed:
            value[row, column], error[row, column] = number, 0.0
        return Bounded(value, error)

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The product is kept before the bias is added; of a cosine, so are the lengths and their product."""
        sizes: np.ndarray = np.abs(made.value) * (6 if self.cosine else 1)
        for bias in tables[2:]:
            sizes = sizes + np.abs(made.value - bias.value)
        return sizes

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Each product goes through a sum of all, and so does the bias."""
        first, second = (np.abs((_of_length_1(table) if self.cosine else table).value) for table in tables[:2])
        terms: np.ndarray = first @ (second.T if self.transposed else second)
        for bias in tables[2:]:
            terms = terms + np.abs(bias.value)
        return (first.shape[1] + 1) * (4 if self.cosine else 1) * terms

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell whose row of the first, column of the second, or bias holds a mark."""
        second = marks[1].T if self.transposed else marks[1]
        rows = np.logical_or.reduce(marks[0], axis=1, keepdims=True)
        made: np.ndarray = rows | np.logical_or.reduce(second, axis=0, keepdims=True)
        made = made | marks[2] if len(marks) == 3 else made
        for row, column, _ in self.typed:
            made[row, column] = False
        return made

    def formula(self, *symbols: str) -> str:
        """The factors beside each other, plus the bias."""
        product = f"{symbols[0]} {symbols[1]}{'ᵀ' if self.transposed else ''}"
        if self.cosine:
            product = f"cos({symbols[0]}, {symbols[1]})"
        return " + ".join((product, *symbols[2:]))

    def code(self, made: str, *names: str) -> list[str]:
        """A matrix product."""
        product = f"{names[0]} @ {names[1]}{'.mT' if self.transposed else ''}"
        if self.cosine:
            lengths = f"{names[0]}.norm(dim=-1)[..., :, None] * {names[1]}.norm(dim=-1)[..., None, :]"
            product = f"{product} / ({lengths})"
        lines = [f"{made} = {' + '.join((product, *names[2:]))}"]
        return lines + [f"{made}[..., {row}, {column}] = {number!r}" for row, column, number in self.typed]

    def explain(self, cell: Cell) -> Made:
        """Number by number, then the sum of the products and the bias."""
        if (typed := self._typed_at(cell.row, cell.column)) is not None:
            words = say("explanation.product.typed")
            return Made(say("explanation.product.typed_symbols"), [cell.write(typed)], words, (), typed, 0.0)
        made = self._summed(cell)
        if self.cosine:
            return _of_directions(cell, made)
        parts = four_parts(cell) if self.transposed and math.isfinite(cell.value) else None
        return made._replace(notes=(*made.notes, parts)) if parts else made

    def _summed(self, cell: Cell) -> Made:
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


def _of_length_1(table: Bounded) -> Bounded:
    """Return rows over their lengths."""
    with np.errstate(all="ignore"):
        lengths = np.sqrt((table.value**2).sum(-1, keepdims=True))
        moved = np.sqrt((table.error**2).sum(-1, keepdims=True))
        near = np.maximum(lengths - moved, 0.0)
        value = table.value / lengths
        return Bounded(value, np.where(near > 0, (table.error + np.abs(value) * moved) / near, np.inf))


def _of_directions(cell: Cell, made: Made) -> Made:
    """Return what is said of a product that is divided by the lengths of both its rows."""
    lengths = [math.sqrt(total(each.value**2 for each in cell.factors(cells))) for cells in cell.sources[:2]]
    dot, around = made.exact, cell.tolerance(1.0, 4 * (len(cell.sources[0].columns) + 3))
    divisor = lengths[0] * lengths[1]
    exact = dot / divisor if divisor else math.nan
    is_fine = math.isfinite(exact) and all(SMALL < each < LARGE for each in lengths)
    product, one, other, value = (cell.write(each) for each in (dot, *lengths, cell.value))
    below = DECIMALS.multiply(as_decimal(one), as_decimal(other))
    ratio = DECIMALS.divide(as_decimal(product), below) if below and math.isfinite(divisor) else Decimal("NaN")
    first, second = (cells.symbols for cells in cell.sources[:2])
    notes = [] if divisor else [say("explanation.product.no_direction")]
    return made._replace(
        symbols=f"{first} · {second} / (|{first}| × |{second}|)",
        steps=[f"{product} / ({one} × {other})", f"{sign(ratio, value)} {value}"],
        words=say("explanation.product.cosine", words=made.words),
        exact=exact, tolerance=around if is_fine else math.inf, divisor=divisor or 1.0, notes=(*made.notes, *notes),
    )  # fmt: skip


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


def _with_transpose(first: Tensor, second: Tensor) -> Tensor:
    """Of one matrix for all, torch makes the product with its transpose in one call."""
    return linear(first, second) if second.dim() == 2 else first @ second.mT
