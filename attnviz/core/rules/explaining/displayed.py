"""Arithmetic as a page displays it: sums, quotients, and whether what stands there gives what it says.

Displayed numbers are read back as decimals, so that they are judged by their digits. The sign between two
steps is "=" where the left gives the right to its last digit, "≈" where digits that are not displayed show,
and "→" where a number is masked or no longer finite.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal

from attnviz.core.rules.explaining.cell import Term

LONG = 8  # a sum of more terms shows the largest LONG - 1 and the remainder
DECIMALS = Context(prec=40, traps=[])  # infinities and NaN pass through it quietly


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
    if isinstance(exponent, str) or not left.is_finite():  # the exponent of an infinity is a letter
        return "→"
    half_a_unit = Decimal((0, (5,), exponent - 1))
    return "=" if abs(left - as_decimal(right)) <= half_a_unit else "≈"


def sign_of_all(lefts: Iterable[Decimal], rights: Iterable[str]) -> str:
    """Return the sign between two sums, term by term."""
    signs = {sign(left, right) for left, right in zip(lefts, rights, strict=True)}
    return "→" if "→" in signs else "≈" if "≈" in signs else "="


def in_sum(terms: Sequence[str]) -> str:
    """Write a sum; negative terms are taken away.

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
    """Sum exactly where that is possible; infinities and NaN sum as floats do."""
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
    """Return the terms, or of a long sum the largest and the remainder, in their order; `keep` is always there.

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
    if len(rest) == 1:  # it takes no more room than its remainder
        return tuple(terms)
    return (*(terms[place] for place in sorted(shown)), Term(total(rest), n_terms=len(rest)))
