"""Whether printed tables were computed in half precision, told by their numbers: each is one that it can hold."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from attnviz.core.rules import BFLOAT16, FLOAT16, Precision
from attnviz.tables.printed_table import MAX_DECIMALS, Printed, decimals_of

_TELLS = -1.0  # the logarithm of a chance: numbers that likely lie on a grid are those that they are printed as
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
        values, units = table.array, _own_units(table)
        with np.errstate(all="ignore"):  # numbers may be of any size, and some are infinite
            steps = self.steps(values)
            near = np.abs(np.round(values / steps) * steps - values) <= 0.5 * units * (1 + 1e-6) + 1e-12
        return ~np.isfinite(values) | (near & (np.abs(values) <= self.largest))

    def behind(self, table: Printed) -> np.ndarray:
        """Return the number of the type behind each that is printed: the nearest, for a program that prints as few
        digits as tell a number means that.
        """
        values = table.array
        with np.errstate(all="ignore"):
            steps = self.steps(values)
            return np.where(self.holds(table) & np.isfinite(values), np.round(values / steps) * steps, values)

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

    grid: Grid
    tables: tuple[str, ...]
    elsewhere: Mapping[str, np.ndarray]

    @property
    def dtype(self) -> str:
        """The name of the type."""
        return self.grid.dtype

    @property
    def precision(self) -> Precision:
        """How the type rounds."""
        return self.grid.precision


def half_of(printed: Mapping[str, Printed]) -> Half | None:
    """Return the half precision that these tables were computed in, if whole ones lie on its grid, and others would
    hardly do so by chance.

    >>> half = half_of({"q": Printed.of([[0.4307, 1.4551, 1.2842], [0.8765, 2.3301, 1.0093]])})
    >>> half is None
    True
    """
    for grid, finer in _GRIDS:
        held = {name: grid.holds(table) for name, table in printed.items()}
        whole = tuple(name for name, cells in held.items() if cells.all())
        chances = {name: grid.chance(table, finer) for name, table in printed.items()}
        telling = [name for name, chance in chances.items() if chance < _TELLS]
        n_whole = len(set(telling) & set(whole))
        # Of many tables some lie on a grid by chance: so many ways there are to choose them.
        chosen = math.log(math.comb(len(telling), n_whole))
        if sum(chances[name] for name in whole) + chosen < _CHANCE:
            return Half(grid, whole, {name: ~cells for name, cells in held.items()})
    return None


def behind(table: Printed, grid: Grid | None = None) -> np.ndarray:
    """Return the numbers behind a table that was printed from half precision, by its own word or as found; else those
    that are printed.

    >>> behind(Printed(((0.431, 0.5347),), 4, ((3, 4),), dtype="float16")).tolist()
    [[0.430908203125, 0.53466796875]]
    """
    said = next((each for each, _ in _GRIDS if each.dtype == table.dtype), None)
    if said is not None:
        return said.behind(table)
    return grid.behind(table) if grid is not None and grid.holds(table).all() else table.array


def _units(table: Printed) -> np.ndarray:
    """Return the last printed place of each cell."""
    return 10.0 ** -table.places.astype(np.float64)


def _is_shortest(table: Printed) -> bool:
    """Whether each number is printed with as many digits as it needs, as numpy does, and not all with as many."""
    return table.shown is not None and len({count for row in table.shown for count in row}) > 1


def _own_units(table: Printed) -> np.ndarray:
    """Return the last printed place of each cell, where numbers are printed as short as can be: that of its own."""
    return 10.0 ** -np.array(table.shown, dtype=np.float64) if _is_shortest(table) else _units(table)
