"""The chain rule for one cell: the terms of its gradient."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import check_choice, check_whole
from attnviz.core.rules import touched
from attnviz.core.stages import Stage
from attnviz.core.trace import run
from attnviz.features.learn.training.derivatives import derivatives
from attnviz.features.learn.training.training import Training

SMALL = 1e-4  # how far a number is moved to either side, in float64


class Place(NamedTuple):
    """A cell of a matrix."""

    matrix: str
    row: int
    column: int


class Term(NamedTuple):
    """One product of a chain-rule sum: `local` derivative times `gradient`.

    If `local` is a number of the trace, `of` is its place. `through` is the cell that the first one feeds; `gradient`
    is that cell's.
    """

    local: float
    of: Place | None
    through: Place
    gradient: float

    @property
    def product(self) -> float:
        """The product's part of the gradient."""
        return self.local * self.gradient


class Link(NamedTuple):
    """A cell, its gradient by autograd, and the terms it sums."""

    place: Place
    gradient: float
    terms: tuple[Term, ...]

    @property
    def sum(self) -> float:
        """The sum of the terms."""
        return sum(term.product for term in self.terms)


@typed
def chain(trace: AttentionTrace, gradients: Mapping[str, Tensor], matrix: str, row: int, column: int) -> list[Link]:
    """Return a cell's gradient as terms, followed along the largest terms.

    It ends at a cell that feeds several matrices, or a rule that isn't followed here. `trace` and `gradients` have to
    be of the same text, from :meth:`Training.trace` and :meth:`Training.gradients_of`.

    Raises ``ValueError`` for a cell that has no gradient.
    """
    _check_place(gradients, matrix, row, column)
    place, links = Place(matrix, row, column), list[Link]()
    while True:
        terms = tuple(_terms(trace, gradients, place))
        links.append(Link(place, _at(gradients, place), terms))
        if not terms:
            return links
        place = max(terms, key=lambda term: abs(term.product)).through


def _check_place(matrices: Mapping[str, Tensor], matrix: str, row: int, column: int) -> None:
    check_choice("matrix", matrix, matrices)
    rows, columns = _as_table(matrices[matrix]).shape
    check_whole("row", row, 0, rows - 1)
    check_whole("column", column, 0, columns - 1)


@typed
def finite_difference(
    training: Training, step: int, matrix: str, row: int, column: int, text: str | None = None
) -> float:
    """Return the loss's gradient by central differences in float64.

    Raises ``ValueError`` for a matrix that isn't learned, or a missing cell.
    """
    trace = training.trace(step, text)
    given = {name: trace[name].double() for name, stage in trace.stages.items() if stage.rule is None}
    _check_place({name: given[name] for name in training.model.shapes}, matrix, row, column)
    losses = []
    with torch.no_grad():
        for moved in (SMALL, -SMALL):
            changed = given[matrix].clone()
            _as_table(changed)[row, column] += moved
            losses.append(run(trace.stages, {**given, matrix: changed})["loss"].sum().item())
    return (losses[0] - losses[1]) / (2 * SMALL)


def _as_table(matrix: Tensor) -> Tensor:
    return matrix if matrix.dim() > 1 else matrix[None]


def _at(matrices: Mapping[str, Tensor], place: Place) -> float:
    return float(_as_table(matrices[place.matrix])[place.row, place.column].item())


def _terms(trace: AttentionTrace, gradients: Mapping[str, Tensor], place: Place) -> Iterator[Term]:
    """Yield the terms of a cell that feeds a single matrix."""
    fed = [stage for stage in trace.stages.values() if _is_read(trace, stage, place)]
    if len(fed) != 1 or fed[0].name not in gradients or fed[0].sources.count(place.matrix) != 1:
        return
    (stage,) = fed
    assert stage.rule is not None
    source, tables = stage.sources.index(place.matrix), _sources(trace, stage)
    for row, column, by, of in derivatives(stage.rule, source, *place[1:], _as_table(trace[stage.name]), *tables):
        through = Place(stage.name, row, column)
        yield Term(by, None if of is None else Place(stage.sources[of[0]], *of[1:]), through, _at(gradients, through))


def _sources(trace: AttentionTrace, stage: Stage) -> list[Tensor]:
    return [_as_table(trace[source]) for source in stage.sources]


def _is_read(trace: AttentionTrace, stage: Stage, place: Place) -> bool:
    """Whether a stage uses this cell; a head reads its own columns."""
    if stage.rule is None or place.matrix not in stage.sources:
        return False
    marks = [np.zeros(tuple(table.shape), dtype=bool) for table in _sources(trace, stage)]
    marks[stage.sources.index(place.matrix)][place.row, place.column] = True
    return bool(touched(stage.rule, *marks).any())
