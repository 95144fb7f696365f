"""The rules of the table of stages, for one cell: its arithmetic in symbols, in numbers and in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple

import torch

from attnviz.attention import AttentionTrace
from attnviz.explanation.displayed import (
    as_decimal,
    counted,
    exp,
    in_sum,
    quotient,
    shortened,
    sign,
    sign_of_all,
    total,
)
from attnviz.explanation.sources import Cells, Factor, Shapes, Term, name_of
from attnviz.numbers import written
from attnviz.position_wise import FeedForwardTrace
from attnviz.stages import EVERY_STAGE, VECTORS, Stage
from attnviz.tokens import visible

READABLE = 9.0  # exp of up to this stands in fixed digits; a row beyond it is shifted by its largest
FAR = 1000.0  # exp of this far below is 0 at every precision


class Made(NamedTuple):
    """What a rule says about a cell; the fields are those of an explanation, `trouble` is why it is not finite."""

    symbols: str
    steps: Sequence[str]
    words: str
    terms: tuple[Term, ...]
    exact: float
    tolerance: float
    divisor: float = 1.0
    shift: float = 0.0
    masked: bool = False
    trouble: str = ""


@dataclass(frozen=True)
class Cell:
    """One cell of a trace, as the rules read it."""

    trace: AttentionTrace | FeedForwardTrace
    stage: Stage
    row: int
    column: int
    digits: int
    shapes: Shapes
    sources: tuple[Cells, ...]
    value: float
    precision: torch.finfo

    @property
    def is_later(self) -> bool:
        """Whether its key comes after its query in a causal trace."""
        return self.trace.causal and self.column > self.row

    def label(self, axis: Literal["rows", "columns"]) -> str:
        """Name its row or its column, with the text of the token that it stands for."""
        kind = getattr(self.stage, axis)
        index = self.row if axis == "rows" else self.column
        if kind == "feature":
            return f"{axis.removesuffix('s') if self.stage.rows == 'feature' else kind} {index}"
        token = f" '{visible(self.trace.tokens[index])}'" if index < len(self.trace.tokens) else ""
        return f"{kind} {index}{token}"

    def place(self) -> str:
        """Name its row and its column; a bias has no rows."""
        column = self.label("columns")
        return column if self.stage.name in VECTORS else f"{self.label('rows')}, {column}"

    def factors(self, cells: Cells) -> list[Factor]:
        """Read a row, a column or a single cell of a matrix, in float64."""
        name, rows, columns = cells
        matrix = getattr(self.trace, name).detach()
        matrix = matrix[None] if matrix.dim() == 1 else matrix
        values = matrix[rows.start : rows.stop, columns.start : columns.stop].cpu().double().flatten().tolist()
        places = ((row, column) for row in rows for column in columns)
        return [Factor(name, *place, value) for place, value in zip(places, values, strict=True)]

    def write(self, value: float) -> str:
        """Write a number with the digits displayed."""
        return written(value, self.digits)

    def tolerance(self, size: float, roundings: float) -> float:
        """How far so many roundings may take a sum of terms of this size in all; infinite where it may overflow."""
        if not size <= self.precision.max * (1 - self.precision.eps):
            return math.inf
        return roundings * (self.precision.eps * size + self.precision.tiny)

    @property
    def largest_float(self) -> str:
        return f"the largest {self.precision.dtype}, {self.write(self.precision.max)}"


def product(cell: Cell) -> Made:
    """A row of the first source times a column (or a row, when transposed) of the second, plus the bias."""
    first, second, *biases = cell.sources
    pairs = zip(cell.factors(first), cell.factors(second), strict=True)
    products = [Term(a.value * b.value, (a, b)) for a, b in pairs]
    bias = [Term(added.value, (added,)) for cells in biases for added in cell.factors(cells)]
    terms = (*shortened(products), *bias)

    factors = [_factors(cell, term) for term in terms]
    values = [cell.write(term.value) for term in terms]
    value = cell.write(cell.value)
    displayed = [
        math.prod((as_decimal(text.strip("()")) for text in texts), start=Decimal(1)) if term.factors else as_decimal(v)
        for term, texts, v in zip(terms, factors, values, strict=True)
    ]
    steps = [in_sum([" × ".join(texts) for texts in factors])]
    if len(terms) > 1:
        steps.append(f"{sign_of_all(displayed, values)} {in_sum(values)}")
        displayed = [sum(map(as_decimal, values), start=Decimal(0))]
    steps.append(f"{sign_of_all(displayed, [value])} {value}")

    line = "row" if cell.stage.transposed else "column"
    symbols = EVERY_STAGE[first.matrix].symbol, EVERY_STAGE[second.matrix].symbol
    words = f"Row {cell.row} of {symbols[0]} times {line} {cell.column} of {symbols[1]}: "
    words += f"the sum of {counted(len(products), 'product')}{' and the bias' if bias else ''}"
    size = total(abs(term.value) for term in (*products, *bias))
    return Made(
        symbols=" + ".join([f"{first.symbols} · {second.symbols}", *(cells.symbols for cells in biases)]),
        steps=steps,
        words=words,
        terms=terms,
        exact=total(term.value for term in (*products, *bias)),
        tolerance=cell.tolerance(size, len(products) + 2),
        trouble="" if math.isfinite(cell.value) else _trouble_of_product(cell, [*products, *bias]),
    )


def _factors(cell: Cell, term: Term) -> list[str]:
    if not term.factors:
        return [f"(and {term.n_terms} more: {cell.write(term.value)})"]
    texts = [cell.write(factor.value) for factor in term.factors]
    return texts if len(texts) == 1 else [f"({text})" if text.startswith("−") else text for text in texts]


def _trouble_of_product(cell: Cell, terms: list[Term]) -> str:
    no_number = ", and ∞ − ∞ is no number" if math.isnan(cell.value) else ""
    broken = [factor for term in terms for factor in term.factors if not math.isfinite(factor.value)]
    if broken:
        if any(math.isnan(factor.value) for factor in broken):
            no_number = ""
        elif any(math.isnan(term.value) for term in terms):
            no_number = ", and 0 × ∞ is no number"
        return f"{broken[0].symbols} is {cell.write(broken[0].value)} already{no_number}."
    over = [term for term in terms if abs(term.value) > cell.precision.max]
    if not over:
        return f"No term is beyond {cell.largest_float}, but on its way the sum is{no_number}."
    worst = max(over, key=lambda term: abs(term.value))
    arithmetic = f"{' × '.join(_factors(cell, worst))} = {cell.write(worst.value)}"
    infinite = cell.write(math.copysign(math.inf, worst.value))
    others = f", and so {'does' if len(over) == 2 else 'do'} {len(over) - 1} more of the {len(terms)} terms"
    more = others if len(over) > 1 else ""
    return f"{arithmetic} is beyond {cell.largest_float}, and becomes {infinite}{more}{no_number}."


def scale(cell: Cell) -> Made:
    """A score divided by √d_k and the temperature, then masked where its key comes after its query."""
    source = cell.sources[0]
    (score,) = cell.factors(source)
    d_k = cell.shapes[EVERY_STAGE[source.matrix].sources[0]][1]  # as many products as there are in a score
    temperature = cell.trace.temperature
    roots, cooled = [d_k] * cell.trace.scale, [temperature] * (temperature != 1)
    divisor = (math.sqrt(d_k) if roots else 1.0) * temperature
    exact = score.value / divisor

    numerator, value = cell.write(score.value), cell.write(exact if cell.is_later else cell.value)
    steps = [quotient(numerator, [f"√{d}" for d in roots] + [cell.write(t) for t in cooled], " × ")]
    denominator = "1"
    if roots or cooled:
        denominator = cell.write(divisor)
    if roots:
        displayed = Decimal(d_k).sqrt() * (as_decimal(cell.write(temperature)) if cooled else 1)
        steps.append(f"{sign(displayed, denominator)} {numerator} / {denominator}")
    steps.append(f"{sign(as_decimal(numerator) / as_decimal(denominator), value)} {value}")

    names = [f"√d_k = √{d} = {cell.write(math.sqrt(d))} (d_k = {d}: a score is a sum of {counted(d, 'product')})"
             for d in roots] + [f"the temperature {t:g}" for t in cooled]  # fmt: skip
    words = f"{source.symbols} divided by {' and by '.join(names)}" if names else f"{source.symbols} as it is, unscaled"
    symbols = quotient(source.symbols, ["√d_k" for _ in roots] + [f"{t:g}" for t in cooled])
    trouble = ""
    if not math.isfinite(score.value):
        trouble = f"{source.symbols} is {numerator} already."
    elif not math.isfinite(cell.value) and not cell.is_later:
        trouble = f"The quotient is beyond {cell.largest_float}."
    if cell.is_later:
        steps.append("→ −∞ (masked)")
        symbols = "−∞ (masked)"
        order = f"{cell.label('columns')} comes after {cell.label('rows')}"
        words = f"Masked: {order}, and a token may not attend to a later one. Unmasked it would be {words}"
    return Made(
        symbols, steps, words, (Term(exact, (score,)),), -math.inf if cell.is_later else exact,
        0.0 if cell.is_later else cell.tolerance(abs(exact), 4), divisor, masked=cell.is_later, trouble=trouble,
    )  # fmt: skip


def relu(cell: Cell) -> Made:
    """A number as it is, or 0 where it is negative."""
    source = cell.sources[0]
    (number,) = cell.factors(source)
    exact = number.value if number.value > 0 or math.isnan(number.value) else 0.0
    before, value = cell.write(number.value), cell.write(cell.value)
    return Made(
        f"max(0, {source.symbols})", [f"max(0, {before})", f"{sign(as_decimal(cell.write(exact)), value)} {value}"],
        f"{source.symbols} as it is, or 0 where it is negative", (Term(exact, (number,)),), exact, 0.0,
        trouble="" if math.isfinite(exact) else f"{source.symbols} is {before} already.",
    )  # fmt: skip


def softmax(cell: Cell) -> Made:
    """exp of a scaled score over the sum of the exps of its row; a shift of the whole row cancels."""
    row = cell.factors(cell.sources[0])
    largest = math.nan if any(math.isnan(s.value) for s in row) else max(s.value for s in row)
    shift = 0.0 if abs(largest) <= READABLE else largest
    all_terms = [Term(exp(s.value - shift), (s,)) for s in row]
    own, divisor = all_terms[cell.column], total(term.value for term in all_terms)
    terms = shortened(all_terms, keep=cell.column)

    exps, values = [_exp(cell, term, shift) for term in terms], [cell.write(term.value) for term in terms]
    displayed = [
        Decimal(exp(float(as_decimal(text[4:-1])))) if term.factors else as_decimal(v)
        for term, text, v in zip(terms, exps, values, strict=True)
    ]
    numerator, denominator, value = cell.write(own.value), cell.write(divisor), cell.write(cell.value)
    steps = [quotient(_exp(cell, own, shift), exps, " + ")]
    between = sign_of_all(displayed, values)
    if len(terms) > 1:
        steps.append(f"{between} {quotient(numerator, values, ' + ')}")
        between = sign(sum(map(as_decimal, values), start=Decimal(0)), denominator)
    steps.append(f"{between} {numerator} / {denominator}")
    steps.append(f"{sign(as_decimal(numerator) / as_decimal(denominator), value)} {value}")

    score, scores = row[cell.column], name_of(row[0].matrix, cell.row, "j")
    words = f"The exp of {score.symbols} over the sum of the exps of its row"
    words += f" ({counted(len(row), 'term')})"
    if shift:
        before, most, after = map(cell.write, (score.value, shift, score.value - shift))
        words += (
            f". {score.symbols} is {before}; m = {most}, the largest of the row, is taken from each of the row first"
        )
        if math.isfinite(score.value - shift) and sign(as_decimal(before) - as_decimal(most), after) != "=":
            words += f" ({before} less {most} is {after}, rounded)"
        words += ": that changes no quotient, and no exp overflows" if math.isfinite(shift) else ""
    if cell.is_later:
        words += ". Masked: a token may not attend to a later one, and exp(−∞) = 0"
    lowered = " − m" if shift else ""
    exact = own.value / divisor if divisor else math.nan
    # The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
    distances = [min(abs(s.value - shift), FAR) for s in row]
    spread = total(t.value * d for t, d in zip(all_terms, distances, strict=True)) / (divisor or 1)
    return Made(
        f"exp({score.symbols}{lowered}) / Σ_j exp({scores}{lowered})", steps, words, terms, exact,
        cell.tolerance(exact, distances[cell.column] + spread + len(row) + 8), divisor, shift, cell.is_later,
        "" if math.isfinite(cell.value) else _trouble_of_softmax(cell, row),
    )  # fmt: skip


def _exp(cell: Cell, term: Term, shift: float) -> str:
    return f"exp({cell.write(term.factors[0].value - shift)})" if term.factors else _factors(cell, term)[0]


def _trouble_of_softmax(cell: Cell, row: list[Factor]) -> str:
    broken = next((s for s in row if math.isnan(s.value) or s.value == math.inf), None)
    if broken is None:
        return "The row has no finite score: 0 / 0 is no number."
    no_number = "" if math.isnan(broken.value) else ", and ∞ − ∞ is no number"
    return f"{broken.symbols} is {cell.write(broken.value)} already{no_number}: the whole row is undefined."
