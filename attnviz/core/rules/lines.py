"""Over what a matrix is shared out, its lines: rows, as attention does it, columns, or all of it."""

import numpy as np

ROWS, COLUMNS, WHOLE = AXES = ("rows", "columns", "whole")


def sharing(axis: str, hidden: np.ndarray) -> np.ndarray:
    """Return of each cell that isn't hidden among how many its line is shared out, of a hidden one 0.

    >>> sharing(COLUMNS, np.array([[False, True], [False, False]]))
    array([[2, 0],
           [2, 1]])
    """
    over = {ROWS: 1, COLUMNS: 0, WHOLE: None}[axis]
    return np.where(hidden, 0, (~hidden).sum(over, keepdims=True))


def in_lines(matrix: np.ndarray, axis: str) -> np.ndarray:
    """Return a matrix whose rows are what shares are made over."""
    return matrix if axis == ROWS else matrix.T if axis == COLUMNS else matrix.reshape(1, -1)


def out_of_lines(lines: np.ndarray, axis: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return such a matrix in rows and columns again."""
    return lines if axis == ROWS else lines.T if axis == COLUMNS else lines.reshape(shape)
