"""The values of a cell's expression, and arithmetic on displayed numbers.

Displayed numbers are read back as decimals, so that they are judged by their digits. The sign between two
steps is "=" where the left gives the right to its last digit, "≈" where digits that are not displayed show,
and "→" where a number is masked or no longer finite.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any

import numpy as np

from attnviz.core.rules.explaining.cell import Cell, Factor, Term, in_rows
from attnviz.core.rules.expression import I, J, Parts
from attnviz.core.rules.reading import index_at
from attnviz.core.rules.stage import Stage

LONG = 8  # a sum of more terms shows the largest LONG - 1 and the remainder
# It loses no digit of float32 numbers and their products; infinities and NaN raise no error.
DECIMALS = Context(prec=200, traps=[])


def as_decimal(displayed: str) -> Decimal:
    """Read a displayed number.

    >>> as_decimal("−1.50"), as_decimal("−∞")
    (Decimal('-1.50'), Decimal('-Infinity'))
    """
    return Decimal(displayed.replace("−", "-").replace("∞", "Infinity"))


def sign(left: Decimal, right: str) -> str:
    """Return the sign between a number and how it is displayed.

    >>> sign(Decimal("0.30005"), "0.3000"), sign(Decimal("0.3001"), "0.3000"), sign(Decimal("1E60"), "∞")
    ('=', '≈', '→')
    """
    exponent = as_decimal(right).as_tuple().exponent
    if isinstance(exponent, str) or not left.is_finite():  # an infinity or NaN has a letter for an exponent
        return "→"
    half_a_unit = Decimal((0, (5,), exponent - 1))
    return "=" if abs(left - as_decimal(right)) <= half_a_unit else "≈"


def sign_of_all(lefts: Iterable[Decimal], rights: Iterable[str]) -> str:
    """Return the sign between two sums, term by term."""
    signs = {sign(left, right) for left, right in zip(lefts, rights, strict=True)}
    return "→" if "→" in signs else "≈" if "≈" in signs else "="


def in_sum(terms: Sequence[str]) -> str:
    """Write a sum; negative terms are subtracted.

    >>> in_sum(["0.5", "−0.2", "(−1) × 2"])
    '0.5 − 0.2 + (−1) × 2'
    """
    signed = (f" − {term[1:]}" if term.startswith("−") else f" + {term}" for term in terms[1:])
    return terms[0] + "".join(signed)


def quotient(numerator: str, divisors: Sequence[str], joint: str = " · ") -> str:
    """Write a quotient; several divisors, joined to one, stand in parentheses.

    >>> quotient("S", []), quotient("S", ["√2"]), quotient("S", ["√2", "3"])
    ('S', 'S / √2', 'S / (√2 · 3)')
    """
    if not divisors:
        return numerator
    return f"{numerator} / {divisors[0] if len(divisors) == 1 else f'({joint.join(divisors)})'}"


def total(values: Iterable[float]) -> float:
    """Return the exact sum where possible; infinities and NaN add as floats."""
    values = list(values)
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return sum(values)


def exp(value: float) -> float:
    """Return e to the power of any float, infinity where it overflows."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def shortened(terms: Sequence[Term], keep: int | None = None) -> tuple[Term, ...]:
    """Return all terms, or of many the largest, `keep` and the remainder.

    `keep` is the index of a term that is kept in any case.

    >>> [term.value for term in shortened([Term(float(i)) for i in range(10)])]
    [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 3.0]
    """
    if len(terms) <= LONG:
        return tuple(terms)

    def smallness(place: int) -> tuple[float, int]:
        value = terms[place].value
        return -math.inf if math.isnan(value) else -abs(value), place

    shown = set(sorted(range(len(terms)), key=smallness)[: LONG - 1])
    if keep is not None:
        shown.add(keep)
    rest = [term.value for place, term in enumerate(terms) if place not in shown]
    if len(rest) == 1:  # a single term takes no more room than a remainder
        return tuple(terms)
    return (*(terms[place] for place in sorted(shown)), Term(total(rest), n_terms=len(rest)))


FAR = 1000.0  # exp(-FAR) is 0 at every precision
READABLE = 9.0  # exp up to this fits fixed decimals; a larger maximum is subtracted from its whole row


def normal_share(value: float) -> float:
    """Return Φ, the standard normal distribution's share below a value."""
    return 0.5 * math.erfc(-value / math.sqrt(2))


FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "exp": exp,
    "ln": lambda x: math.log(x) if x > 0 else math.nan,
    "root": math.sqrt,
    "tanh": math.tanh,
    "cos": math.cos,
    "sin": math.sin,
    "normal": normal_share,
    "positive": lambda x: x if x > 0 or math.isnan(x) else 0.0,
    "negative": lambda x: -x,
    "magnitude": lambda x: 0.0 if x == -math.inf else abs(x),
    "rounded": lambda x: float(np.float32(x)),
    "lasting": lambda x: x if np.float32(x) else 0.0,
    "away": lambda x: min(abs(x), FAR),
    "level": lambda x: 0.0 if abs(x) <= READABLE else x,
}
SAME = ("as_number", "at_once")


