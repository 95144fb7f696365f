"""How tables were printed: in percent, masked, or from half precision."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from attnviz.core.masks import CAUSAL, MASKS, Masked
from attnviz.core.rules import Softmax, values
from attnviz.core.rules.bounds import BFLOAT16, FLOAT16
from attnviz.features.check.marking.settings import base_of
from attnviz.features.tables.printed_table import MAX_DECIMALS, Printed
from attnviz.typed_numbers import decimals_of


def in_its_unit(table: Printed, shares: bool, fits: Callable[[Printed], np.ndarray]) -> tuple[Printed, int]:
    """Return a table converted from percent or the like, and its unit.

    The unit is 100 (percent) or 1000 if most numbers fit only after the conversion, else 1; `fits` says which cells do.
    """
    there = np.isfinite(table.array) & (table.array != 0)
    if there.sum() < 2 or fits(table)[there].mean() > 0.3:
        return table, 1
    for unit, zeros in ((100, 2), (1000, 3)):
        if unit == 100 and not shares:
            continue  # nobody prints other tables in percent: there, a factor of 100 is an error
        shown = (
            None if table.cell_decimals is None else tuple(tuple(n + zeros for n in row) for row in table.cell_decimals)
        )
        in_units = with_numbers(table, table.array / unit)
        read = replace(in_units, decimals=min(table.decimals + zeros, MAX_DECIMALS), cell_decimals=shown)
        sums = np.nansum(np.where(np.isfinite(table.array), table.array, 0.0), axis=1)
        adds_up = shares and bool((np.abs(sums / unit - 1) < 0.05).all())
        if fits(read)[there].mean() >= 0.7 or adds_up:
            return read, unit
    return table, 1


def with_numbers(table: Printed, numbers: np.ndarray) -> Printed:
    """Return a table with other numbers in its cells."""
    return replace(table, rows=tuple(map(tuple, numbers.tolist())))


_AS_ENDLESS = -9_999.0  # numbers from here down stand for −∞, such as −10000 or −1e9
_MOST_SIZES = 64  # sizes of a mask, such as a window's, that are tried
_MOST_LIKELY = 3  # masks with which a handout is marked, to see which one leaves the fewest errors
_SCORES, _WEIGHTS = ("scores", "scaled_scores"), "attention_weights"


def found_mask(printed: Mapping[str, Printed]) -> Masked | None:
    """Return the mask that scores or weights show; None without one.

    Hidden keys are -∞ or blank, and all others are numbers. Blanks alone are evidence only of a causal mask.

    >>> found = found_mask({"scores": Printed.of([[1.0, -1e9], [2.0, 3.0]])})
    >>> found and found.kind.name, found_mask({"scores": Printed.of([[1, 2]])})
    ('causal', None)
    """
    found = (_found(base_of(name), table.array) for name, table in printed.items())
    return next(filter(None, found), None)


def perhaps_masked(printed: Mapping[str, Printed], before: Mapping[str, np.ndarray]) -> dict[Masked, bool]:
    """Return masks that zeros in attention weights suggest, the likeliest first.

    Each key that a mask hides has an attention weight of 0 in all rows or, if the mask's value is False, in all rows
    but one, which may be wrong. As weights of visible keys may round to 0, too, many masks may fit. Returned are the
    few with which the softmax of the scaled scores in `before` comes nearest to the printed weights.
    """
    every = {name: table.array for name, table in printed.items() if base_of(name) == _WEIGHTS}
    zeros = [weights == 0 for weights in every.values()]
    if not zeros or len({each.shape for each in zeros}) > 1 or not _may_hide(zeros[0]):
        return {}
    of_all = np.logical_and.reduce(zeros)
    rows = {mask: _rows_that_show(mask.hidden(*of_all.shape), zeros) for mask in _masks(of_all)}
    likely = [mask for mask, shown in rows.items() if all(shown) or (len(shown) > 2 and shown.count(False) == 1)]

    def off(mask: Masked) -> float:
        hidden = mask.hidden(*of_all.shape)
        scores = {name: before.get(name.replace(_WEIGHTS, "scaled_scores")) for name in every}
        return sum(
            float(np.nansum(np.abs(values(Softmax(), np.where(hidden, -np.inf, each)) - every[name])))
            for name, each in scores.items()
            if each is not None and each.shape == hidden.shape
        )

    return {mask: all(rows[mask]) for mask in sorted(likely, key=off)[:_MOST_LIKELY]}


def _rows_that_show(hidden: np.ndarray, zeros: list[np.ndarray]) -> list[bool]:
    """Return, for each row with hidden keys, whether their weights are 0."""
    return [bool(each[row][hidden[row]].all()) for each in zeros for row in np.flatnonzero(hidden.any(axis=1))]


def _masks(zeros: np.ndarray) -> Iterator[Masked]:
    """Yield masks that leave each query a key; the best fit first."""
    if exactly := Masked.like(zeros):
        yield exactly
    for kind in MASKS.values():
        for size in range(1, min(zeros.shape[1], _MOST_SIZES)) if kind.sized else (0,):
            mask = Masked(kind, size)
            if kind.whys and (hidden := mask.hidden(*zeros.shape)).any() and not hidden.all(axis=1).any():
                yield mask


def without_masked(printed: Mapping[str, Printed], masked: Masked) -> dict[str, Printed]:
    """Return the tables with masked cells −∞ in scaled scores, else blank."""
    return {name: _written(base_of(name), table, masked) for name, table in printed.items()}


def _may_hide(array: np.ndarray) -> bool:
    """Whether there are at least as many keys as queries, and several."""
    return array.shape[1] >= array.shape[0] > 1


def _endless(name: str, array: np.ndarray) -> np.ndarray | None:
    """Return which cells are masked; None if masks don't concern the table."""
    if name not in (*_SCORES, _WEIGHTS) or not _may_hide(array):
        return None
    return (array == -np.inf) if name == _WEIGHTS else (array <= _AS_ENDLESS)


