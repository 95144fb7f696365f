"""The mark of each cell of a table: the first that holds."""

from typing import NamedTuple

import numpy as np

from attnviz.core.rules import Bounded
from attnviz.features.check.marking.hidden import Estimate, HiddenDigits
from attnviz.features.check.marking.outcome import ENTERS, FLOAT32_SLACK, Mark, Windows
from attnviz.features.check.marking.settings import Reading
from attnviz.tables.printed_table import Printed


class Made(NamedTuple):
    """What a table should be in each way, with its possible errors."""

    exact: Bounded
    followed: Bounded
    loose: Bounded
    full: Estimate
    now: np.ndarray  # the likeliest numbers with all digits, and how far those that are hidden usually move them
    spread: np.ndarray
    machine: tuple[np.ndarray, np.ndarray]  # of everything, and of this step alone


class Tainted(NamedTuple):
    """Which cells come from wrong numbers: as printed, and by hidden digits."""

    printed: np.ndarray
    within: np.ndarray


def likely_cells(table: Printed, made: Made, reading: Reading, hidden: HiddenDigits) -> np.ndarray:
    """Return which cells of a table hidden digits make likely."""
    given = table.array
    windows = Windows.of(given, table.places, cut=reading.results == "cut")
    with np.errstate(all="ignore"):
        noise = made.machine[0] + FLOAT32_SLACK * np.maximum(1, np.abs(given))
        return hidden.fits(made.full, made.spread, windows, ~np.isnan(given), noise)


def marks_of(
    table: Printed, made: Made, tainted: Tainted, likely: np.ndarray, reading: Reading, *, in_half: bool
) -> np.ndarray:
    """Return a table's marks; `in_half` if it was computed in half precision."""
    given, results = table.array, reading.results
    plain = Windows.of(given, table.places)
    windows = Windows.of(given, table.places, cut=True) if results == "cut" else plain
    blank, (of_all, of_step) = np.isnan(given), made.machine
    in_full = results != "rounded"
    carried, sure = results != "full", made.spread == 0
    either_error = plain.hold(made.exact.value, made.exact.error + of_all) | plain.hold(
        made.followed.value, made.followed.error + of_step
    )
    exact, exactly = plain.hold(made.exact.value), plain.hold(made.exact.value, of_all)
    followed = plain.hold(made.followed.value)
    stepped = plain.hold(made.followed.value, of_step)
    cut = windows.hold(made.exact.value, of_all) | windows.hold(made.followed.value, of_step) & ~tainted.printed
    # The first that holds; what a machine's arithmetic may add counts only where nothing else explains the number.
    reasons = [
        (blank, Mark.BLANK),
        (exact & (in_full | followed), Mark.RIGHT),
        (cut & (results == "cut"), Mark.CUT),
        (followed & ~tainted.printed & carried, Mark.CARRIED),
        (likely & sure & ~tainted.printed & in_full & (results != "cut"), Mark.CARRIED),
        (likely & ~sure & ~tainted.within & in_full, Mark.CUT if results == "cut" else Mark.HIDDEN),
        (followed & tainted.printed & carried, Mark.FOLLOWS),
        (exactly & in_full, Mark.RIGHT),
        (stepped & ~tainted.printed & carried, Mark.CARRIED),
        (likely & ~sure & ~tainted.printed & in_full, Mark.FOLLOWS),
        (either_error & ~tainted.printed & in_half, Mark.HIDDEN),
        ((stepped & carried) | (likely & reading.in_full), Mark.FOLLOWS),
        (either_error & in_half, Mark.FOLLOWS),
        (either_error & (reading.inputs != "exact"), Mark.UNLIKELY),
    ]
    return np.select([holds for holds, _ in reasons], [mark for _, mark in reasons], Mark.WRONG)


def with_allowed(table: Printed, made: Made, marks: np.ndarray, reading: Reading) -> np.ndarray:
    """Return marks without errors that hidden digits of printed tables explain.

    After a slip, so many digits are wrong that print as right ones: what these allow is no second error.
    """
    windows = Windows.of(table.array, table.places, cut=reading.results == "cut")
    allowed = windows.hold(made.loose.value, made.loose.error + made.machine[1])
    return np.where(np.isin(marks, ENTERS) & allowed, Mark.FOLLOWS, marks)
