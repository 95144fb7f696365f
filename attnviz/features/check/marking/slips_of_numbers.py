"""Slips of numbers, rows and columns: miswritten, misread, swapped or shifted."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from attnviz.core.rules import GELU, Add, ReLU, Scale, turns_second
from attnviz.features.check.marking.step import ANY, PRODUCT, Candidate, Candidates, Row, Slip, Step, computed_by, pairs
from attnviz.words import say


def _left_as_it_was(step: Step) -> Candidates:
    """Yield the sources, as if the step had been left out.

    A forgotten summand and forgotten scaling are slips of their own.
    """
    if step.stage.kind not in (Add.name, Scale.name):
        for name in step.stage.sources[:2] if step.stage.name in ("q", "k", "v") else step.stage.sources[-1:]:
            yield Candidate(step.tables[name], {"of": step.symbol(name)})


# Rows and columns


def _turned(step: Step) -> Candidates:
    """Yield the result with rows and columns exchanged."""
    if step.stage.name == "scores":
        yield Candidate(step.right.T, {"q": step.symbol("q"), "k": step.symbol("k")}, named="exchanged")
    else:
        yield step.right.T


def _columns_shifted(step: Step) -> Candidates:
    """Return the results of shifting three or more columns by one."""
    return [np.roll(step.right, by, axis=1) for by in (1, -1)] if step.right.shape[1] > 2 else []


def _columns_swapped(step: Step) -> Candidates:
    """Yield the results of swapping two columns, its own or a factor's."""
    factors = list(enumerate(step.stage.sources[:2])) if step.rule.is_product else []
    if step.stage.name != "scores":
        factors = factors[:1]  # swapping columns of the second factor swaps those of the product
    for i, j in pairs(step.right.shape[1]):
        swapped = step.right[:, _exchanged(step.right.shape[1], i, j)]
        yield Candidate(swapped, {"of": step.stage.symbol, "first": str(i), "second": str(j)})
    for n, name in factors:
        source = step.sources[n]
        for i, j in pairs(source.shape[1]):
            swapped = step.computed_with(n, source[:, _exchanged(source.shape[1], i, j)])
            yield Candidate(swapped, {"of": step.symbol(name), "first": str(i), "second": str(j)})


def _exchanged(n: int, i: int, j: int) -> list[int]:
    order = list(range(n))
    order[i], order[j] = j, i
    return order


def _rows_swapped(step: Step) -> Candidates:
    """Yield the results of swapping two rows, unless there are just two.

    Then, swapping them is the same as the slip "rows_shifted".
    """
    n = len(step.right)
    for i, j in pairs(n) if n != 2 else ():
        yield Candidate(step.right[_exchanged(n, i, j)], {"first": Row(i), "second": Row(j)})


def _row_of_another(step: Step) -> Candidates:
    """Yield the results of writing another row in a row's place."""
    for row, other in np.ndindex(len(step.right), len(step.right)):
        if row != other:
            values = step.right.copy()
            values[row] = step.right[other]
            yield Candidate(values, {"row": Row(row), "other": Row(other)})


# Numbers


def _power_of_ten(step: Step) -> Candidates:
    """Yield the results with the decimal point of all numbers moved."""
    for n in (1, 2, 3):
        yield Candidate(step.right * 10.0**n, {"power": say(f"marking.power.{n}")}, named="times_ten")
        yield Candidate(step.right / 10.0**n, {"part": say(f"marking.part_of.{n}")}, named="tenth")


def _written_wrongly(step: Step) -> Candidates:
    """Yield the results with one sign, digit pair or decimal point wrong."""
    if step.given is None or step.off is None or step.off.sum() != 1:
        return
    row, column = np.argwhere(step.off)[0].tolist()
    decimals = max(step.decimals.get(step.stage.name, 0), 0)
    if not np.isfinite(step.right[row, column]):
        return
    right = round(float(step.right[row, column]), decimals)
    for named, value in _miswritten(right, decimals):
        values = step.right.copy()
        values[row, column] = value
        places = {"cell": step.whole_stage.at(row, column), "right": step.printed(right), "read": step.printed(value)}
        yield Candidate(values, places, named=named)


def _cells_exchanged(step: Step) -> Candidates:
    """Yield the right result with its two wrong cells' numbers swapped."""
    if step.off is None or step.off.sum() != 2:
        return
    first, second = (tuple(cell) for cell in np.argwhere(step.off).tolist())
    values = step.right.copy()
    values[first], values[second] = step.right[second], step.right[first]
    yield Candidate(values, {"first": step.whole_stage.at(*first), "second": step.whole_stage.at(*second)})


