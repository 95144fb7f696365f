"""What a cell may be marked as, and the marking of one table against the right one."""

from enum import StrEnum
from typing import Any

import numpy as np

from attnviz.core.limits import check_whole
from attnviz.tables.printed_table import MAX_DECIMALS, as_table

# Print-outs are of float32 as a rule: what it cannot hold is no one's error, and a tie may be rounded either way.
FLOAT32_SLACK = 1e-6


class Mark(StrEnum):
    """The mark of one cell.

    `RIGHT` is what exact arithmetic rounds to; `CARRIED` differs from that, and is what arithmetic on right,
    rounded numbers before it gives; `HIDDEN` differs by no more than the digits can move it that rounded numbers
    before it do not show; `SHORTER` is right with one digit fewer than the table has; `FOLLOWS` is not
    right, and follows correctly from a wrong number before it; `WRONG` is neither; `BLANK` is left out.
    """

    RIGHT = "right"
    CARRIED = "carried"
    HIDDEN = "hidden"
    SHORTER = "shorter"
    FOLLOWS = "follows"
    WRONG = "wrong"
    BLANK = "blank"


def near(given: np.ndarray, right: np.ndarray, decimals: int, error: np.ndarray | float = 0.0) -> np.ndarray:
    """Whether each number is what the right one rounds to, give or take an error of the right one."""
    with np.errstate(all="ignore"):  # infinities are compared by themselves
        slack = 0.5 * 10.0**-decimals + FLOAT32_SLACK * np.maximum(1.0, np.abs(right)) + error
        close = np.abs(given - right) <= slack
    return np.where(np.isfinite(right), close, given == right)


def mark(given: Any, computed: Any, decimals: int = 4) -> tuple[tuple[Mark, ...], ...]:
    """Mark a table cell by cell: whether each number is what the computed one rounds to at so many decimals.

    `given` and `computed` are ``(rows, columns)``, as nested sequences or arrays; a NaN in `given` is a blank.
    A tie may be rounded either way, and what float32 cannot hold is allowed for.

    Raises ``ValueError`` for tables of different shapes, and for decimals outside of 0 to 12.

    >>> mark([[0.99, 0.5]], [[1.05, 0.5]], decimals=2)
    ((<Mark.WRONG: 'wrong'>, <Mark.RIGHT: 'right'>),)
    """
    given, computed = as_table("given", given), as_table("computed", computed)
    check_whole("decimals", decimals, 0, MAX_DECIMALS)
    if given.shape != computed.shape:
        raise ValueError(f"given has shape {given.shape}, expected {computed.shape} like computed")
    marks = np.where(near(given, computed, decimals), Mark.RIGHT, Mark.WRONG)
    return as_marks(np.where(np.isnan(given), Mark.BLANK, marks))


def as_marks(marks: np.ndarray) -> tuple[tuple[Mark, ...], ...]:
    """Return an array of marks as nested tuples."""
    return tuple(tuple(Mark(each) for each in row) for row in marks.tolist())
