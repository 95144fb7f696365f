"""What printed numbers are parts of: of one, of a hundred or of a thousand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnviz.tables.printed_table import MAX_DECIMALS, Printed


def in_its_unit(table: Printed, kind: str, fits: Callable[[Printed], np.ndarray]) -> tuple[Printed, int]:
    """Return a table of what a rule of this `kind` makes in whole units, and what its numbers are parts of: percent or
    thousandths where only that makes sense of most of them. `fits` says of which cells of a table so read it does."""
    there = np.isfinite(table.array) & (table.array != 0)
    if there.sum() < 2 or _share(fits(table), there) > 0.3:
        return table, 1
    for unit, zeros in ((100, 2), (1000, 3)):
        if unit == 100 and kind != "softmax":
            continue  # elsewhere, a hundred times too large is too large
        read = _parts_of(table, unit, zeros)
        sums = np.nansum(np.where(np.isfinite(table.array), table.array, 0.0), axis=1)
        adds_up = kind == "softmax" and bool((np.abs(sums / unit - 1) < 0.05).all())
        if _share(fits(read), there) >= 0.7 or adds_up:
            return read, unit
    return table, 1


def _share(fits: np.ndarray, there: np.ndarray) -> float:
    return float(fits[there].mean())


def with_numbers(table: Printed, numbers: np.ndarray) -> Printed:
    """Return a table with other numbers in its cells."""
    return replace(table, rows=tuple(map(tuple, numbers.tolist())))


def _parts_of(table: Printed, unit: int, zeros: int) -> Printed:
    shown = None if table.shown is None else tuple(tuple(n + zeros for n in row) for row in table.shown)
    in_units = with_numbers(table, table.array / unit)
    return replace(in_units, decimals=min(table.decimals + zeros, MAX_DECIMALS), shown=shown)
