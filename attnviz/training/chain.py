"""The chain rule, down to a cell: how the gradient of a number is made of those of what it feeds."""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import check_whole, in_short
from attnviz.core.rules import Add, Concatenate, Product, Rotate, Scale, Slice, Softmax
from attnviz.core.stages import Stage
from attnviz.core.trace import run
from attnviz.training.training import Training

SMALL = 1e-4  # by which a number is moved to either side, in float64


class Place(NamedTuple):
    """A cell of a matrix."""

    matrix: str
    row: int
    column: int


class Term(NamedTuple):
    """A way from a number to the loss: how much a cell that it feeds moves with it (`local`, a number of `of`, where
    it is one), times how much that cell moves the loss."""

    local: float
    of: Place | None
    through: Place
    gradient: float

    @property
    def product(self) -> float:
        """What it adds to the gradient."""
        return self.local * self.gradient


class Link(NamedTuple):
    """A cell, its gradient by autograd, and the terms whose sum that is; none where the chain ends."""

    place: Place
    gradient: float
    terms: tuple[Term, ...]

    @property
    def sum(self) -> float:
        """What its terms add up to."""
        return sum(term.product for term in self.terms)


def chain(trace: AttentionTrace, gradients: Mapping[str, Tensor], matrix: str, row: int, column: int) -> list[Link]:
    """Return how the gradient of a cell is made, how that of the cell which adds most to it is, and so on, until one
    feeds several matrices, or a rule that isn't followed here.

    `trace` and `gradients` are those of one text: :meth:`Training.trace` and :meth:`Training.gradients_of`.

    Raises ``ValueError`` for a cell that has no gradient.

    >>> from attnviz.training import train
    >>> training = train("agreement", steps=1)
    >>> links = chain(training.trace(1), training.gradients_of(1), "w_q", 0, 0)
    >>> [link.place.matrix for link in links]
    ['w_q', 'q', 'scores', 'scaled_scores', 'attention_weights', 'context', 'output', 'residual_1', 'logits']
    """
    if matrix not in gradients:
        raise ValueError(f"matrix is {in_short(matrix)}, expected one of {', '.join(gradients)}")
    rows, columns = _as_table(gradients[matrix]).shape
    check_whole("row", row, 0, rows - 1)
    check_whole("column", column, 0, columns - 1)
    place, links = Place(matrix, row, column), list[Link]()
    while True:
        terms = tuple(_terms(trace, gradients, place))
        links.append(Link(place, _at(gradients, place), terms))
        if not terms:
            return links
        place = max(terms, key=lambda term: abs(term.product)).through


def finite_difference(
    training: Training, step: int, matrix: str, row: int, column: int, text: str | None = None
) -> float:
    """Return by how much a number moves the loss of a text, measured: it is moved a bit to either side, in float64.

    Raises ``ValueError`` for a matrix that isn't learned, or a cell that it doesn't have.
    """
    trace = training.trace(step, text)
    if matrix not in training.model.shapes:
        raise ValueError(f"matrix is {in_short(matrix)}, expected one of {', '.join(training.model.shapes)}")
    given = {name: trace[name].double() for name, stage in trace.stages.items() if stage.rule is None}
    rows, columns = _as_table(given[matrix]).shape
    check_whole("row", row, 0, rows - 1)
    check_whole("column", column, 0, columns - 1)
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
    """Yield the terms of a cell that feeds one matrix alone, by a rule that is followed here."""
    fed = [stage for stage in trace.stages.values() if stage.rule is not None and _is_read(stage, place)]
    if len(fed) != 1 or fed[0].name not in gradients or fed[0].sources.count(place.matrix) != 1:
        return
    (stage,) = fed
    match stage.rule:
        case Slice():
            yield _passed_on(gradients, Place(stage.name, place.row, place.column - stage.rule.start))
        case Concatenate():
            before = stage.sources.index(place.matrix) * trace[place.matrix].shape[1]
            yield _passed_on(gradients, Place(stage.name, place.row, before + place.column))
        case Add():
            yield _passed_on(gradients, Place(stage.name, place.row, place.column))
        case Rotate():
            yield from _of_rotation(trace, gradients, place, stage)
        case Product() if place.matrix in stage.sources[:2]:
            yield from _of_product(trace, gradients, place, stage)
        case Scale():
            through = Place(stage.name, place.row, place.column)
            yield Term(1 / stage.rule.divisor, None, through, _at(gradients, through))
        case Softmax():
            yield from _of_softmax(trace, gradients, place, stage)


def _is_read(stage: Stage, place: Place) -> bool:
    """Whether a stage is made of a cell: of what all heads have side by side, each reads its own columns."""
    if place.matrix not in stage.sources:
        return False
    return not isinstance(stage.rule, Slice) or stage.rule.start <= place.column < stage.rule.stop


def _passed_on(gradients: Mapping[str, Tensor], through: Place) -> Term:
    return Term(1.0, None, through, _at(gradients, through))


def _of_rotation(
    trace: AttentionTrace, gradients: Mapping[str, Tensor], place: Place, stage: Stage
) -> Iterator[Term]:  # fmt: skip
    """Both cells of a pair move with each of them: by the cosine of its angle with the own one, and with the other by
    its sine, which is taken away from the first."""
    assert isinstance(stage.rule, Rotate)
    rows, columns = trace[stage.name].shape
    ((_, pair),) = stage.rule.reads(place.row, place.column, (rows, columns))
    angle = stage.rule.angle(place.row, place.column, columns) if len(pair) > 1 else 0.0
    for column in pair:
        through = Place(stage.name, place.row, column)
        sine = math.sin(angle) if column > place.column else -math.sin(angle)
        local = math.cos(angle) if column == place.column else sine
        yield Term(local, None, through, _at(gradients, through))


def _of_product(
    trace: AttentionTrace, gradients: Mapping[str, Tensor], place: Place, stage: Stage
) -> Iterator[Term]:  # fmt: skip
    assert isinstance(stage.rule, Product)
    first, second = stage.sources[:2]
    made = gradients[stage.name]
    if place.matrix == first:  # a row of it makes a row
        for column in range(made.shape[1]):
            other = (column, place.column) if stage.rule.transposed else (place.column, column)
            of, through = Place(second, *other), Place(stage.name, place.row, column)
            yield Term(_at(trace.matrices, of), of, through, _at(gradients, through))
        return
    inner, own = (place.column, place.row) if stage.rule.transposed else (place.row, place.column)
    for row in range(made.shape[0]):
        of, through = Place(first, row, inner), Place(stage.name, row, own)
        yield Term(_at(trace.matrices, of), of, through, _at(gradients, through))


def _of_softmax(
    trace: AttentionTrace, gradients: Mapping[str, Tensor], place: Place, stage: Stage
) -> Iterator[Term]:  # fmt: skip
    """A share moves with its own score by a (1 − a), and with another's by −a times that one's."""
    shares = trace[stage.name][place.row]
    own = shares[place.column].item()
    for column, share in enumerate(shares.tolist()):
        through = Place(stage.name, place.row, column)
        local = own * (1 - own) if column == place.column else -own * share
        yield Term(local, None, through, _at(gradients, through))
