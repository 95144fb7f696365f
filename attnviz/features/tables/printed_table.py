"""A printed table: its numbers, and how many decimals it prints."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attnviz.core.limits import MAX_TOKENS, check_whole, in_short
from attnviz.typed_numbers import decimals_of
from attnviz.words.numbers import in_format, not_finite

MAX_DECIMALS = 12
LEAST_NEEDED = 2  # decimals that every number counts as having, even if they are zeros
LARGE = 1e7  # from here on, numbers are written with powers of ten


@dataclass(frozen=True)
class Printed:
    """A printed table: its numbers (NaN for a blank) and their decimals.

    `cell_decimals` are those of each cell, or None if only the numbers are known. With `by_power`, numbers are written
    with powers of ten, so that each has decimals of its own. `dtype` is the type of number that the print-out names, as
    numpy and torch do if it isn't their default. `remarks` are sentences on how an ambiguous text was read, and on what
    was left out.
    """

    rows: tuple[tuple[float, ...], ...]
    decimals: int
    cell_decimals: tuple[tuple[int, ...], ...] | None = None
    dtype: str = field(default="", repr=False)
    by_power: bool = field(default=False, repr=False)
    remarks: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def of(cls, table: Any, decimals: int | None = None, *, shown: bool = False, name: str = "the table") -> "Printed":
        """Return a table from a nested sequence or array.

        `decimals` default to those of its numbers. With `shown`, each cell counts as printed with the decimals that its
        number has. `name` is the table's name in errors.

        Raises ``ValueError`` for anything but a table of numbers.

        >>> Printed.of([[0.5, 1.25]]).decimals
        2
        """
        array = as_table(name, table)
        rows = tuple(map(tuple, array.tolist()))
        counts = tuple(tuple(decimals_of(value) for value in row) for row in rows)
        most = min(max(map(max, counts)), MAX_DECIMALS) if decimals is None else decimals
        check_whole("decimals", most, 0, MAX_DECIMALS)
        return cls(rows, most, counts if shown else None)

    @property
    def array(self) -> np.ndarray:
        """The numbers, float64 ``(rows, columns)``."""
        return np.array(self.rows, dtype=np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return len(self.rows), len(self.rows[0])

    @property
    def places(self) -> np.ndarray:
        """How many decimals each number is rounded to.

        They are the table's decimals, or fewer if the number's whole column shows fewer, because zeros at the end may
        have been left out. With powers of ten, they are the number's own decimals, maybe below 0, but at most as many
        as some number of the table needs: a number rounded to 2 decimals gains none by being printed as 1.600e-01.
        """
        if self.cell_decimals is None:
            return np.full(self.shape, self.decimals)
        own = np.array(self.cell_decimals)
        if self.by_power:
            return np.minimum(own, min(MAX_DECIMALS, self._needed()))
        columns = own.max(axis=0) if len(own) > 1 else np.full(own.shape[1], self.decimals)
        return np.broadcast_to(np.minimum(columns, self.decimals), self.shape).copy()

    def _needed(self) -> int:
        """Return how many decimals its numbers need; for few numbers, the maximum."""
        counts = [decimals_of(value) for row in self.rows for value in row if math.isfinite(value) and value]
        return max(LEAST_NEEDED, *counts) if len(counts) > 2 else MAX_DECIMALS

    def without_shared_zeros(self) -> "Printed":
        """Return the same table without the end zeros its numbers share.

        A program may print a number that was rounded to 2 decimals as 0.7700; these zeros aren't digits of the number.
        """
        if self.cell_decimals is None:
            return self
        most = self._needed()
        counts = tuple(tuple(min(count, most) for count in row) for row in self.cell_decimals)
        return self if counts == self.cell_decimals else replace(self, cell_decimals=counts)

    def with_decimals(self, decimals: int) -> "Printed":
        """Return the same table with this many decimals in every number."""
        check_whole("decimals", decimals, 0, MAX_DECIMALS)
        return replace(self, decimals=decimals, cell_decimals=None, by_power=False)


def as_table(name: str, table: Any) -> np.ndarray:
    """Return float64 numbers ``(rows, columns)``, or raise ``ValueError``."""
    try:
        array = np.asarray(table.detach().cpu().double() if hasattr(table, "detach") else table, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        message = f"{name} is {in_short(table)}, expected a table of numbers with rows of one length"
        raise ValueError(message) from None
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or 0 in array.shape or max(array.shape) > MAX_TOKENS:
        raise ValueError(f"{name} has shape {array.shape}, expected rows and columns, at most {MAX_TOKENS} of each")
    return array


def as_printed(value: float, decimals: int) -> str:
    """Write a number with this many decimals, as a table prints it."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return not_finite(value)
    if abs(value) >= LARGE:
        return in_format(value, f".{max(decimals, 0)}e")
    return in_format(round(value, decimals) + 0.0 if decimals < 0 else value + 0.0, f".{max(decimals, 0)}f")
