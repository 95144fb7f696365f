"""The derivatives of rules, cell by cell, for the chain rule.

A rule that isn't registered here yields no derivatives, and the chain ends before it.
"""

import math
from collections.abc import Iterator
from functools import singledispatch
from typing import NamedTuple

from torch import Tensor

from attnviz.core.rules import (
    Add,
    Concatenate,
    Difference,
    Product,
    Rotate,
    Rule,
    Scale,
    Sigmoid,
    Slice,
    Softmax,
    Times,
    reads,
)
from attnviz.core.rules.rows import ROWS


class Derivative(NamedTuple):
    """The derivative of a result's cell by a source's cell.

    `row` and `column` are the result's cell, and `by` is the derivative. If the derivative is the number in a source's
    cell, `of` is this cell.
    """

    row: int
    column: int
    by: float
    of: tuple[int, int, int] | None = None  # source, row, column


@singledispatch
def derivatives(rule: Rule, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield the derivatives of the cells of `made` by a source's cell.

    `made` and `sources` are tables ``(rows, columns)``; `source` is the index of the source, and `row` and `column` are
    its cell. Cells of `made` whose derivative is always 0 are left out.
    """
    yield from ()


@derivatives.register
def _(rule: Add, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield 1 for a summand, which is passed on."""
    yield Derivative(row, column, 1.0)


@derivatives.register
def _(rule: Difference, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield 1 for the first source, minus the factor for the second."""
    yield Derivative(row, column, 1.0 if source == 0 else -rule.factor)


@derivatives.register
def _(rule: Times, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield the other factor, for each cell that a factor multiplies."""
    rows = range(made.shape[0]) if source == 1 and rule.repeated == "row" else (row,)
    columns = range(made.shape[1]) if source == 1 and rule.repeated == "column" else (column,)
    for at in ((each, other) for each in rows for other in columns):
        first = (0 if rule.repeated == "row" else at[0], 0 if rule.repeated == "column" else at[1])
        place = (1, *first) if source == 0 else (0, *at)
        yield Derivative(*at, float(sources[place[0]][place[1:]]), place)


@derivatives.register
def _(rule: Sigmoid, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield s(1−s) for the share s."""
    share = float(made[row, column])
    yield Derivative(row, column, share * (1 - share))


@derivatives.register
def _(rule: Slice, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield 1 for a cell in the slice's columns."""
    if rule.start <= column < rule.stop:
        yield Derivative(row, column - rule.start, 1.0)


@derivatives.register
def _(rule: Concatenate, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield 1, at the cell's place after the sources before."""
    below = rule.axis == ROWS
    before = sum(table.shape[0 if below else 1] for table in sources[:source])
    yield Derivative(row + before, column, 1.0) if below else Derivative(row, before + column, 1.0)


@derivatives.register
def _(rule: Rotate, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield the angle's cosine for the cell, its sine for its partner."""
    ((_, pair),) = reads(rule, row, column, (made.shape[0], made.shape[1]))
    angle = rule.angle(rule.place + row, column, made.shape[1]) if len(pair) > 1 else 0.0
    for at in pair:
        sine = math.sin(angle) if at > column else -math.sin(angle)
        yield Derivative(row, at, math.cos(angle) if at == column else sine)


@derivatives.register
def _(rule: Product, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield the factors that multiply the cell, along a line."""
    if rule.cosine or rule.typed:
        return
    if source == 0:
        for at in range(made.shape[1]):
            other = (at, column) if rule.transposed else (column, at)
            yield Derivative(row, at, float(sources[1][other]), (1, *other))
    elif source == 1:
        inner, own = (column, row) if rule.transposed else (row, column)
        for at in range(made.shape[0]):
            yield Derivative(at, own, float(sources[0][at, inner]), (0, at, inner))


@derivatives.register
def _(rule: Scale, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield the factor that scales a score; a mask isn't learned."""
    if source == 0 and not (rule.factor and len(sources) > 1):
        yield Derivative(row, column, 1 / rule.divisor)


@derivatives.register
def _(rule: Softmax, source: int, row: int, column: int, made: Tensor, *sources: Tensor) -> Iterator[Derivative]:
    """Yield a(1−a) for the share itself, and −ab for any other b."""
    if rule.axis != ROWS or len(sources) > 1:
        return
    shares = made[row].tolist()
    own = shares[column]
    for at, share in enumerate(shares):
        yield Derivative(row, at, own * (1 - own) if at == column else -own * share)
