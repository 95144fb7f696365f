"""Slips of numbers, of rows and of columns: written down or read wrongly, swapped, shifted, turned."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from attnviz.core.rules import GELU, Bounded, ReLU
from attnviz.marking.causes.step import Candidate, Candidates, Step, pairs


def written_wrongly(step: Step) -> Candidates:
    """One number of the result has the other sign, two digits exchanged, or its comma lost."""
    if step.given is None or step.off is None or step.off.sum() != 1:
        return
    row, column = np.argwhere(step.off)[0].tolist()
    decimals = max(step.decimals.get(step.stage.name, 0), 0)
    right = round(float(step.right[row, column]), decimals) if np.isfinite(step.right[row, column]) else np.nan
    for named, value in _miswritten(right, decimals):
        values = step.right.copy()
        values[row, column] = value
        yield Candidate(values, {"row": row, "column": column, "right": right, "read": value}, named=named)


def _miswritten(right: float, decimals: int) -> Iterator[tuple[str, float]]:
    """List what a number becomes by slips of the pen, at so many decimals."""
    if not np.isfinite(right):
        return
    yield "sign", -right
    digits = f"{abs(right):.{decimals}f}"
    for value in _exchanged_digits(digits):
        yield "digits", np.copysign(value, right)
    for n in range(1, decimals + 1):
        yield "comma", right * 10.0**n


def _exchanged_digits(text: str) -> set[float]:
    """Return the numbers that a text becomes when two digits beside each other are exchanged."""
    places = [i for i, sign in enumerate(text) if sign.isdigit()]
    found = set()
    for i, j in pairwise(places):
        if text[i] != text[j]:
            signs = list(text)
            signs[i], signs[j] = signs[j], signs[i]
            found.add(float("".join(signs)))
    return found


def misread(step: Step) -> Candidates:
    """One number of a factor was read as another: all cells made from it are off by as much as it weighs in them."""
    if step.given is None or step.off is None or not step.off.any():
        return
    transposed = bool(getattr(step.rule, "transposed", False))
    second = step.sources[1].T if transposed else step.sources[1]
    rows, columns = np.flatnonzero(step.off.any(axis=1)), np.flatnonzero(step.off.any(axis=0))
    residual = np.where(np.isnan(step.given), 0.0, step.given - step.right)
    if not np.isfinite(residual).all():
        return
    if len(rows) == 1:
        row = int(rows[0])
        for inner in range(second.shape[0]):
            yield from _read_as(step, 0, (row, inner), residual[row], second[inner], (row, slice(None)))
    if len(columns) == 1:
        column = int(columns[0])
        for inner in range(second.shape[0]):
            cell = (column, inner) if transposed else (inner, column)
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
    shown = step.decimals.get(name)
    read = due + float(weights @ residual) / size
    places = {"of": name, "row": cell[0], "column": cell[1], "due": due}

    def as_read(value: float) -> np.ndarray:
        values = step.right.copy()
        values[line] = values[line] + weights * (value - due)  # type: ignore[index]
        return values

    shapes = {"sign": [-due], "digits": []}
    if shown is not None:
        shapes["digits"] = [float(np.copysign(v, due)) for v in _exchanged_digits(f"{abs(due):.{max(shown, 0)}f}")]
    for named, values in shapes.items():
        for value in values:
            if abs(value - read) <= 4 * step.half / np.abs(weights).max():
                yield Candidate(as_read(value), {**places, "read": value}, named=f"{named}_read")
    if np.count_nonzero(np.abs(weights) * abs(read - due) > step.half) < 2:
        return  # of one cell, any number can be the cause
    yield Candidate(as_read(read), {**places, "read": read}, fitted=1)


def power_of_ten(step: Step) -> Candidates:
    """The point of all numbers is at another place."""
    for n in (1, 2, 3):
        yield Candidate(step.right * 10.0**n, {"n": n}, named="times_ten")
        yield Candidate(step.right / 10.0**n, {"n": n}, named="tenth")


def sign_of_all(step: Step) -> Candidates:
    """Every number has the other sign."""
    yield Candidate(-step.right)


def rounded_early(step: Step) -> Candidates:
    """What it is made from, or the table itself, was rounded to fewer decimals."""
    for n, name in enumerate(step.stage.sources):
        shown = step.decimals.get(name, max(step.decimals.values(), default=0))
        for decimals in range(shown):
            sources = list(step.sources)
            sources[n] = sources[n].round(decimals)
            yield Candidate(step.made(*sources), {"of": step.symbol(name), "n": decimals})
    for decimals in range(max(step.decimals.get(step.stage.name, 0), 0)):
        yield Candidate(step.right.round(decimals), {"of": step.stage.symbol, "n": decimals})


def other_activation(step: Step) -> Candidates:
    """The other activation."""
    other = GELU() if isinstance(step.rule, ReLU) else ReLU()
    yield Candidate(other.bounded(Bounded.exactly(step.sources[0])).value)


def columns_swapped(step: Step) -> Candidates:
    """Two columns of the table, or of what it is made from, are swapped."""
    for i, j in pairs(step.right.shape[1]):
        order = _exchanged(step.right.shape[1], i, j)
        yield Candidate(step.right[:, order], {"of": step.stage.symbol, "first": i, "second": j})
    if step.stage.kind != "product":
        return
    for n, (name, source) in enumerate(zip(step.stage.sources[:2], step.sources, strict=False)):
        if n == 1 and step.stage.name != "scores":
            continue  # columns of the second factor are those of the product
        for i, j in pairs(source.shape[1]):
            moved = list(step.sources)
            moved[n] = source[:, _exchanged(source.shape[1], i, j)]
            yield Candidate(step.made(*moved), {"of": step.symbol(name), "first": i, "second": j})


def _exchanged(n: int, i: int, j: int) -> list[int]:
    order = list(range(n))
    order[i], order[j] = j, i
    return order


def rows_swapped(step: Step) -> Candidates:
    """Two rows are swapped."""
    if step.right.shape[0] == 2:
        return  # two rows that are swapped are shifted
    for i, j in pairs(step.right.shape[0]):
        order = _exchanged(step.right.shape[0], i, j)
        yield Candidate(step.right[order], {"first": i, "second": j})


def rows_shifted(step: Step) -> Candidates:
    """The rows are shifted by one."""
    for by in (1, -1):
        yield Candidate(np.roll(step.right, by, axis=0))


def columns_shifted(step: Step) -> Candidates:
    """The columns are shifted by one."""
    if step.right.shape[1] > 2:
        for by in (1, -1):
            yield Candidate(np.roll(step.right, by, axis=1))


def row_of_another(step: Step) -> Candidates:
    """A row is that of another."""
    n = step.right.shape[0]
    for row in range(n):
        for other in range(n):
            if row != other:
                values = step.right.copy()
                values[row] = step.right[other]
                yield Candidate(values, {"row": row, "other": other})


def turned(step: Step) -> Candidates:
    """Rows and columns are exchanged."""
    if step.stage.name == "scores":
        yield Candidate(step.right.T, {"q": step.symbol("q"), "k": step.symbol("k")}, named="exchanged")
    else:
        yield Candidate(step.right.T)
