"""Each row over its sum, without a softmax: what linear attention makes of its scores."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, EachCell, Shape
from attnviz.core.rules.explaining.cell import Cell, Factor, Made, Term
from attnviz.core.rules.explaining.displayed import as_decimal, exp, in_sum, shortened, sign, total
from attnviz.core.rules.explaining.hiding import why_hidden
from attnviz.words import say


@dataclass(frozen=True)
class Share(EachCell):
    """Each number over the sum of its row; with a second source, a mask, each is multiplied by its exponential first,
    which is 0 where it holds -∞.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
    """

    name = "share"
    n_sources = (1, 2)

    @property
    def masked_by(self) -> int:
        """The mask, where there is one."""
        return 1

    def compute(self, *sources: Tensor) -> Tensor:
        """Products with the mask, then quotients."""
        kept = sources[0] if len(sources) == 1 else sources[0] * sources[1].exp()
        return kept / kept.sum(-1, keepdim=True)

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The whole row of each."""
        return tuple((range(row, row + 1), range(columns)) for _, columns in shapes)

    def _kept(self, *tables: Bounded) -> Bounded:
        value, error = tables[0]
        if len(tables) == 1:
            return tables[0]
        mask, of_mask = tables[1]
        most = np.exp(mask + of_mask)
        return Bounded(value * np.exp(mask), (np.abs(value) + error) * (most - np.exp(mask)) + error * most)

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors of the numerator, and of the sum as far as the share is large."""
        with np.errstate(all="ignore"):
            value, error = self._kept(*tables)
            sums, of_sums = value.sum(-1, keepdims=True), error.sum(-1, keepdims=True)
            least = np.abs(sums) - of_sums
            shares = value / sums
            return Bounded(shares, np.where(least > 0, (error + np.abs(shares) * of_sums) / least, np.inf))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The exponential, the product and the quotient."""
        return np.abs(made.value) * 6 + self.summed(made, *tables)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The sum is off by as much more as its terms are larger than it is."""
        with np.errstate(all="ignore"):
            value = self._kept(*tables).value
            spread = np.abs(value).sum(-1, keepdims=True) / np.abs(value.sum(-1, keepdims=True))
            sizes: np.ndarray = np.abs(made.value) * spread * (value.shape[1] + 2)
            return sizes

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell of a row that holds a mark."""
        either = np.logical_or.reduce(marks)
        return np.broadcast_to(either.any(axis=1, keepdims=True), either.shape)

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        if len(symbols) == 1:
            return say("stages.formula.share")
        return say("stages.formula.share_masked", mask=symbols[1])

    def code(self, made: str, *names: str) -> list[str]:
        """Products with the mask, then quotients."""
        kept = names[0] if len(names) == 1 else f"{names[0]} * {names[1]}.exp()"
        return [f"{made} = {kept}", f"{made} = {made} / {made}.sum(-1, keepdim=True)"]

    def explain(self, cell: Cell) -> Made:
        """A number over the sum of its row."""
        row = cell.factors(cell.sources[0])
        masks = cell.factors(cell.sources[1]) if len(cell.sources) > 1 else None
        terms = _terms(row, masks)
        own, divisor = terms[cell.column], total(term.value for term in terms)
        size = total(abs(term.value) for term in terms)
        exact = own.value / divisor if divisor else math.nan
        tolerance = math.inf
        if divisor and cell.tolerance(size, 1) < math.inf:
            tolerance = cell.tolerance(abs(exact) * (size / abs(divisor)), len(row) + 8)
        score, stage, line = row[cell.column].symbols, row[0].stage, cell.row
        symbols = f"{score} / Σ_j {stage.at(line, 'j')}"
        if masks:
            by = masks[0].stage
            score = f"{score} × exp({by.at(line, cell.column)})"
            symbols = f"{score} / Σ_j ({stage.at(line, 'j')} × exp({by.at(line, 'j')}))"
        made = Made(
            symbols, _steps(cell, terms, divisor), say("explanation.share.words", score=score, n=len(row)),
            shortened(terms, keep=cell.column), exact, tolerance, divisor, 0.0, cell.masked,
        )  # fmt: skip
        return made._replace(notes=tuple(_notes(cell, row, divisor)))


def _terms(row: list[Factor], masks: list[Factor] | None) -> list[Term]:
    if masks is None:
        return [Term(score.value, (score,)) for score in row]
    return [Term(score.value * exp(mask.value), (score, mask)) for score, mask in zip(row, masks, strict=True)]


def _steps(cell: Cell, all_terms: list[Term], divisor: float) -> list[str]:
    terms = shortened(all_terms, keep=cell.column)
    values = [cell.write(term.value) for term in terms]
    texts = [value if term.factors else cell.write_factors(term)[0] for value, term in zip(values, terms, strict=True)]
    own, denominator, value = (cell.write(each) for each in (all_terms[cell.column].value, divisor, cell.value))
    share = as_decimal(own) / as_decimal(denominator) if math.isfinite(divisor) else Decimal("NaN")
    between = sign(sum(map(as_decimal, values), start=Decimal(0)), denominator)
    return [
        f"{own} / ({in_sum(texts)})",
        f"{between} {own} / {denominator}",
        f"{sign(share, value)} {value}",
    ]


def _notes(cell: Cell, row: list[Factor], divisor: float) -> list[str]:
    notes = []
    if cell.masked:
        notes.append(say("explanation.share.closed", why=why_hidden(cell)))
    if math.isfinite(cell.value):
        return notes
    broken = next((score for score in row if not math.isfinite(score.value)), None)
    if broken is not None:
        return [*notes, cell.already(broken)]
    if divisor == 0:
        return [*notes, cell.nothing_left()]
    return [*notes, say("explanation.trouble.quotient_beyond", largest=cell.largest_float)]
