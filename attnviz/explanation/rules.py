"""The rules of the table of stages, for one cell: its arithmetic in symbols, in numbers and in words."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple

import torch

from attnviz.core.rules import Product, Scale
from attnviz.core.stages import Stage
from attnviz.core.tokens import token_labels, visible
from attnviz.core.trace import Trace
from attnviz.explanation.displayed import (
    as_decimal,
    exp,
    in_sum,
    quotient,
    shortened,
    sign,
    sign_of_all,
    total,
)
from attnviz.explanation.sources import Cells, Factor, Shapes, Term
from attnviz.words import say
from attnviz.words.numbers import written

READABLE = 9.0  # exp of up to this stands in fixed digits; a row beyond it is shifted by its largest
FAR = 1000.0  # exp of this far below is 0 at every precision


class Made(NamedTuple):
    """What a rule says about a cell; the fields are those of an explanation."""

    symbols: str
    steps: Sequence[str]
    words: str
    terms: tuple[Term, ...]
    exact: float
    tolerance: float
    divisor: float = 1.0
    shift: float = 0.0
    masked: bool = False
    notes: tuple[str, ...] = ()


class Scores(NamedTuple):
    """The scores of a softmax as they stand beside it: those that it reads, or those that these are divided from."""

    stage: Stage
    divisors: Sequence[str]
    divisor: str  # in words; empty where it reads them as they stand

    def of(self, row: int, column: int | str) -> str:
        return self.stage.at(row, column)

    def name(self, row: int, column: int | str) -> str:
        """Write what the exp is taken of."""
        return quotient(self.of(row, column), self.divisors)

    def softmax(self, cell: "Cell", lowered: str) -> str:
        if self.divisor:  # no quotient within a quotient
            return f"softmax({self.name(cell.row, ':')}{lowered})[{cell.column}]"
        return f"exp({self.of(cell.row, cell.column)}{lowered}) / Σ_j exp({self.of(cell.row, 'j')}{lowered})"


@dataclass(frozen=True)
class Cell:
    """One cell of a trace, as the rules read it."""

    trace: Trace
    stage: Stage
    row: int
    column: int
    digits: int
    shapes: Shapes
    sources: tuple[Cells, ...]
    value: float
    precision: torch.finfo
    shown: Collection[str] | None = None  # the matrices that stand beside it; None: all

    @property
    def is_later(self) -> bool:
        """Whether it is masked: its key comes after its query."""
        masked = self.trace.masked_in(self.stage.name)
        return masked is not None and bool(masked[self.row, self.column])

    def label(self, axis: Literal["rows", "columns"]) -> str:
        """Name its row or its column, with the text of the token that it stands for."""
        kind = getattr(self.stage, axis)
        index = self.row if axis == "rows" else self.column
        if kind == "feature":
            return line_of(axis.removesuffix("s") if self.stage.rows == "feature" else kind, index)
        line = line_of(kind, index)
        if index >= len(self.trace.tokens):
            return line
        return say("explanation.line.called", line=line, token=visible(self.trace.tokens[index]))

    def place(self) -> str:
        """Name its row and its column; a bias has no rows."""
        column = self.label("columns")
        if self.stage.is_vector:
            return column
        return say("explanation.place", row=self.label("rows"), column=column)

    def factors(self, cells: Cells) -> list[Factor]:
        """Read a row, a column or a single cell of a matrix, in float64."""
        stage, rows, columns = cells
        matrix = self.trace[stage.name].detach()
        matrix = matrix[None] if matrix.dim() == 1 else matrix
        values = matrix[rows.start : rows.stop, columns.start : columns.stop].cpu().double().flatten().tolist()
        places = ((row, column) for row in rows for column in columns)
        return [Factor(stage, *place, value) for place, value in zip(places, values, strict=True)]

    def write(self, value: float) -> str:
        """Write a number with the digits displayed."""
        return written(value, self.digits)

    def seen_sources(self) -> tuple[Cells, ...]:
        """Return its sources; of scaled scores that do not stand beside it, the scores that these are made from."""
        read = self.sources[0] if self.sources else None
        if read is None or self.shown is None or read.matrix in self.shown or self.stage.kind != "softmax":
            return self.sources
        seen = isinstance(read.stage.rule, Scale) and read.stage.sources[0] in self.shown
        return (read._replace(stage=self.trace.stages[read.stage.sources[0]]),) if seen else ()

    def seen_scores(self) -> Scores | None:
        """Return the scores of a softmax as they stand beside it; None where none do."""
        sources = self.seen_sources()
        if not sources or sources == self.sources:
            return Scores(sources[0].stage, (), "") if sources else None
        scaling = self.sources[0].stage.rule
        assert isinstance(scaling, Scale)
        return Scores(sources[0].stage, _symbols_of(*divisors_of(scaling)), _divisor(self, scaling))

    def tolerance(self, size: float, roundings: float) -> float:
        """How far so many roundings may take a sum of terms of this size in all; infinite where it may overflow."""
        if not size <= self.precision.max * (1 - self.precision.eps):
            return math.inf
        return roundings * (self.precision.eps * size + self.precision.tiny)

    @property
    def largest_float(self) -> str:
        return say("explanation.trouble.largest", dtype=self.precision.dtype, value=self.write(self.precision.max))


def line_of(kind: str, index: int) -> str:
    """Name a row or a column by what it stands for.

    >>> line_of("query", 1)
    'query 1'
    """
    return say(f"explanation.line.{kind}", index=index)


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

    assert isinstance(cell.stage.rule, Product)
    words = say(
        "explanation.product.with_bias" if bias else "explanation.product.sum",
        n=len(products),
        first=_multiplied_row(cell, first, cell.row),
        a=first.stage.symbol,
        second=(
            _multiplied_row(cell, second, cell.column) if cell.stage.rule.transposed else line_of("column", cell.column)
        ),
        b=second.stage.symbol,
    )
    size = total(abs(term.value) for term in (*products, *bias))
    return Made(
        symbols=" + ".join([f"{first.symbols} · {second.symbols}", *(cells.symbols for cells in biases)]),
        steps=steps,
        words=words,
        terms=terms,
        exact=total(term.value for term in (*products, *bias)),
        tolerance=cell.tolerance(size, len(products) + 2),
        notes=() if math.isfinite(cell.value) else tuple(_trouble_of_product(cell, [*products, *bias])),
    )


def _multiplied_row(cell: Cell, cells: Cells, index: int) -> str:
    """Name a row of a source by its token, told apart from others of the same text; by its number, without one."""
    if cells.stage.rows == "feature" or index >= len(cell.trace.tokens):
        return line_of("row", index)
    return say("explanation.line.of_token", token=token_labels(cell.trace.tokens)[index])


def _factors(cell: Cell, term: Term) -> list[str]:
    if not term.factors:
        return [say("explanation.step.more", count=term.n_terms, value=cell.write(term.value))]
    texts = [cell.write(factor.value) for factor in term.factors]
    return texts if len(texts) == 1 else [f"({text})" if text.startswith("−") else text for text in texts]


def _trouble_of_product(cell: Cell, terms: list[Term]) -> list[str]:
    no_number = [say("explanation.trouble.difference")] if math.isnan(cell.value) else []
    broken = [factor for term in terms for factor in term.factors if not math.isfinite(factor.value)]
    if broken:
        if any(math.isnan(factor.value) for factor in broken):
            no_number = []
        elif any(math.isnan(term.value) for term in terms):
            no_number = [say("explanation.trouble.product")]
        return [_already(cell, broken[0]), *no_number]
    over = [term for term in terms if abs(term.value) > cell.precision.max]
    if not over:
        return [say("explanation.trouble.on_the_way", largest=cell.largest_float), *no_number]
    worst = max(over, key=lambda term: abs(term.value))
    beyond = say(
        "explanation.trouble.beyond",
        arithmetic=f"{' × '.join(_factors(cell, worst))} = {cell.write(worst.value)}",
        largest=cell.largest_float,
        infinite=cell.write(math.copysign(math.inf, worst.value)),
    )
    others = len(over) - 1
    more = [say("explanation.trouble.others_beyond", n=others, terms=len(terms))] if others else []
    return [beyond, *more, *no_number]


def _already(cell: Cell, broken: Factor) -> str:
    return say("explanation.trouble.already", cell=broken.symbols, value=cell.write(broken.value))


def scale(cell: Cell) -> Made:
    """A score divided by √d_k and the temperature, then masked where its key comes after its query."""
    source = cell.sources[0]
    (score,) = cell.factors(source)
    scaling = cell.stage.rule
    assert isinstance(scaling, Scale)
    roots, cooled = divisors_of(scaling)
    divisor = scaling.divisor
    exact = score.value / divisor

    numerator, value = cell.write(score.value), cell.write(exact if cell.is_later else cell.value)
    steps = [quotient(numerator, [f"√{d}" for d in roots] + [cell.write(t) for t in cooled], " × ")]
    denominator = "1"
    if roots or cooled:
        denominator = cell.write(divisor)
    if roots:
        displayed = Decimal(roots[0]).sqrt() * (as_decimal(cell.write(cooled[0])) if cooled else 1)
        steps.append(f"{sign(displayed, denominator)} {numerator} / {denominator}")
    steps.append(f"{sign(as_decimal(numerator) / as_decimal(denominator), value)} {value}")

    symbols = quotient(source.symbols, _symbols_of(roots, cooled))
    divided = _divisor(cell, scaling)
    words = say("explanation.scale.divided", score=source.symbols, divisor=divided)
    if not divided:
        words = say("explanation.scale.undivided", score=source.symbols)
    notes: tuple[str, ...] = ()
    if not math.isfinite(score.value):
        notes = (_already(cell, score),)
    elif not math.isfinite(cell.value) and not cell.is_later:
        notes = (say("explanation.trouble.quotient_beyond", largest=cell.largest_float),)
    if cell.is_later:
        masked = say("explanation.step.masked")
        steps.append(f"→ −∞ {masked}")
        symbols = f"−∞ {masked}"
        words = say("explanation.scale.masked", key=cell.label("columns"), query=cell.label("rows"), words=words)
    return Made(
        symbols, steps, words, (Term(exact, (score,)),), -math.inf if cell.is_later else exact,
        0.0 if cell.is_later else cell.tolerance(abs(exact), 4), divisor, masked=cell.is_later, notes=notes,
    )  # fmt: skip


def divisors_of(scaling: Scale) -> tuple[list[int], list[float]]:
    """Return what scores are divided by: the d_k under the root and the temperature, if they are."""
    return [] if scaling.d_k is None else [scaling.d_k], [scaling.temperature] * (scaling.temperature != 1)


def _symbols_of(roots: list[int], cooled: list[float]) -> list[str]:
    return ["√d_k" for _ in roots] + [f"{t:g}" for t in cooled]


def _divisor(cell: Cell, scaling: Scale) -> str:
    """Say what the scores are divided by; empty where by nothing."""
    temperature = say("explanation.scale.temperature", temperature=f"{scaling.temperature:g}")
    if scaling.d_k is None:
        return temperature if scaling.temperature != 1 else ""
    root = say("explanation.scale.root", n=scaling.d_k, root=cell.write(math.sqrt(scaling.d_k)))
    if scaling.temperature == 1:
        return root
    return say("explanation.scale.both", root=root, temperature=temperature)


def relu(cell: Cell) -> Made:
    """A number, or 0 where it is negative."""
    source = cell.sources[0]
    (number,) = cell.factors(source)
    exact = number.value if number.value > 0 or math.isnan(number.value) else 0.0
    before, value = cell.write(number.value), cell.write(cell.value)
    return Made(
        f"max(0, {source.symbols})", [f"max(0, {before})", f"{sign(as_decimal(cell.write(exact)), value)} {value}"],
        say("explanation.relu.words", number=source.symbols), (Term(exact, (number,)),), exact, 0.0,
        notes=() if math.isfinite(exact) else (_already(cell, number),),
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

    exact = own.value / divisor if divisor else math.nan
    # The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
    distances = [min(abs(s.value - shift), FAR) for s in row]
    spread = total(t.value * d for t, d in zip(all_terms, distances, strict=True)) / (divisor or 1)
    made = Made(
        "", steps, "", terms, exact, cell.tolerance(exact, distances[cell.column] + spread + len(row) + 8), divisor,
        shift, cell.is_later,
    )  # fmt: skip
    return _said_of_share(cell, made, row)


def _said_of_share(cell: Cell, made: Made, row: list[Factor]) -> Made:
    """Say what a softmax does in symbols and words, of the scores that stand beside it."""
    seen = cell.seen_scores()
    if seen is None:
        return made._replace(steps=(cell.write(cell.value),), words=say("explanation.softmax.unshown"))
    score = row[cell.column]
    name = seen.name(cell.row, cell.column)
    notes = [say("explanation.softmax.divided", score=seen.of(cell.row, cell.column), divisor=seen.divisor)]
    notes = notes if seen.divisor else []
    if made.shift:
        before, most, after = map(cell.write, (score.value, made.shift, score.value - made.shift))
        finite = math.isfinite(made.shift)
        notes.append(say(f"explanation.softmax.{'lowered' if finite else 'lowered_to_nothing'}", largest=most))
        if finite and math.isfinite(score.value):
            is_exact = sign(as_decimal(before) - as_decimal(most), after) == "="
            less = "less" if is_exact else "less_rounded"
            notes.append(say(f"explanation.softmax.{less}", score=name, value=before, less=after))
    if cell.is_later:
        notes.append(say("explanation.softmax.masked"))
    if not math.isfinite(cell.value):
        notes += _trouble_of_softmax(cell, row, seen)
    return made._replace(
        symbols=seen.softmax(cell, " − m" if made.shift else ""),
        words=say("explanation.softmax.share", n=len(row), score=name),
        notes=tuple(notes),
    )


def _exp(cell: Cell, term: Term, shift: float) -> str:
    return f"exp({cell.write(term.factors[0].value - shift)})" if term.factors else _factors(cell, term)[0]


def _trouble_of_softmax(cell: Cell, row: list[Factor], seen: Scores) -> list[str]:
    undefined = say("explanation.trouble.undefined_row")
    broken = next((s for s in row if math.isnan(s.value) or s.value == math.inf), None)
    if broken is None:
        return [say("explanation.trouble.no_score"), say("explanation.trouble.quotient"), undefined]
    name = seen.name(broken.row, broken.column)
    already = say("explanation.trouble.already", cell=name, value=cell.write(broken.value))
    difference = [] if math.isnan(broken.value) else [say("explanation.trouble.difference")]
    return [already, *difference, undefined]
