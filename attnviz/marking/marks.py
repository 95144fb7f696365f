"""What a cell may be marked as, and the marking of one table against the right one."""

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

import numpy as np

from attnviz.limits import MAX_TOKENS, check_whole

MAX_DECIMALS = 12
# Print-outs are of float32 as a rule: what it cannot hold is no one's error, and a tie may be rounded either way.
FLOAT32_SLACK = 1e-6


class Mark(StrEnum):
    """The mark of one cell.

    `RIGHT` is what exact arithmetic rounds to; `CARRIED` differs from that, and is what arithmetic on right,
    rounded numbers before it gives; `SHORTER` is right with one digit fewer than the table has; `FOLLOWS` is not
    right, and follows correctly from a wrong number before it; `WRONG` is neither; `BLANK` is left out.
    """

    RIGHT = "right"
    CARRIED = "carried"
    SHORTER = "shorter"
    FOLLOWS = "follows"
    WRONG = "wrong"
    BLANK = "blank"


@dataclass(frozen=True)
class Printed:
    """A table as it is printed: its rows of numbers (NaN for a blank), its decimals, and those shown in each cell.

    `shown` is None where only the numbers are known, not how they stand there.
    """

    rows: tuple[tuple[float, ...], ...]
    decimals: int
    shown: tuple[tuple[int, ...], ...] | None = None

    @classmethod
    def of(cls, table: Any, decimals: int | None = None, *, shown: bool = False) -> "Printed":
        """Return a table from any nested sequence or array; without `decimals`, as many as its numbers have.

        With `shown`, each cell counts as printed with the decimals that its number has.

        Raises ``ValueError`` for what is no table of numbers.

        >>> Printed.of([[0.5, 1.25]]).decimals
        2
        """
        array = as_table("the table", table)
        rows = tuple(map(tuple, array.tolist()))
        counts = tuple(tuple(decimals_of(value) for value in row) for row in rows)
        most = min(max(map(max, counts)), MAX_DECIMALS) if decimals is None else decimals
        check_whole("decimals", most, 0, MAX_DECIMALS)
        return cls(rows, most, counts if shown else None)

    @property
    def array(self) -> np.ndarray:
        """The numbers, float64 ``(rows, columns)``."""
        return np.array(self.rows, dtype=np.float64)


def decimals_of(value: float) -> int:
    """Return with how many decimals a number is written when none is wasted.

    >>> decimals_of(0.25), decimals_of(3.0), decimals_of(1e-7)
    (2, 0, 7)
    """
    if not math.isfinite(value):
        return 0
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def as_table(name: str, table: Any) -> np.ndarray:
    """Return a table of numbers as float64 ``(rows, columns)``.

    Raises ``ValueError`` for what is none, and for more than 1024 rows or columns.
    """
    try:
        array = np.asarray(table.detach().cpu() if hasattr(table, "detach") else table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is not a table of numbers with rows of one length") from None
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or 0 in array.shape or max(array.shape) > MAX_TOKENS:
        raise ValueError(f"{name} has shape {array.shape}, expected rows and columns, at most {MAX_TOKENS} of each")
    return array


def near(given: np.ndarray, right: np.ndarray, decimals: int, error: np.ndarray | float = 0.0) -> np.ndarray:
    """Whether each number is what the right one rounds to, give or take an error of the right one."""
    with np.errstate(invalid="ignore"):  # infinity less infinity; they are compared by themselves
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


def as_printed(value: float, decimals: int) -> str:
    """Write a number with so many decimals, as a table prints it.

    >>> as_printed(-1.047, 2), as_printed(float("nan"), 2)
    ('−1.05', '–')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return format(value + 0.0, f".{decimals}f").replace("-", "−")


def as_marks(marks: np.ndarray) -> tuple[tuple[Mark, ...], ...]:
    """Return an array of marks as nested tuples."""
    return tuple(tuple(Mark(each) for each in row) for row in marks.tolist())