class Numbers:
    """The numbers behind a cell; `k` counts the terms of a sum."""

    def __init__(self, cell: Cell) -> None:
        self.cell, self._line, self._known = cell, dict[int, Any](), dict[int, float]()
        self._terms = dict[int, list[tuple[Term, Parts, int]]]()

    def stage(self, source: int) -> Stage:
        """Return the stage of a source; -1 stands for the result's."""
        return self.cell.stage if source < 0 else self.cell.sources[source].stage

    def index(self, parts: Parts, k: int = 0) -> int:
        """Return the row or column that an index has at term k."""
        return int(index_at(parts, self.cell.row, self.cell.column, k))

    def line(self, source: int, *places: Any) -> tuple[Any, Any]:
        """Return a named cell's row and column; strings mean whole lines."""
        row, column = (
            self.cell.row if each == I.parts else self.cell.column if each == J.parts
            else self.index(each) if isinstance(each, list) else each for each in places
        )  # fmt: skip
        if isinstance(row, str) or isinstance(column, str):
            return row, column
        return self.place(source, [row, 0, 0, 0], [column, 0, 0, 0])

    def place(self, source: int, row: Parts, column: Parts, k: int = 0) -> tuple[int, int]:
        """Return the row and column of a cell that is read."""
        return divmod(self.index(row, k) * self._values(source)[1] + self.index(column, k), self._values(source)[1])

    def _values(self, source: int) -> tuple[np.ndarray, int]:
        if source not in self._line:
            matrix = in_rows(self.cell.matrices[self.stage(source).name].detach()).cpu().double()
            self._line[source] = matrix.reshape(-1).numpy(), matrix.shape[1]
        found: tuple[np.ndarray, int] = self._line[source]
        return found

    def factor(self, node: Parts, k: int = 0) -> Factor:
        """Return a cell that is read."""
        _, source, *line = node
        row, column = self.place(source, line[0], line[1], k)
        values, width = self._values(source)
        return Factor(self.stage(source), row, column, float(values[row * width + column]))

    def value(self, node: Parts, k: int = 0) -> float:
        """Return the value of an expression in float64."""
        op, *rest = node
        if op == "at":
            values, width = self._values(rest[0])
            return float(values[self.index(rest[1], k) * width + self.index(rest[2], k)])
        if op == "number":
            return float(rest[0])
        if op in ("index", "entry"):
            return float(self.index(rest[0], k) if op == "index" else rest[0][self.index(rest[1], k)])
        if op == "power":
            return float(rest[0] ** (-self.index(rest[1], k) / rest[2]))
        if op in ("sum", "max"):
            if id(node) not in self._known:
                terms = [self.value(rest[1], at) for at in range(rest[0])]
                terms += [self.value(rest[-1])] if rest[-1] else []
                undefined = op == "max" and any(map(math.isnan, terms))
                self._known[id(node)] = total(terms) if op == "sum" else math.nan if undefined else max(terms)
            return self._known[id(node)]
        if op == "eps":
            return float(self.cell.precision.eps)
        x = self.value(rest[0], k)
        if op == "within":
            return float(rest[1] < x < rest[2])
        if op in SAME:
            return x
        if op in FUNCTIONS:
            return FUNCTIONS[op](x)
        return combined(op, x, self.value(rest[1], k))

    def terms(self, node: Parts) -> list[tuple[Term, Parts, int]]:
        """Return a sum's terms, each with its expression and its k."""
        if id(node) in self._terms:
            return self._terms[id(node)]
        _, n, each, _, more = node
        found = [(Term(self.value(each, k), tuple(self.factors(each, k))), each, k) for k in range(n)]
        self._terms[id(node)] = [*found, *([(Term(self.value(more)), more, 0)] if more else [])]
        return self._terms[id(node)]

    def factors(self, node: Parts, k: int = 0) -> list[Factor]:
        """Return the cells that an expression reads, except those inside sums."""
        if node[0] == "at":
            return [self.factor(node, k)]
        if node[0] in ("sum", "max", "number", "index", "entry", "power", "eps"):
            return []
        return [factor for each in node[1:] if isinstance(each, list) for factor in self.factors(each, k)]

    def size(self, node: Parts) -> float:
        """Return the sum of the magnitudes of an expression's addends."""
        op, *rest = node
        if op in ("+", "-"):
            return total(map(self.size, rest))
        if op == "sum":
            return total(abs(term.value) for term, *_ in self.terms(node))
        return abs(self.value(node))


def combined(op: str, x: float, y: float) -> float:
    """Return the result of an operation; infinite or NaN on overflow.

    >>> combined("/", 1.0, 0.0), combined("hidden", math.nan, -math.inf)
    (nan, -inf)
    """
    match op:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "/":
            return x / y if y else math.nan
        case "hidden":
            return -math.inf if y == -math.inf else x + y
    return x * exp(y)  # weighed
