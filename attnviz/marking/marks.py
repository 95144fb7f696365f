"""What a cell may be marked as, and the marking of one table against the right one."""

from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.limits import check_whole
from attnviz.tables.printed_table import MAX_DECIMALS, as_table

# Print-outs are of float32 as a rule: what it cannot hold is no one's error, and a tie may be rounded either way.
FLOAT32_SLACK = 1e-6


class Mark(StrEnum):
    """The mark of one cell.

    `RIGHT` is what exact arithmetic rounds to; `CARRIED` differs from that, and is what arithmetic on right,
    rounded numbers before it gives; `HIDDEN` differs as digits that rounded numbers before it do not show can move
    it; `CUT` is right but for its last digit, which was cut off and not rounded, like those of the other tables;
    `FOLLOWS` is not right, and follows correctly from a wrong number before it. `UNLIKELY` could be moved so far by
    hidden digits, if all of them conspired, but hardly ever is; `DOUBTFUL` is wrong if the inputs are exact as printed,
    and right if they hide digits, which is about as likely; `WRONG` is none of these; `BLANK` is left out.
    """

    RIGHT = "right"
    CARRIED = "carried"
    HIDDEN = "hidden"
    CUT = "cut"
    FOLLOWS = "follows"
    UNLIKELY = "unlikely"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"
    BLANK = "blank"


ENTERS = (Mark.WRONG, Mark.UNLIKELY)  # where an error enters
NOT_RIGHT = (*ENTERS, Mark.FOLLOWS)


class Windows(NamedTuple):
    """The true numbers that are printed as a table's: for each cell the middle of them, and how far they go."""

    middle: np.ndarray
    half: np.ndarray

    @classmethod
    def of(cls, given: np.ndarray, places: np.ndarray, *, cut: bool = False) -> "Windows":
        """Return what is printed like this to so many decimals, if it was rounded, or `cut` off."""
        half = 0.5 * 10.0 ** -places.astype(np.float64)
        if not cut:
            return cls(given, half)
        return cls(given + np.sign(given) * half, np.where(given == 0, 2 * half, half))

    def hold(self, right: np.ndarray, error: np.ndarray | float = 0.0) -> np.ndarray:
        """Whether each of these numbers is printed like this, give or take an error of it."""
        with np.errstate(all="ignore"):  # infinities are compared by themselves
            slack = self.half + FLOAT32_SLACK * np.maximum(1.0, np.abs(right)) + error
            close = np.abs(self.middle - right) <= slack
        return np.where(np.isfinite(right), close, self.middle == right)


def mark(given: Any, computed: Any, decimals: int = 4) -> tuple[tuple[Mark, ...], ...]:
    """Mark a table cell by cell: is each number what the computed one rounds to, at this many decimals?

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
    right = Windows.of(given, np.full(given.shape, decimals)).hold(computed)
    return as_marks(np.where(np.isnan(given), Mark.BLANK, np.where(right, Mark.RIGHT, Mark.WRONG)))


def as_marks(marks: np.ndarray) -> tuple[tuple[Mark, ...], ...]:
    """Return an array of marks as nested tuples."""
    return tuple(tuple(Mark(each) for each in row) for row in marks.tolist())
