"""How a cell of a softmax is explained: the exponentials of its row, their sum, and what a mask leaves of a share."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attnviz.core.rules.explaining.cell import Cell, Cells, Factor, Made, Term
from attnviz.core.rules.explaining.numbers import READABLE, Numbers, as_decimal, exp, quotient, shortened, sign, total
from attnviz.core.rules.explaining.steps import Steps
from attnviz.core.rules.explaining.trouble import why_hidden
from attnviz.core.rules.reading import Pieces
from attnviz.core.rules.rows import COLUMNS, ROWS, WHOLE
from attnviz.core.rules.scale import Scale
from attnviz.core.rules.stage import Stage
from attnviz.words import say
from attnviz.words.numbers import significant

FAR = 1000.0  # exp of this far below is 0 at every precision
SMALL = 1e-30  # of what is left of a row: its shares have lost digits


def explained_share(
    cell: Cell, pieces: Pieces, axis: str, shared: bool, seen: tuple[Cells, ...], sink: float | None = None
) -> Made:  # fmt: skip
    """Say how a share over an `axis` is made: exp of a number over the sum of the exps of its row, where a shift of the
    whole row cancels. A mask may be laid over it, and its rows `shared` out again. `seen` are the sources that stand
    beside it, and a `sink` stands beside the scores of each row.
    """
    made = _explained(cell, axis, _scores_beside(cell, axis, seen), sink)
    numbers, node = Numbers(cell), pieces[0]["value"]
    if made.symbols:
        made = made._replace(steps=Steps(cell, numbers).of(node, cell.value))
    if len(cell.sources) == 1:
        return made
    left = numbers.value(node[1][2]) if shared else None
    return _masked_after(cell, made, left)


def _explained(cell: Cell, axis: str, seen: "_Scores | None", sink: float | None) -> Made:
    row = cell.factors(cell.sources[0])
    largest = math.nan if any(math.isnan(s.value) for s in row) else max(s.value for s in row)
    if sink is not None:
        largest = max(largest, sink)
    shift = 0.0 if abs(largest) <= READABLE else largest
    exps = [Term(exp(s.value - shift), (s,)) for s in row]
    exps += [] if sink is None else [Term(exp(sink - shift))]
    at = _place_in_line(cell, axis)
    own, divisor = exps[at], total(term.value for term in exps)
    exact = own.value / divisor if divisor else math.nan
    # The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
    distances = [min(abs(s.value - shift), FAR) for s in row]
    away = [*distances, *([] if sink is None else [min(abs(sink - shift), FAR)])]
    spread = total(t.value * d for t, d in zip(exps, away, strict=True)) / (divisor or 1)
    made = Made(
        "", (), "", shortened(exps, keep=at), exact,
        cell.tolerance(exact, distances[at] + spread + len(row) + 8), divisor, shift, cell.masked,
    )  # fmt: skip
    if seen is None:
        return made._replace(steps=(cell.write(cell.value),), words=say("explanation.softmax.unshown"))
    seen = seen._replace(sink=sink)
    kind = "share" if sink is None else "share_sink"
    name, number = seen.name(cell.row, cell.column), "" if sink is None else significant(sink)
    return made._replace(
        symbols=seen.softmax(cell, " − m" if shift else ""),
        words=say(f"explanation.softmax.{kind}", line=seen.line, n=len(row), score=name, sink=number),
        notes=tuple(_notes(cell, made, row, row[at], seen)),
    )


def _place_in_line(cell: Cell, axis: str) -> int:
    """Return the place of a cell among those that it shares with, in the order in which they are read."""
    if axis == WHOLE:
        return cell.row * len(cell.sources[0].columns) + cell.column
    return cell.row if axis == COLUMNS else cell.column


def _masked_after(cell: Cell, made: Made, left: float | None) -> Made:
    """Return what is said of a share that a mask is laid over; `left` is what its row keeps, if shared again."""
    masks = cell.factors(cell.sources[1])
    mask = masks[0] if left is None else masks[cell.column]
    factor, share = exp(mask.value), made.exact
    kept = _Kept(share * factor, made.tolerance * factor) if left is None else _Kept.of(cell, masks)
    lost = math.isnan(kept.exact) and math.isfinite(share)
    kind, divided = ("times", "") if left is None else ("shared", " / r")
    words = say(f"explanation.softmax.{kind}", words=made.words, mask=mask.symbols, left=cell.write(left or 0.0))
    beyond = math.isfinite(share) and not lost and not math.isfinite(cell.value)
    tolerance = kept.tolerance + cell.tolerance(abs(kept.exact), 6)
    closed = [say("explanation.softmax.closed", why=why_hidden(cell))] if cell.masked else []
    return made._replace(
        symbols=f"{made.symbols} × exp({mask.symbols}){divided}",
        words=words,
        exact=kept.exact,
        tolerance=math.inf if math.isnan(tolerance) else tolerance,
        notes=(*made.notes, *closed, *([cell.nothing_left()] if lost else []),
               *([say("explanation.trouble.quotient_beyond", largest=cell.largest_float)] if beyond else [])),
    )  # fmt: skip


class _Kept(NamedTuple):
    """A share after a mask, and what its row adds up to before it is shared out again."""

    exact: float
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
        return cls(exact, cell.tolerance(abs(exact), size) if left > SMALL else math.inf)


class _Scores(NamedTuple):
    """The scores of a softmax as they stand beside it: those that it reads, or those that these are divided from."""

    stage: Stage
    divisors: Sequence[str]
    divisor: str  # in words; empty where it reads them as they stand
    mask: Stage | None = None  # what is added to them ...
    factor: bool = False  # ... or its exponential is multiplied
    axis: str = ROWS
    sink: float | None = None

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
        sink = "" if self.sink is None else significant(self.sink)
        if self.divisor or self.mask is not None:  # no quotient within a quotient
            beside = f", {sink}{lowered}" if sink else ""
            return f"softmax({self.name(cell.row, ':')}{lowered}{beside})[{cell.column}]"
        total_of = f"Σ_j exp({self.of(cell.row, 'j')}{lowered})"
        below = f"({total_of} + exp({sink}{lowered}))" if sink else total_of
        return f"exp({self.of(cell.row, cell.column)}{lowered}) / {below}"


def _scores_beside(cell: Cell, axis: str, sources: tuple[Cells, ...]) -> _Scores | None:
    """Return the scores of a softmax as they stand beside it; None where none do."""
    if not sources or sources == cell.sources:
        return _Scores(sources[0].stage, (), "", axis=axis) if sources else None
    scaling = cell.sources[0].stage.rule
    assert isinstance(scaling, Scale)
    masks = cell.sources[0].stage.sources[1:]
    mask = cell.table[masks[0]] if masks else None
    return _Scores(sources[0].stage, scaling.in_symbols, scaling.divisor_said(cell), mask, scaling.factor, axis)


def _notes(cell: Cell, made: Made, row: list[Factor], score: Factor, seen: _Scores) -> list[str]:
    notes = []
    if seen.divisor:
        of = seen.of(cell.row, cell.column)
        notes.append(_divided(cell, of, seen))
    if made.shift:
        before, most, after = map(cell.write, (score.value, made.shift, score.value - made.shift))
        finite = math.isfinite(made.shift)
        told = "lowered_to_nothing" if not finite else "lowered_sink" if made.shift == seen.sink else "lowered"
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
