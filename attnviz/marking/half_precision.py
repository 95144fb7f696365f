"""Whether printed tables were computed in half precision, told by their numbers: each is one that it can hold."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from attnviz.core.rules import BFLOAT16, FLOAT16, Precision
from attnviz.tables.printed_table import MAX_DECIMALS, Printed, decimals_of

_CHANCE = math.log(1e-6)  # of other numbers to lie on a grid all together; what is likelier proves nothing


class Grid(NamedTuple):
    """The numbers that a type holds: so many binary digits each, powers of two from `least` on, up to `largest`."""

    dtype: str
    precision: Precision
    digits: int
    least: int
    largest: float

    def steps(self, values: np.ndarray) -> np.ndarray:
        """Return how far apart its numbers are where these values lie."""
        exponents = np.frexp(values)[1] - 1
        return np.ldexp(1.0, np.maximum(exponents, self.least) - self.digits + 1)

    def holds(self, table: Printed) -> np.ndarray:
        """Return of each cell whether a number of the type is printed like this; of what is no number, that it is."""
        values, units = table.array, _units(table)
        with np.errstate(all="ignore"):  # numbers may be of any size, and some are infinite
            steps = self.steps(values)
            near = np.abs(np.round(values / steps) * steps - values) <= 0.5 * units * (1 + 1e-6) + 1e-12
        return ~np.isfinite(values) | (near & (np.abs(values) <= self.largest))

    def chance(self, table: Printed, finer: "Grid") -> float:
        """Return the logarithm of the chance that all numbers of a table lie on the grid, if they are printed from
        those of a finer one. Round numbers lie on every grid, and so count by the digits that they need.
        """
        there = np.isfinite(table.array) & (table.array != 0)
        values = table.array[there]
        needed = np.array([10.0 ** -min(decimals_of(value), MAX_DECIMALS) for value in values.tolist()])
        units = np.maximum(needed, _units(table)[there])
        return float(np.log(np.minimum(1.0, np.maximum(units, finer.steps(values)) / self.steps(values))).sum())


_FLOAT16 = Grid("float16", FLOAT16, 11, -14, 65504.0)
_GRIDS = (
    (Grid("bfloat16", BFLOAT16, 8, -126, 3.39e38), _FLOAT16),
    (_FLOAT16, Grid("float32", FLOAT16, 24, -126, 3.41e38)),
)


class Half(NamedTuple):
    """The type that tables were computed in, those whose numbers all lie on its grid, and the cells that don't."""

    dtype: str
    precision: Precision
    tables: tuple[str, ...]
    elsewhere: Mapping[str, np.ndarray]


def half_of(results: Mapping[str, Printed]) -> Half | None:
    """Return the half precision that these results were computed in, if whole tables of them lie on its grid, and
    others would hardly do so by chance.

    >>> half = half_of({"q": Printed.of([[0.4307, 1.4551, 1.2842], [0.8765, 2.3301, 1.0093]])})
    >>> half is None
    True
    """
    for grid, finer in _GRIDS:
        held = {name: grid.holds(table) for name, table in results.items()}
        whole = tuple(name for name, cells in held.items() if cells.all())
        if sum(grid.chance(results[name], finer) for name in whole) < _CHANCE:
            return Half(grid.dtype, grid.precision, whole, {name: ~cells for name, cells in held.items()})
    return None


def _units(table: Printed) -> np.ndarray:
    """Return the last printed place of each cell."""
    return 10.0 ** -table.places.astype(np.float64)
