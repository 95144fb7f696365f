"""Reads the arithmetic that an explanation displays, and computes it again."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attnviz import AttentionTrace, Explanation
from attnviz.core.rules import in_rows
from attnviz.words.numbers import written

RELATION = re.compile(r" (=|≈|→) ")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]\d+)?")
TAMED = re.compile(r"exp\(−∞\)|max\(0, −∞\)|tanh\(−?∞ / [^)]*\)")  # they have infinite parts, and yet give 0, 1 or -1
REMAINDER = re.compile(r"\(and \d+ more: ([^)]+)\)")


class Between:
    """A displayed number, or a result of several: its nominal value, and the limits of what it may stand for."""

    def __init__(self, nominal: Fraction, low: float, high: float) -> None:
        self.nominal, self.low, self.high = nominal, low, high

    def __add__(self, other: "Between") -> "Between":
        return Between(self.nominal + other.nominal, self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Between":
        return Between(-self.nominal, -self.high, -self.low)

    def __sub__(self, other: "Between") -> "Between":
        return self + -other

    def __mul__(self, other: "Between") -> "Between":
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Between(self.nominal * other.nominal, min(corners), max(corners))

    def __truediv__(self, other: "Between") -> "Between":
        if other.low <= 0:  # with few digits it may be written as 0, so that nothing is known
            return Between(self.nominal / other.nominal, -math.inf, math.inf)
        return self * Between(1 / other.nominal, 1 / other.high, 1 / other.low)


@cache
def half_a_unit(displayed: str) -> Fraction:
    exponent = Decimal(displayed.replace("−", "-")).as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(10) ** exponent / 2


def shown(displayed: str) -> Between:
    value, slack = float(displayed), float(half_a_unit(displayed))
    slack += abs(value) * 1e-12  # because the limits are floats
    return Between(Fraction(displayed), value - slack, value + slack)


def exponential(power: Between) -> Between:
    nominal, low, high = (math.exp(min(p, 700.0)) for p in (float(power.nominal), power.low, power.high))
    return Between(Fraction(nominal), low, high)


def logarithm(value: Between) -> Between:
    """Return the natural logarithm, which only rises."""
    low, high = (math.log(v) if v > 0 else -math.inf for v in (value.low, value.high))
    return Between(Fraction(math.log(value.nominal)), low, high)


def larger(zero: int, value: Between) -> Between:
    return Between(max(Fraction(0), value.nominal), max(0.0, value.low), max(0.0, value.high))


def share_below(value: Between) -> Between:
    """Return the standard normal distribution function, which only rises."""
    nominal, low, high = (math.erfc(-v / math.sqrt(2)) / 2 for v in (float(value.nominal), value.low, value.high))
    return Between(Fraction(nominal), low, high)


def tangent(value: Between) -> Between:
    """Return the hyperbolic tangent, which only rises."""
    nominal, low, high = (math.tanh(v) for v in (float(value.nominal), value.low, value.high))
    return Between(Fraction(nominal), low, high)


@cache
def worked_out(expression: str) -> Between:
    """Compute a displayed expression; it has only our own text, so that evaluating it is safe."""
    if NUMBER.fullmatch(expression):
        return shown(expression)
    code = REMAINDER.sub(r"(\1)", expression).replace("exp(−∞)", "zero").replace("−", "-").replace("×", "*")
    code = re.sub(r"tanh\((-?)∞ / [^)]*\)", r"(\1one)", code)
    code = re.sub(r"√(\d+)", r"root_\1", code)
    names: dict[str, Any] = {
        "shown": shown,
        "exp": exponential,
        "Φ": share_below,
        "ln": logarithm,
        "tanh": tangent,
        "max": larger,
        "one": Between(Fraction(1), 1.0, 1.0),
        "zero": Between(Fraction(0), 0.0, 0.0),
    }
    for radicand in re.findall(r"root_(\d+)", code):
        root = math.sqrt(int(radicand))
        names[f"root_{radicand}"] = Between(Fraction(root), root, root)
    return eval(NUMBER.sub(r"shown('\g<0>')", code), {"__builtins__": {}}, names)


def addends(expression: str) -> list[str]:
    """Split a sum at its signs outside of parentheses."""
    expression = expression.removeprefix("(").removesuffix(")") if is_grouped(expression) else expression
    depth, terms, start = 0, [], 0
    for i, char in enumerate(expression):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char in "+−" and expression[i - 1 : i + 2] == f" {char} ":
            terms.append(expression[start : i - 1])
            start = i if char == "−" else i + 2
    return [term.replace("− ", "−") for term in (*terms, expression[start:])]


def is_grouped(expression: str) -> bool:
    depth = 0
    for i, char in enumerate(expression):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return i == len(expression) - 1 and not expression.startswith("(and ") and " + " in expression
    return False


def factors_of(product: str) -> list[str]:
    return [factor[1:-1] if factor.startswith("(") else factor for factor in product.split(" × ")]


def gives(left: str, right: str) -> bool:
    """Whether the numbers on the left give each number on the right, to its last digit."""
    if left.count(" / ") == right.count(" / ") == 1:
        return all(gives(a, b) for a, b in zip(left.split(" / "), right.split(" / "), strict=True))
    if left.count(" × ") == right.count(" × ") == 1:
        return all(gives(a, b) for a, b in zip(factors_of(left), factors_of(right), strict=True))
    from_left, from_right = addends(left), addends(right)
    if len(from_right) == 1:
        from_left = [left]
    assert len(from_left) == len(from_right), (left, right)
    for a, b in zip(from_left, from_right, strict=True):
        number = REMAINDER.sub(r"\1", b)
        if abs(worked_out(a).nominal - worked_out(number).nominal) > half_a_unit(number):
            return False
    return True


def numbers_in(explanation: Explanation) -> str:
    """Return the arithmetic in the plain text."""
    opening = f"{explanation.words}: " if explanation.rule != "given" else f"{explanation.symbols} is "
    rest = explanation.text.split(opening, 1)[1]
    return re.split(r"\.(?= |$)", rest)[0]


def check_arithmetic(explanation: Explanation) -> None:
    """Check that the displayed terms give the displayed value, to the last digit, or that the text says "rounded"."""
    numbers = numbers_in(explanation)
    assert explanation.rule == "given" or numbers == explanation.numbers
    assert not re.search("inf|nan", numbers.replace("NaN", ""))
    assert numbers.endswith(" (rounded)") == ("≈" in numbers) == explanation.rounded
    numbers = numbers.removesuffix(" (rounded)")
    masked = numbers.endswith(" → −∞ (masked)")
    assert masked == (explanation.rule in ("scale", "relative") and explanation.masked)
    first, *rest = RELATION.split(numbers.removesuffix(" → −∞ (masked)"))
    steps = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    final = explanation.exact if masked else explanation.value
    for (_, left), (relation, right) in pairwise(steps):
        if relation == "→":
            assert not math.isfinite(final) or masked or "∞" in left or "NaN" in left
            continue
        assert "NaN" not in right or "NaN" in left
        assert "∞" not in TAMED.sub("", left) or masked or not math.isfinite(final)
        if re.search("∞|NaN", TAMED.sub("", left) + TAMED.sub("", right)) or "max(0, −∞)" in left:
            continue
        assert gives(left, right) == (relation == "="), (left, relation, right)
        from_left, from_right = worked_out(left), worked_out(right)
        slack = explanation.tolerance if math.isfinite(explanation.tolerance) else math.inf
        assert from_left.low <= from_right.high + slack, (left, relation, right)
        assert from_left.high >= from_right.low - slack, (left, relation, right)
    if not masked:
        assert steps[-1][1] == written(explanation.value, explanation.digits)


def cells_of(trace: AttentionTrace) -> Iterator[tuple[str, int, int, float]]:
    for name, matrix in trace.matrices.items():
        for (i, j), value in np.ndenumerate(in_rows(matrix).detach().double().numpy()):
            yield name, i, j, float(value)


def same(a: float, b: float, tolerance: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance


def check_cell(explanation: Explanation, value: float, title: str) -> None:
    """Check that the value is this, that its displayed arithmetic gives it, and that words and LaTeX are complete."""
    assert same(explanation.value, value, 0)
    check_arithmetic(explanation)
    if math.isfinite(value):
        assert abs(explanation.exact - value) <= explanation.tolerance
    assert not any("more than the rounding" in note for note in explanation.notes)
    check_words(explanation, title)


def check_terms(explanation: Explanation) -> None:
    """Check that the terms, with the remainder of a long sum, give the value, and consist of cells of the sources."""
    lit = {(stage, i, j) for stage, rows, columns in explanation.sources for i in rows for j in columns}
    factors = [factor for term in explanation.terms for factor in term.factors]
    assert {factor[:3] for factor in factors} <= lit or explanation.rule == "given"
    if all(term.n_terms == 1 for term in explanation.terms) and explanation.rule != "given":
        # A mask's number isn't a term if it is 0, or hides the cell; nor is a bias by distance that is 0.
        addends = {cell for cell in lit if cell[0].name in ("mask", "distance_bias")}
        silent = addends if len(factors) < len(lit) else set()
        assert {factor[:3] for factor in factors} == lit - silent
    values = [term.value for term in explanation.terms]
    if not all(map(math.isfinite, values)):
        return
    if explanation.rule == "product":
        assert math.fsum(values) == pytest.approx(explanation.exact, rel=1e-12, abs=1e-12 * max(map(abs, values)))
    elif explanation.rule == "softmax":
        assert math.fsum(values) == pytest.approx(explanation.divisor)
        own = next(t for t in explanation.terms if t.factors and t.factors[0].column == explanation.column)
        assert own.value / explanation.divisor == explanation.exact
    elif explanation.rule == "scale":
        divided, *added = explanation.terms
        assert divided.value == pytest.approx(divided.factors[0].value / explanation.divisor)
        assert explanation.masked or math.fsum(values) == pytest.approx(explanation.exact)
        assert [term.value for term in added] == [term.factors[0].value for term in added]


def check_words(explanation: Explanation, title: str) -> None:
    masked_score = explanation.masked and explanation.value == -math.inf
    assert "asked" in explanation.text or not explanation.masked
    if not math.isfinite(explanation.value) and not masked_score and explanation.matrix != "mask":
        assert explanation.notes
    assert explanation.text.startswith(title.partition(",")[0])
    assert explanation.symbols in explanation.text or explanation.rule != "given"
    assert explanation.latex.isascii()
    assert "[" not in re.sub(r"softmax\}\([^)]*\)\[", "", explanation.latex), "but of a softmax, which is no symbol's"
    assert explanation.latex.count("{") == explanation.latex.count("}")
    assert not re.search(r"\d[e]|inf\b(?<!\\inf)|nan", explanation.latex)
    assert str(explanation) == explanation.text
    assert explanation._repr_latex_() == f"${explanation.latex}$"
