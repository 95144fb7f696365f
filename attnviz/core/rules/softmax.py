"""Softmax: the exponentials of each row, over their sum."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.cell import Cell, Cells, Factor, Made, Matrix, Term, in_rows
from attnviz.core.rules.displayed import DECIMALS, as_decimal, exp, quotient, shortened, sign, sign_of_all, total
from attnviz.core.rules.hiding import reason_of
from attnviz.core.rules.scale import Scale
from attnviz.words import say

ROWS, COLUMNS, WHOLE = AXES = ("rows", "columns", "whole")  # over what shares are made
READABLE = 9.0  # exp of up to this stands in fixed digits; a row beyond it is shifted by its largest
FAR = 1000.0  # exp of this far below is 0 at every precision
SMALL = 1e-30  # of what is left of a row: its shares have lost digits


@dataclass(frozen=True)
class Softmax(Rule):
    """Each row becomes shares that sum to 1. A second source is a mask that comes too late: each share is multiplied by
    its exponential, which is 0 where it holds -∞; and where they are `shared` out again, divided by what is left of its
    row.

    Over another `axis` it isn't attention: "columns" become shares, or the "whole" matrix does.
    """

    shared: bool = False
    axis: str = ROWS

    name = "softmax"
    n_sources = (1, 2)

    @property
    def masked_by(self) -> int:
        """The mask, where there is one."""
        return 1

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own, then the mask."""
        return self._masked(_softmax_over(sources[0], self.axis), *sources[1:])

    def unshifted(self, *sources: Tensor) -> Tensor:
        """The same without the largest number subtracted first, as it stands in symbols: exponentials may overflow."""
        powers = sources[0].exp()
        sums = {ROWS: (-1,), COLUMNS: (-2,), WHOLE: (-2, -1)}[self.axis]
        return self._masked(powers / powers.sum(sums, keepdim=True), *sources[1:])

    def _masked(self, shares: Tensor, *masks: Tensor) -> Tensor:
        if not masks:
            return shares
        left = shares * masks[0].exp()
        return left / left.sum(-1, keepdim=True) if self.shared else left

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The shape of the source."""
        for shape in shapes[1:]:
            expect(shape == shapes[0], "a source", shape, f"{shapes[0]} like the first")
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The whole row, and of the mask its own cell, or the row where that is shared out again."""
        whole = (range(row, row + 1), range(shapes[0][1]))
        if self.axis != ROWS:
            rows, columns = map(range, shapes[0])
            whole = (rows, range(column, column + 1) if self.axis == COLUMNS else columns)
        if len(shapes) == 1:
            return (whole,)
        return (whole, whole if self.shared else (range(row, row + 1), range(column, column + 1)))

    def bounded(self, *tables: Bounded) -> Bounded:
        """A number that is off by e makes its own exponential, and at worst the sum too, off by a factor of exp(e)."""
        value, error = tables[0]
        if len(tables) == 1:
            return self._shares(value, error)
        mask, of_mask = tables[1]
        with np.errstate(all="ignore"):
            if self.shared:  # as if it had been added before
                hidden = mask == -np.inf
                made = self._shares(np.where(hidden, -np.inf, value + mask), np.where(hidden, 0.0, error + of_mask))
                small = self._shares(value, error).value.astype(np.float32)  # what is too small for float32 is none
                left = (small * np.exp(mask)).sum(-1, keepdims=True)
                return Bounded(np.where((left > 0) & np.isfinite(left), made.value, np.nan), made.error)
            shares = self._shares(value, error)
            times, most = np.exp(mask), np.exp(mask + of_mask)
            return Bounded(shares.value * times, (shares.value + shares.error) * (most - times) + shares.error * most)

    def _shares(self, value: np.ndarray, error: np.ndarray) -> Bounded:
        if self.axis != ROWS:
            made = Softmax()._shares(*(_in_lines(each, self.axis) for each in (value, error)))
            return Bounded(*(_out_of_lines(each, self.axis, value.shape) for each in made))
        with np.errstate(all="ignore"):
            exponentials = np.exp(value - value.max(-1, keepdims=True))
            shares = exponentials / exponentials.sum(-1, keepdims=True)
            most = np.minimum(error + error.max(-1, keepdims=True), 50.0)
            return Bounded(shares, np.minimum(shares * np.expm1(most), 1.0))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """With a mask, the share, the exponential, their product and, shared out again, all of these of the row."""
        sizes: np.ndarray = np.abs(made.value) * (1 if len(tables) == 1 else 8)
        # Along columns torch adds up halves as halves.
        return sizes if self.axis == ROWS else sizes + self.summed(made, *tables)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The difference to the row's largest is rounded before its exp is taken, and so are exp, sum and quotient."""
        first = np.abs(_in_lines(tables[0].value, self.axis))
        scores = np.where(np.isfinite(first), first, 0.0)
        sizes = 2 * first.shape[1] + 8 + 2 * (scores + scores.max(-1, keepdims=True))
        return made.value * _out_of_lines(np.broadcast_to(sizes, first.shape), self.axis, made.value.shape)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell of a row that holds a mark."""
        lines = _in_lines(marks[0], self.axis)
        whole = _out_of_lines(np.broadcast_to(lines.any(axis=1, keepdims=True), lines.shape), self.axis, marks[0].shape)
        if len(marks) == 1:
            return whole
        return whole | (marks[1].any(axis=1, keepdims=True) if self.shared else marks[1])

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        if len(symbols) == 1:
            return say("stages.formula.softmax" if self.axis == ROWS else f"stages.formula.softmax_{self.axis}")
        return say(f"stages.formula.softmax_{'shared' if self.shared else 'masked'}", mask=symbols[1])

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own, then the mask."""
        over = {
            ROWS: f"torch.softmax({names[0]}, dim=-1)",
            COLUMNS: f"torch.softmax({names[0]}, dim=-2)",
            WHOLE: f"torch.softmax({names[0]}.flatten(-2), dim=-1).view({names[0]}.shape)",
        }
        lines = [f"{made} = {over[self.axis]}"]
        if len(names) > 1:
            lines[0] += f" * {names[1]}.exp()"
        return [*lines, f"{made} = {made} / {made}.sum(-1, keepdim=True)"] if self.shared and len(names) > 1 else lines

    def explain(self, cell: Cell) -> Made:
        """exp of a number over the sum of the exps of its row; a shift of the whole row cancels."""
        made = self._explained(cell)
        return made if len(cell.sources) == 1 else _masked_after(cell, made, self.shared)

    def _explained(self, cell: Cell) -> Made:
        row = cell.factors(cell.sources[0])
        largest = math.nan if any(math.isnan(s.value) for s in row) else max(s.value for s in row)
        shift = 0.0 if abs(largest) <= READABLE else largest
        exps = [Term(exp(s.value - shift), (s,)) for s in row]
        at = self._place_in_line(cell)
        own, divisor = exps[at], total(term.value for term in exps)
        exact = own.value / divisor if divisor else math.nan
        # The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
        distances = [min(abs(s.value - shift), FAR) for s in row]
        spread = total(t.value * d for t, d in zip(exps, distances, strict=True)) / (divisor or 1)
        made = Made(
            "", (), "", shortened(exps, keep=at), exact,
            cell.tolerance(exact, distances[at] + spread + len(row) + 8), divisor, shift, cell.masked,
        )  # fmt: skip
        seen = _scores_beside(cell)
        if seen is None:
            return made._replace(steps=(cell.write(cell.value),), words=say("explanation.softmax.unshown"))
        return made._replace(
            symbols=seen.softmax(cell, " − m" if shift else ""),
            steps=_steps(cell, made, own),
            words=say("explanation.softmax.share", line=seen.line, n=len(row), score=seen.name(cell.row, cell.column)),
            notes=tuple(_notes(cell, made, row, row[at], seen)),
        )

    def _place_in_line(self, cell: Cell) -> int:
        """Return the place of a cell among those that it shares with, in the order in which they are read."""
        if self.axis == WHOLE:
            return cell.row * len(cell.sources[0].columns) + cell.column
        return cell.row if self.axis == COLUMNS else cell.column

    def seen(self, cell: Cell) -> tuple[Cells, ...]:
        """Of scaled scores that do not stand beside it, the scores that these are made from."""
        read = cell.sources[0]
        if cell.shown is None or read.matrix in cell.shown:
            return cell.sources
        if not isinstance(read.stage.rule, Scale) or read.stage.sources[0] not in cell.shown:
            return ()
        return (read._replace(stage=cell.table[read.stage.sources[0]]), *cell.sources[1:])