def _found(name: str, array: np.ndarray) -> Masked | None:
    if (endless := _endless(name, array)) is None:
        return None
    found = Masked.like(endless | np.isnan(array))
    return found if found is not None and (endless.any() or found.kind is MASKS[CAUSAL]) else None


def _written(name: str, table: Printed, masked: Masked) -> Printed:
    endless = _endless(name, table.array)
    if endless is None or not (hidden := endless & masked.hidden(*endless.shape)).any():
        return table
    return with_numbers(table, np.where(hidden, -np.inf if name == "scaled_scores" else np.nan, table.array))


_TELLS = -1.0  # log chance to lie on a grid by accident; a table below it is evidence for the grid
_CHANCE = math.log(1e-6)  # log chance of all tables together; if it is larger, they may be on the grid by accident


class Grid(NamedTuple):
    """A floating-point type: binary `digits`, `least` exponent and `largest` number."""

    dtype: str
    precision: float
    digits: int
    least: int
    largest: float

    def steps(self, values: np.ndarray) -> np.ndarray:
        """Return how far apart the type's numbers are near these values."""
        exponents = np.frexp(values)[1] - 1
        return np.ldexp(1.0, np.maximum(exponents, self.least) - self.digits + 1)

    def holds(self, table: Printed) -> np.ndarray:
        """Return which cells show a number of this type, or aren't finite."""
        shortest = table.cell_decimals is not None and len({count for row in table.cell_decimals for count in row}) > 1
        values, units = (
            table.array,
            (10.0 ** -np.array(table.cell_decimals, dtype=np.float64) if shortest else _units(table)),
        )
        with np.errstate(all="ignore"):  # numbers may be of any size, and some are infinite
            steps = self.steps(values)
            near = np.abs(np.round(values / steps) * steps - values) <= 0.5 * units * (1 + 1e-6) + 1e-12
        return ~np.isfinite(values) | (near & (np.abs(values) <= self.largest))

    def behind(self, table: Printed) -> np.ndarray:
        """Return the type's nearest number to each one printed."""
        values = table.array
        with np.errstate(all="ignore"):
            steps = self.steps(values)
            return np.where(self.holds(table) & np.isfinite(values), np.round(values / steps) * steps, values)

    def chance(self, table: Printed, finer: "Grid") -> float:
        """Return the log chance that a table fits the grid by accident.

        In that case its numbers are of a `finer` type. Round numbers lie on every grid, so each number counts only by
        the digits that it needs.
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
    """A half precision that was found in printed numbers.

    `tables` names the tables with all numbers on its `grid`; `elsewhere` has each table's cells that aren't on it.
    """

    grid: Grid
    tables: tuple[str, ...]
    elsewhere: Mapping[str, np.ndarray]

    @property
    def dtype(self) -> str:
        """The name of the type."""
        return self.grid.dtype

    @property
    def precision(self) -> float:
        """The type's largest relative rounding error."""
        return self.grid.precision


def half_of(printed: Mapping[str, Printed]) -> Half | None:
    """Return the half precision that tables were computed in, or None."""
    for grid, finer in _GRIDS:
        held = {name: grid.holds(table) for name, table in printed.items()}
        whole = tuple(name for name, cells in held.items() if cells.all())
        chances = {name: grid.chance(table, finer) for name, table in printed.items()}
        telling = [name for name, chance in chances.items() if chance < _TELLS]
        n_whole = len(set(telling) & set(whole))
        # Out of many tables, some lie on a grid by chance: the more ways there are to choose them, the likelier.
        chosen = math.log(math.comb(len(telling), n_whole))
        if sum(chances[name] for name in whole) + chosen < _CHANCE:
            return Half(grid, whole, {name: ~cells for name, cells in held.items()})
    return None


def behind(table: Printed, grid: Grid | None = None) -> np.ndarray:
    """Return the half-precision numbers behind a table, or else the printed ones.

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
