"""Which cells a cell is made from, by the rule of its stage alone."""

from collections.abc import Mapping
from typing import NamedTuple

from attnviz.attention import AttentionTrace
from attnviz.limits import check_whole
from attnviz.position_wise import FeedForwardTrace
from attnviz.stages import EVERY_STAGE, VECTORS

Shapes = Mapping[str, tuple[int, int]]  # (rows, columns) of each matrix, by its name


class Cells(NamedTuple):
    """A block of cells: all of `rows` by all of `columns` of one matrix; a bias has only row 0."""

    matrix: str
    rows: range
    columns: range

    @property
    def symbols(self) -> str:
        """The row, column or cell that this is, in symbols.

        >>> Cells("k", range(5, 6), range(2)).symbols
        'K[5, :]'
        """
        row, column = (line.start if len(line) == 1 else ":" for line in (self.rows, self.columns))
        return name_of(self.matrix, row, column)


class Factor(NamedTuple):
    """A cell that a term is made from, with its value."""

    matrix: str
    row: int
    column: int
    value: float

    @property
    def symbols(self) -> str:
        """The cell in symbols."""
        return name_of(self.matrix, self.row, self.column)


class Term(NamedTuple):
    """One term: the product of its factors, a bias, the quotient of a score, the exp of a scaled score.

    The remainder of a long sum has no factors; `n_terms` says how many terms it holds.
    """

    value: float
    factors: tuple[Factor, ...] = ()
    n_terms: int = 1


def name_of(matrix: str, row: int | str, column: int | str) -> str:
    """Write a cell, a row or a column in symbols, counted from 0 as in Python.

    >>> name_of("k", 5, ":"), name_of("b_q", 0, 1)
    ('K[5, :]', 'b_q[1]')
    """
    place = f"{column}" if matrix in VECTORS else f"{row}, {column}"
    return f"{EVERY_STAGE[matrix].symbol}[{place}]"


def shapes_of(trace: AttentionTrace | FeedForwardTrace) -> dict[str, tuple[int, int]]:
    """Return ``(rows, columns)`` of every matrix that a trace has, by its name; a bias is one row.

    Raises ``ValueError`` for a batched trace.

    >>> from attnviz.scenario import Scenario, trace
    >>> shapes_of(trace(Scenario()))["w_q"]
    (3, 2)
    """
    shapes = {}
    for name in EVERY_STAGE:
        matrix = getattr(trace, name, None)
        if matrix is not None:
            if matrix.dim() > 2:
                raise ValueError(f"{name} has shape {tuple(matrix.shape)}, expected one matrix and no batch")
            shapes[name] = (1 if matrix.dim() == 1 else matrix.shape[0], matrix.shape[-1])
    return shapes


def sources_of(name: str, row: int, column: int, shapes: Shapes) -> tuple[Cells, ...]:
    """Return the cells that a cell is made from, by the rule of its stage; a given cell is made from none.

    `shapes` holds ``(rows, columns)`` of each matrix by its name, as from :func:`shapes_of`; a bias without a
    shape is not added, and what would be made from another matrix without a shape is given. A masked cell keeps
    the source that the mask hides, and a softmax its masked cells.

    Raises ``ValueError`` for a matrix without a shape, and for a row or column outside of it.

    >>> sources_of("scores", 1, 5, {"scores": (6, 6), "q": (6, 2), "k": (6, 2)})[1]
    Cells(matrix='k', rows=range(5, 6), columns=range(0, 2))
    """
    if not isinstance(name, str) or name not in EVERY_STAGE or name not in shapes:
        raise ValueError(f"{name!r} is no matrix of this trace, expected one of {', '.join(shapes)}")
    row = check_whole(f"row of {name}", row, 0, shapes[name][0] - 1)
    column = check_whole(f"column of {name}", column, 0, shapes[name][1] - 1)
    stage = EVERY_STAGE[name]
    if stage.rule == "given" or any(source not in shapes for source in stage.sources):
        return ()
    first = stage.sources[0]
    this_row, this_column, inner = range(row, row + 1), range(column, column + 1), range(shapes[first][1])
    if stage.rule in ("scale", "relu"):
        return (Cells(first, this_row, this_column),)
    if stage.rule == "softmax":
        return (Cells(first, this_row, inner),)
    second = stage.sources[1]
    factors = Cells(second, this_column, inner) if stage.transposed else Cells(second, inner, this_column)
    bias = (Cells(stage.bias, range(1), this_column),) if stage.bias and stage.bias in shapes else ()
    return (Cells(first, this_row, inner), factors, *bias)