def _miswritten(right: float, decimals: int) -> Iterator[tuple[str, float]]:
    """Yield what a number with these decimals becomes when miswritten."""
    yield "sign", -right
    for value in _exchanged_digits(right, decimals):
        yield "digits", value
    for n in range(1, decimals + 1):
        yield "comma", right * 10.0**n
    for n in (*range(-3, 0), *range(decimals + 1, 4)):
        yield "point", right * 10.0**n


def _exchanged_digits(number: float, decimals: int) -> set[float]:
    """Return the numbers that result from exchanging two neighbouring digits."""
    text = f"{abs(number):.{decimals}f}"
    places = [i for i, sign in enumerate(text) if sign.isdigit()]
    texts = {"".join(text[k] for k in _exchanged(len(text), i, j)) for i, j in pairwise(places) if text[i] != text[j]}
    return {float(np.copysign(float(each), number)) for each in texts}


def _misread(step: Step) -> Candidates:
    """Yield the results if one number of a factor was misread."""
    if step.given is None or step.off is None or not step.off.any():
        return
    second = step.sources[1].T if turns_second(step.rule) else step.sources[1]
    rows, columns = np.flatnonzero(step.off.any(axis=1)), np.flatnonzero(step.off.any(axis=0))
    residual = np.where(np.isnan(step.given), 0.0, step.given - step.right)
    if not np.isfinite(residual).all():
        return
    if len(rows) == 1:
        row = int(rows[0])
        for inner in range(len(second)):
            yield from _read_as(step, 0, (row, inner), residual[row], second[inner], (row, slice(None)))
    if len(columns) == 1:
        column = int(columns[0])
        for inner in range(len(second)):
            cell = (column, inner) if turns_second(step.rule) else (inner, column)
            weights = step.sources[0][:, inner]
            yield from _read_as(step, 1, cell, residual[:, column], weights, (slice(None), column))


def _read_as(
    step: Step, n: int, cell: tuple[int, int], residual: np.ndarray, weights: np.ndarray, line: tuple[object, object]
) -> Candidates:
    size = float(weights @ weights)
    if not size or not np.isfinite(size):
        return
    name = step.stage.sources[n]
    due = float(step.sources[n][cell])
    read = due + float(weights @ residual) / size

    def as_read(value: float, named: str, fitted: int = 0) -> Candidate:
        values = step.right.copy()
        values[line] = values[line] + weights * (value - due)  # type: ignore[index]
        places = {
            "cell": step.stages[name].at(*cell),
            "due": step.printed(due, name),
            "read": step.printed(value, name),
        }
        return Candidate(values, places, fitted, named, step.sources[n].size)

    slips = [("sign_read", -due)]
    if name in step.decimals:
        slips += [("digits_read", value) for value in _exchanged_digits(due, max(step.decimals[name], 0))]
    for named, value in slips:
        if abs(value - read) <= 4 * step.half / np.abs(weights).max():
            yield as_read(value, named)
    if np.count_nonzero(np.abs(weights) * abs(read - due) > step.half) > 1:  # any number could explain a single cell
        yield as_read(read, "misread", fitted=1)


def _rounded_early(step: Step) -> Candidates:
    """Yield the results of rounding a source, or the table, too early."""
    for n, name in enumerate(step.stage.sources):
        for decimals in range(step.decimals.get(name, max(step.decimals.values(), default=0))):
            rounded = step.computed_with(n, step.sources[n].round(decimals))
            yield Candidate(rounded, {"of": step.symbol(name), "n": decimals})
    for decimals in range(step.decimals.get(step.stage.name, 0)):
        yield Candidate(step.right.round(decimals), {"of": step.stage.symbol, "n": decimals})


SLIPS = (
    Slip(
        "other_activation", (ReLU, GELU),
        lambda step: [computed_by(GELU() if step.rule == ReLU() else ReLU(), step.sources[0])],
    ),
    Slip("left_as_it_was", ANY, _left_as_it_was),
    Slip("turned", ANY, _turned),
    Slip("rows_shifted", ANY, lambda step: [np.roll(step.right, by, axis=0) for by in (1, -1)]),
    Slip("columns_shifted", ANY, _columns_shifted),
    Slip("columns_swapped", ANY, _columns_swapped),
    Slip("rows_swapped", ANY, _rows_swapped),
    Slip("row_of_another", ANY, _row_of_another),
    Slip("power_of_ten", ANY, _power_of_ten),
    Slip("sign_of_all", ANY, lambda step: [-step.right]),
    Slip("written_wrongly", ANY, _written_wrongly),
    Slip("cells_exchanged", ANY, _cells_exchanged),
    Slip("misread", PRODUCT, _misread),
    Slip("rounded_early", ANY, _rounded_early),
)  # fmt: skip
