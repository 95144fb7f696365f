"""The mark of each cell: the first one whose condition holds."""

from typing import NamedTuple

import numpy as np

from attnviz.core.rules.bounds import Bounded
from attnviz.features.check.marking.hidden import Estimate, HiddenDigits
from attnviz.features.check.marking.outcome import ENTERS, FLOAT32_SLACK, Mark, Windows
from attnviz.features.check.marking.settings import Reading
from attnviz.features.tables.printed_table import Printed


class Made(NamedTuple):
    """A table's right numbers, computed in several ways, with possible errors."""

    exact: Bounded
    followed: Bounded
    loose: Bounded
    full: Estimate
    now: np.ndarray  # the likeliest numbers, with all digits
    spread: np.ndarray  # how far hidden digits usually move each of them
    machine: tuple[np.ndarray, np.ndarray]  # floating-point errors: of all steps so far, and of this step alone


class Tainted(NamedTuple):
    """The cells made from wrong numbers.

    `printed` are those made from numbers that are printed wrong, `within` those whose sources have wrong digits, though
    they may print as the right numbers.
    """

    printed: np.ndarray
    within: np.ndarray


def likely_cells(table: Printed, made: Made, reading: Reading, hidden: HiddenDigits) -> np.ndarray:
    """Return the cells of a table that hidden digits can explain."""
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
    # The first reason that holds gives the mark. Unless digits are cut off, floating-point error is allowed for only
    # where no reason above explains the number.
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
    """Return the marks, with errors that hidden digits can explain forgiven.

    After a slip, many numbers print as the right ones though their hidden digits are wrong. A later cell that such
    digits can explain isn't counted as a second error.
    """
    windows = Windows.of(table.array, table.places, cut=reading.results == "cut")
    allowed = windows.hold(made.loose.value, made.loose.error + made.machine[1])
    return np.where(np.isin(marks, ENTERS) & allowed, Mark.FOLLOWS, marks)
