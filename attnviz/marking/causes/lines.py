"""Slips of whole rows and columns."""

import numpy as np

from attnviz.marking.causes.step import Candidate, Candidates, Step, pairs


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