def _softmax_over(scores: Tensor, axis: str) -> Tensor:
    if axis == WHOLE:
        return torch.softmax(scores.flatten(-2), dim=-1).view(scores.shape)
    return torch.softmax(scores, dim=-1 if axis == ROWS else -2)


def sharing(axis: str, hidden: np.ndarray) -> np.ndarray:
    """Return of each cell that isn't hidden among how many its line is shared out, of a hidden one 0.

    >>> sharing(COLUMNS, np.array([[False, True], [False, False]]))
    array([[2, 0],
           [2, 1]])
    """
    over = {ROWS: 1, COLUMNS: 0, WHOLE: None}[axis]
    return np.where(hidden, 0, (~hidden).sum(over, keepdims=True))


def _in_lines(matrix: np.ndarray, axis: str) -> np.ndarray:
    """Return a matrix whose rows are what shares are made over."""
    return matrix if axis == ROWS else matrix.T if axis == COLUMNS else matrix.reshape(1, -1)


def _out_of_lines(lines: np.ndarray, axis: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return such a matrix in rows and columns again."""
    return lines if axis == ROWS else lines.T if axis == COLUMNS else lines.reshape(shape)


def _masked_after(cell: Cell, made: Made, shared: bool) -> Made:
    """Return what is said of a share that a mask is laid over: what it is multiplied by, and what its row keeps."""
    masks = cell.factors(cell.sources[1])
    mask = masks[cell.column] if shared else masks[0]
    factor, share = exp(mask.value), made.exact
    kept = _Kept.of(cell, masks) if shared else _Kept(share * factor, 1.0, made.tolerance * factor)
    before, times, left, value = map(cell.write, (share, factor, kept.left, cell.value))
    displayed = DECIMALS.multiply(as_decimal(before), as_decimal(times))
    if shared:
        displayed = DECIMALS.divide(displayed, as_decimal(left)) if math.isfinite(kept.left) else Decimal("NaN")
    first = f"({before} × {times}) / {left}" if shared else f"{before} × {times}"
    words = say(
        f"explanation.softmax.{'shared' if shared else 'times'}", words=made.words, mask=mask.symbols, left=left
    )
    lost = math.isnan(kept.exact) and math.isfinite(share)
    beyond = math.isfinite(share) and not lost and not math.isfinite(cell.value)
    tolerance = kept.tolerance + cell.tolerance(abs(kept.exact), 6)
    return made._replace(
        symbols=f"{made.symbols} × exp({mask.symbols}){' / r' if shared else ''}",
        steps=[first, f"{sign(displayed, value)} {value}"],
        words=words,
        exact=kept.exact,
        tolerance=math.inf if math.isnan(tolerance) else tolerance,
        notes=(*made.notes, *([_why_closed(cell)] if cell.masked else []),
               *([say("explanation.trouble.nothing_left")] if lost else []),
               *([say("explanation.trouble.quotient_beyond", largest=cell.largest_float)] if beyond else [])),
    )  # fmt: skip


def _why_closed(cell: Cell) -> str:
    hidden = in_rows(cell.matrices[cell.sources[1].matrix].detach()).cpu().numpy() == -np.inf
    why = reason_of(hidden, cell.row, cell.column, cell.stage.own_from).told(cell.label("rows"), cell.label("columns"))
    return say("explanation.softmax.closed", why=why)


class _Kept(NamedTuple):
    """A share after a mask, and what its row adds up to before it is shared out again."""

    exact: float
    left: float
    tolerance: float

    @classmethod
    def of(cls, cell: Cell, masks: list[Factor]) -> "_Kept":
        scores = [score.value for score in cell.factors(cell.sources[0])]
        largest = math.nan if any(map(math.isnan, scores)) else max(scores)
        exps = [exp(score - largest) for score in scores]
        shares = [each / total(exps) for each in exps]
        kept = [share * exp(mask.value) for share, mask in zip(shares, masks, strict=True)]
        left = total(kept)
        # A share that is too small for float32 is none.
        as_computed = sum(float(np.float32(share)) * exp(mask.value) for share, mask in zip(shares, masks, strict=True))
        exact = kept[cell.column] / left if as_computed > 0 and left > 0 else math.nan
        far = [min(abs(score - largest), FAR) for score in scores]
        spread = total(share * distance for share, distance in zip(shares, far, strict=True))
        spread_kept = total(each * distance for each, distance in zip(kept, far, strict=True)) / (left or 1.0)
        size = far[cell.column] + spread_kept + 2 * (spread + len(scores) + 8)
        return cls(exact, left, cell.tolerance(abs(exact), size) if left > SMALL else math.inf)


class _Scores(NamedTuple):
    """The scores of a softmax as they stand beside it: those that it reads, or those that these are divided from."""

    stage: Matrix
    divisors: Sequence[str]
    divisor: str  # in words; empty where it reads them as they stand
    mask: Matrix | None = None  # what is added to them ...
    factor: bool = False  # ... or its exponential is multiplied
    axis: str = ROWS

    @property
    def line(self) -> str:
        """What shares are made over, in words."""
        return say(f"explanation.softmax.line.{self.axis}")

    def of(self, row: int | str, column: int | str) -> str:
        return self.stage.at(row, column)

    def name(self, row: int | str, column: int | str) -> str:
        """Write what the exp is taken of."""
        divided = quotient(self.of(row, column), self.divisors)
        if self.mask is None:
            return divided
        return (
            f"{divided} × exp({self.mask.at(row, column)})"
            if self.factor
            else f"{divided} + {self.mask.at(row, column)}"
        )

    def softmax(self, cell: Cell, lowered: str) -> str:
        if self.axis != ROWS:
            whole = self.axis == WHOLE
            column, place = (":", f"{cell.row}, {cell.column}") if whole else (cell.column, f"{cell.row}")
            return f"softmax({self.name(':', column)}{lowered})[{place}]"
        if self.divisor or self.mask is not None:  # no quotient within a quotient
            return f"softmax({self.name(cell.row, ':')}{lowered})[{cell.column}]"
        return f"exp({self.of(cell.row, cell.column)}{lowered}) / Σ_j exp({self.of(cell.row, 'j')}{lowered})"


def _scores_beside(cell: Cell) -> _Scores | None:
    """Return the scores of a softmax as they stand beside it; None where none do."""
    assert isinstance(cell.stage.rule, Softmax)
    axis, sources = cell.stage.rule.axis, cell.stage.rule.seen(cell)
    if not sources or sources == cell.sources:
        return _Scores(sources[0].stage, (), "", axis=axis) if sources else None
    scaling = cell.sources[0].stage.rule
    assert isinstance(scaling, Scale)
    masks = cell.sources[0].stage.sources[1:]
    mask = cell.table[masks[0]] if masks else None
    return _Scores(sources[0].stage, scaling.in_symbols, scaling.in_words(cell), mask, scaling.factor, axis)


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


def _notes(cell: Cell, made: Made, row: list[Factor], score: Factor, seen: _Scores) -> list[str]:
    notes = []
    if seen.divisor:
        of = seen.of(cell.row, cell.column)
        notes.append(_divided(cell, of, seen))
    if made.shift:
        before, most, after = map(cell.write, (score.value, made.shift, score.value - made.shift))
        finite = math.isfinite(made.shift)
        told = "lowered" if finite else "lowered_to_nothing"
        notes.append(say(f"explanation.softmax.{told}", line=seen.line, largest=most))
        if finite and math.isfinite(score.value):
            is_exact = sign(as_decimal(before) - as_decimal(most), after) == "="
            name, less = seen.name(cell.row, cell.column), "less" if is_exact else "less_rounded"
            notes.append(say(f"explanation.softmax.{less}", score=name, value=before, less=after))
    if cell.masked and len(cell.sources) == 1:
        notes.append(say("explanation.softmax.masked"))
    fine = math.isfinite(cell.value) or (len(cell.sources) > 1 and math.isfinite(made.exact))
    return notes if fine else notes + _trouble(cell, row, seen)


def _divided(cell: Cell, score: str, seen: _Scores) -> str:
    if seen.mask is None:
        return say("explanation.softmax.divided", score=score, divisor=seen.divisor)
    kind = "factor" if seen.factor else "added"
    mask = seen.mask.at(cell.row, cell.column)
    return say(f"explanation.softmax.divided_{kind}", score=score, divisor=seen.divisor, mask=mask)


def _trouble(cell: Cell, row: list[Factor], seen: _Scores) -> list[str]:
    undefined = say(f"explanation.trouble.undefined_{'row' if seen.axis == ROWS else 'line'}", line=seen.line)
    broken = next((s for s in row if math.isnan(s.value) or s.value == math.inf), None)
    if broken is None:
        return [say("explanation.trouble.no_score", line=seen.line), say("explanation.trouble.quotient"), undefined]
    difference = [] if math.isnan(broken.value) else [say("explanation.trouble.difference")]
    return [cell.already(broken, seen.name(broken.row, broken.column)), *difference, undefined]
