"""One cell to explain: its place, names, sources and numbers."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from attnviz.core.rules.stage import Stage, names_on, owner_of
from attnviz.core.tokens import distance_label, token_labels, visible
from attnviz.words import say
from attnviz.words.numbers import written


class Cells(NamedTuple):
    """A block of cells in one stage's matrix; biases have one row."""

    stage: Stage
    rows: range
    columns: range

    @property
    def matrix(self) -> str:
        """The name of the matrix."""
        return self.stage.name

    @property
    def symbols(self) -> str:
        """The cell, whole row or whole column in symbols.

        >>> from attnviz.core.stages import STAGES
        >>> Cells(STAGES["k"], range(5, 6), range(2)).symbols
        'K[5, :]'
        """
        row, column = (line.start if len(line) == 1 else ":" for line in (self.rows, self.columns))
        return self.stage.at(row, column)


class Factor(NamedTuple):
    """A cell that a term is made from, with its value."""

    stage: Stage
    row: int
    column: int
    value: float

    @property
    def matrix(self) -> str:
        """The name of the matrix."""
        return self.stage.name

    @property
    def symbols(self) -> str:
        """The cell in symbols."""
        return self.stage.at(self.row, self.column)


class Term(NamedTuple):
    """One term: a product, bias, quotient or exp, or `n_terms` terms combined."""

    value: float
    factors: tuple[Factor, ...] = ()
    n_terms: int = 1


class CellExplanation(NamedTuple):
    """A rule's explanation of a cell.

    :class:`attnviz.explanation.explaining.Explanation` describes the fields.
    """

    symbols: str
    steps: Sequence[str]
    words: str
    terms: tuple[Term, ...]
    exact: float
    tolerance: float
    divisor: float = 1.0
    shift: float = 0.0
    masked: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One cell to explain; `matrices` and `table` are the whole computation."""

    stage: Stage
    row: int
    column: int
    value: float
    sources: tuple[Cells, ...]
    matrices: Mapping[str, Tensor]
    table: Mapping[str, Stage]
    tokens: tuple[str, ...]
    digits: int
    precision: torch.finfo
    masked: bool = False
    shown: Collection[str] | None = None  # names of the matrices that are displayed with it; None: all

    def label(self, axis: Literal["rows", "columns"]) -> str:
        """Return the cell's row or column, with the token's text."""
        kind = getattr(self.stage, axis)
        index = self.row if axis == "rows" else self.column
        if kind == "distance":
            return line_of(kind, distance_label(index, self.matrices[self.stage.name].shape[-1]))
        if kind == "feature":
            if axis == "columns":
                index += self.stage.first  # columns of a head's part of Q are counted in the whole Q
            return line_of(axis.removesuffix("s") if self.stage.rows == "feature" else kind, index)
        line, named = line_of(kind, index), names_on(self.stage, kind, self.tokens)
        if index >= len(named):
            return line
        whose = owner_of(self.stage, index, len(named))
        return say("explanation.line.called", line=line, token=visible(named[whose]))

    def place(self) -> str:
        """Name its row and its column; a bias has no rows."""
        column = self.label("columns")
        if self.stage.is_vector:
            return column
        return say("explanation.place", row=self.label("rows"), column=column)

    def token_of(self, stage: Stage, row: int) -> str | None:
        """Return a row's token, distinguished from equal ones; None without one."""
        if stage.rows == "entry":
            return visible(stage.entries[row]) if row < len(stage.entries) else None
        tokens = names_on(stage, stage.rows, self.tokens)
        if stage.rows == "feature" or row >= len(tokens):
            return None
        return token_labels(tokens)[owner_of(stage, row, len(tokens))]

    def named(self, factor: Factor) -> str:
        """Write a source's cell in symbols, with the token of its row."""
        token = self.token_of(factor.stage, factor.row)
        return factor.symbols if token is None else say("explanation.of_token", number=factor.symbols, token=token)

    def factors(self, cells: Cells) -> list[Factor]:
        """Return the cells of a block with their values in float64."""
        stage, rows, columns = cells
        matrix = in_rows(self.matrices[stage.name].detach())
        block = matrix[rows.start : rows.stop, columns.start : columns.stop : columns.step]
        values = block.cpu().double().flatten().tolist()
        places = ((row, column) for row in rows for column in columns)
        return [Factor(stage, *place, value) for place, value in zip(places, values, strict=True)]

    def write(self, value: float) -> str:
        """Write a number with the digits displayed."""
        return written(value, self.digits)

    def write_factors(self, term: Term) -> list[str]:
        """Return a term's factors as text, or a remainder's number of terms."""
        if not term.factors:
            return [say("explanation.step.more", count=term.n_terms, value=self.write(term.value))]
        texts = [self.write(factor.value) for factor in term.factors]
        return texts if len(texts) == 1 else [grouped(text) for text in texts]

    def tolerance(self, size: float, roundings: float) -> float:
        """Return the rounding error of a sum; infinite where it may overflow.

        `size` is the sum of its terms' magnitudes, and `roundings` the number of roundings on the way.
        """
        if not (size <= self.precision.max * (1 - self.precision.eps) and roundings >= 0):
            return math.inf
        return roundings * (self.precision.eps * size + self.precision.tiny)

    @property
    def largest_float(self) -> str:
        """The largest number that its precision holds, in words."""
        return say("explanation.trouble.largest", dtype=self.precision.dtype, value=self.write(self.precision.max))

    def nothing_left(self) -> str:
        """Return why the cell's row sums to 0: fully masked, or underflow."""
        masks = self.factors(self.sources[1]) if len(self.sources) > 1 else []
        if masks and all(mask.value == -math.inf for mask in masks):
            return say("explanation.trouble.nothing_left")
        return say("explanation.trouble.too_little_left", dtype=self.precision.dtype)

    def already(self, broken: Factor, name: str = "") -> str:
        """Return that a source isn't finite; `name` replaces its symbols."""
        return say("explanation.trouble.already", cell=name or broken.symbols, value=self.write(broken.value))


def in_rows(matrix: Tensor) -> Tensor:
    """Return a matrix as ``(rows, columns)``; a bias becomes one row."""
    return matrix[None] if matrix.dim() == 1 else matrix


def line_of(kind: str, index: int | str) -> str:
    """Name a row or a column by what it stands for.

    >>> line_of("query", 1)
    'query 1'
    """
    return say(f"explanation.line.{kind}", index=index)


def grouped(text: str) -> str:
    """Return a displayed number, in parentheses if it's negative.

    >>> grouped("−1.5"), grouped("1.5")
    ('(−1.5)', '1.5')
    """
    return f"({text})" if text.startswith("−") else text
