"""Facts derived from a rule's declaration: cells read, and explanations."""

from functools import lru_cache, singledispatch

import numpy as np
import torch

from attnviz.core.rules import reading
from attnviz.core.rules.base import Rule
from attnviz.core.rules.explaining import cell_text
from attnviz.core.rules.explaining.cell import Cell, CellExplanation, Cells
from attnviz.core.rules.reading import Block, Pieces, Shape, block_of, piece_at


@lru_cache(maxsize=1024)
def declaration(rule: Rule, *shapes: Shape) -> Pieces:
    """Return a rule's declaration in JSON form; cached, so don't change it.

    `shapes` are those of the sources, ``(rows, columns)``.
    """
    return tuple(piece.as_json() for piece in rule.declared(*shapes))


def declaration_of(rule: Rule, cell: Cell) -> Pieces:
    """Return a rule's declaration for the shapes of a cell's sources."""
    shapes = ((1, *cell.matrices[cells.matrix].shape)[-2:] for cells in cell.sources)
    return declaration(rule, *((rows, columns) for rows, columns in shapes))


def reads(rule: Rule, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
    """Return the cells that a cell is computed from, by source.

    `shapes` are those of the sources, ``(rows, columns)``. A block is the rows and the columns that are read.
    """
    piece = piece_at(declaration(rule, *shapes), row, column)
    return tuple(block_of(piece, at, row, column, shape) for at, shape in enumerate(shapes))


def touched(rule: Rule, *marks: np.ndarray) -> np.ndarray:
    """Return which cells read a marked cell of a source.

    `marks` and the result are tables of bool ``(rows, columns)``; there's a table of marks for each source.
    """
    shapes: list[Shape] = [(mark.shape[0], mark.shape[1]) for mark in marks]
    return reading.touched(declaration(rule, *shapes), rule.shape(*shapes), marks)


def values(rule: Rule, *tables: np.ndarray) -> np.ndarray:
    """Return a rule's result, computed in float64.

    `tables` are the sources, ``(rows, columns)``.
    """
    made: np.ndarray = rule.compute(*(torch.tensor(table, dtype=torch.float64) for table in tables)).numpy()
    return made


def explain(rule: Rule, cell: Cell) -> CellExplanation:
    """Return how a cell is computed, in symbols, numbers and words."""
    explanation = cell_text.explained(cell, declaration_of(rule, cell))
    return explanation._replace(notes=(*explanation.notes, *more_notes(rule, cell)))


@singledispatch
def more_notes(rule: Rule, cell: Cell) -> tuple[str, ...]:
    """Return further notes on a cell of this rule; by default none."""
    return ()


def seen(rule: Rule, cell: Cell) -> tuple[Cells, ...]:
    """Return the sources of a cell that its explanation names."""
    return cell_text.seen(cell, declaration_of(rule, cell))
