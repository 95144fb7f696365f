"""Softmax: the exponentials of each row, over their sum."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size
from attnviz.core.rules.cell import Cell, Cells, Factor, Made, Matrix, Term
from attnviz.core.rules.displayed import as_decimal, exp, quotient, shortened, sign, sign_of_all, total
from attnviz.core.rules.scale import Scale
from attnviz.words import say

READABLE = 9.0  # exp of up to this stands in fixed digits; a row beyond it is shifted by its largest
FAR = 1000.0  # exp of this far below is 0 at every precision


@dataclass(frozen=True)
class Softmax(Rule):
    """Each row becomes shares that sum to 1."""

    name = "softmax"
    n_sources = (1,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own."""
        return torch.softmax(sources[0], dim=-1)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The shape of the source."""
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The whole row."""
        return ((range(row, row + 1), range(shapes[0][1])),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """A number that is off by e makes its own exponential, and at worst the sum too, off by a factor of exp(e)."""
        value, error = tables[0]
        with np.errstate(all="ignore"):
            exponentials = np.exp(value - value.max(-1, keepdims=True))
            shares = exponentials / exponentials.sum(-1, keepdims=True)
            most = np.minimum(error + error.max(-1, keepdims=True), 50.0)
            return Bounded(shares, np.minimum(shares * np.expm1(most), 1.0))

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The difference to the row's largest is rounded before its exp is taken, and so are exp, sum and quotient."""
        first = np.abs(tables[0].value)
        scores = np.where(np.isfinite(first), first, 0.0)
        return made.value * (first.shape[1] + 4 + 2 * (scores + scores.max(-1, keepdims=True)))

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell of a row that holds a mark."""
        return np.broadcast_to(marks[0].any(axis=1, keepdims=True), marks[0].shape)

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        return say("stages.formula.softmax")

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        return [f"{made} = torch.softmax({names[0]}, dim=-1)"]

    def explain(self, cell: Cell) -> Made:
        """exp of a number over the sum of the exps of its row; a shift of the whole row cancels."""
        row = cell.factors(cell.sources[0])
        largest = math.nan if any(math.isnan(s.value) for s in row) else max(s.value for s in row)
        shift = 0.0 if abs(largest) <= READABLE else largest
        exps = [Term(exp(s.value - shift), (s,)) for s in row]
        own, divisor = exps[cell.column], total(term.value for term in exps)
        exact = own.value / divisor if divisor else math.nan
        # The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
        distances = [min(abs(s.value - shift), FAR) for s in row]
        spread = total(t.value * d for t, d in zip(exps, distances, strict=True)) / (divisor or 1)
        made = Made(
            "", (), "", shortened(exps, keep=cell.column), exact,
            cell.tolerance(exact, distances[cell.column] + spread + len(row) + 8), divisor, shift, cell.masked,
        )  # fmt: skip
        seen = _scores_beside(cell)
        if seen is None:
            return made._replace(steps=(cell.write(cell.value),), words=say("explanation.softmax.unshown"))
        return made._replace(
            symbols=seen.softmax(cell, " − m" if shift else ""),
            steps=_steps(cell, made, own),
            words=say("explanation.softmax.share", n=len(row), score=seen.name(cell.row, cell.column)),
            notes=tuple(_notes(cell, made, row, seen)),
        )

    def seen(self, cell: Cell) -> tuple[Cells, ...]:
        """Of scaled scores that do not stand beside it, the scores that these are made from."""
        read = cell.sources[0]
        if cell.shown is None or read.matrix in cell.shown:
            return cell.sources
        if not isinstance(read.stage.rule, Scale) or read.stage.sources[0] not in cell.shown:
            return ()
        return (read._replace(stage=cell.table[read.stage.sources[0]]),)


class _Scores(NamedTuple):
    """The scores of a softmax as they stand beside it: those that it reads, or those that these are divided from."""

    stage: Matrix
    divisors: Sequence[str]
    divisor: str  # in words; empty where it reads them as they stand

    def of(self, row: int, column: int | str) -> str:
        return self.stage.at(row, column)

    def name(self, row: int, column: int | str) -> str:
        """Write what the exp is taken of."""
        return quotient(self.of(row, column), self.divisors)

    def softmax(self, cell: Cell, lowered: str) -> str:
        if self.divisor:  # no quotient within a quotient
            return f"softmax({self.name(cell.row, ':')}{lowered})[{cell.column}]"
        return f"exp({self.of(cell.row, cell.column)}{lowered}) / Σ_j exp({self.of(cell.row, 'j')}{lowered})"


def _scores_beside(cell: Cell) -> _Scores | None:
    """Return the scores of a softmax as they stand beside it; None where none do."""
    assert cell.stage.rule is not None
    sources = cell.stage.rule.seen(cell)
    if not sources or sources == cell.sources:
        return _Scores(sources[0].stage, (), "") if sources else None
    scaling = cell.sources[0].stage.rule
    assert isinstance(scaling, Scale)
    return _Scores(sources[0].stage, scaling.in_symbols, scaling.in_words(cell))


def _steps(cell: Cell, made: Made, own: Term) -> list[str]:
    exps = [_exp(cell, term, made.shift) for term in made.terms]
    values = [cell.write(term.value) for term in made.terms]
    displayed = [
        Decimal(exp(float(as_decimal(text[4:-1])))) if term.factors else as_decimal(v)
        for term, text, v in zip(made.terms, exps, values, strict=True)
    ]
    numerator, denominator, value = cell.write(own.value), cell.write(made.divisor), cell.write(cell.value)
    steps = [quotient(_exp(cell, own, made.shift), exps, " + ")]
    between = sign_of_all(displayed, values)
    if len(exps) > 1:
        steps.append(f"{between} {quotient(numerator, values, ' + ')}")
        between = sign(sum(map(as_decimal, values), start=Decimal(0)), denominator)
    steps.append(f"{between} {numerator} / {denominator}")
    return [*steps, f"{sign(as_decimal(numerator) / as_decimal(denominator), value)} {value}"]


def _exp(cell: Cell, term: Term, shift: float) -> str:
    return f"exp({cell.write(term.factors[0].value - shift)})" if term.factors else cell.write_factors(term)[0]


def _notes(cell: Cell, made: Made, row: list[Factor], seen: _Scores) -> list[str]:
    score, notes = row[cell.column], []
    if seen.divisor:
        of = seen.of(cell.row, cell.column)
        notes.append(say("explanation.softmax.divided", score=of, divisor=seen.divisor))
    if made.shift:
        before, most, after = map(cell.write, (score.value, made.shift, score.value - made.shift))
        finite = math.isfinite(made.shift)
        notes.append(say(f"explanation.softmax.{'lowered' if finite else 'lowered_to_nothing'}", largest=most))
        if finite and math.isfinite(score.value):
            is_exact = sign(as_decimal(before) - as_decimal(most), after) == "="
            name, less = seen.name(cell.row, cell.column), "less" if is_exact else "less_rounded"
            notes.append(say(f"explanation.softmax.{less}", score=name, value=before, less=after))
    if cell.masked:
        notes.append(say("explanation.softmax.masked"))
    return notes if math.isfinite(cell.value) else notes + _trouble(cell, row, seen)


def _trouble(cell: Cell, row: list[Factor], seen: _Scores) -> list[str]:
    undefined = say("explanation.trouble.undefined_row")
    broken = next((s for s in row if math.isnan(s.value) or s.value == math.inf), None)
    if broken is None:
        return [say("explanation.trouble.no_score"), say("explanation.trouble.quotient"), undefined]
    difference = [] if math.isnan(broken.value) else [say("explanation.trouble.difference")]
    return [cell.already(broken, seen.name(broken.row, broken.column)), *difference, undefined]
