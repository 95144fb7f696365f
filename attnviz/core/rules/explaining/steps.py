"""The written arithmetic of a cell, step by step to the result.

Each step computes the innermost parts, until one number is left. `board/values/steps.js` does the same in JavaScript.
"""

import math
from decimal import Decimal
from typing import NamedTuple

from attnviz.core.rules.explaining.cell import Cell, Term, grouped
from attnviz.core.rules.explaining.numbers import (
    DECIMALS,
    FUNCTIONS,
    SAME,
    Numbers,
    as_decimal,
    in_sum,
    quotient,
    shortened,
    sign,
    sign_of_all,
)
from attnviz.core.rules.expression import Parts
from attnviz.words import say

_WRITTEN = {
    "exp": "exp({})",
    "ln": "ln({})",
    "tanh": "tanh({})",
    "normal": "Φ({})",
    "positive": "max(0, {})",
    "root": "√{}",
}
_UNWRITTEN = ("rounded", "level", "lasting")


class Part(NamedTuple):
    """Part of written arithmetic; `op` "" is a number, "more" a remainder."""

    op: str
    value: float
    parts: tuple["Part", ...] = ()
    text: str = ""
    of_terms: bool = False  # whether it's a sum over k, or has one as an operand

    @property
    def is_number(self) -> bool:
        """Whether there is nothing left to work out."""
        return self.op in ("", "more")


class Steps:
    """The arithmetic of one cell, as it's displayed."""

    def __init__(self, cell: Cell, numbers: Numbers) -> None:
        self.cell, self.numbers = cell, numbers

    def of(self, node: Parts, last: float) -> list[str]:
        """Return the steps from an expression to the displayed number `last`."""
        op = node[0]
        if op not in ("hidden", "weighed"):
            return self._written(self._tree(node, 0), last)
        inner, mask = self._tree(node[1], 0), self.numbers.value(node[2])
        if self.cell.masked:
            return [*self._written(inner, inner.value), f"→ −∞ {say('explanation.step.masked')}"]
        if mask == 0:
            return self._written(inner, last)
        if op == "hidden":
            return self._written(Part("+", last, (inner, self._number(mask))), last)
        factors = (self._number(inner.value), self._number(FUNCTIONS["exp"](mask)))
        return self._written(Part("*", last, factors), last)

    def _written(self, tree: Part, last: float) -> list[str]:
        if not tree.op:
            return [self.cell.write(last)]
        steps = [self._text(tree)]
        while tree.op:
            signs: list[tuple[Decimal, str]] = []
            after = self._reduced(tree, signs)
            text = self._text(after) if after.op else self.cell.write(last)
            between = sign_of_all(*zip(*signs, strict=True)) if after.op else sign(self._exact(tree), text)
            steps.append(f"{between} {text}")
            tree = after
        return steps

    def _number(self, value: float, text: str = "") -> Part:
        return Part("", value, (), text or self.cell.write(value))

    def _tree(self, node: Parts, k: int) -> Part:
        op, *rest = node
        if op in _UNWRITTEN:
            return self._tree(rest[0], k)
        if op == "number":
            return self._number(rest[0], *rest[1:])
        if op in ("at", "as_number", "index", "entry", "power"):
            return self._number(self.numbers.value(node, k))
        if op == "sum":
            return self._sum(node)
        parts = [self._tree(each, k) for each in rest]
        if op == "+":
            parts = [each for part in parts for each in (part.parts if part.op == "+" else (part,))]
        return Part(op, self.numbers.value(node, k), tuple(parts), of_terms=any(each[0] == "sum" for each in rest))

    def _sum(self, node: Parts) -> Part:
        terms = {id(term): (each, k) for term, each, k in self.numbers.terms(node)}
        parts = tuple(
            self._tree(*terms[id(term)])
            if term.factors
            else Part("more", term.value, (), self.cell.write_factors(term)[0])
            for term in self.terms(node)
        )
        return parts[0] if len(parts) == 1 else Part("+", self.numbers.value(node), parts, of_terms=True)

    def terms(self, node: Parts) -> tuple[Term, ...]:
        """Return a sum's terms, or a long sum's largest and the remainder."""
        keep = None if node[3] is None else self.numbers.index(node[3])
        return shortened([term for term, *_ in self.numbers.terms(node)], keep)

    def _text(self, part: Part) -> str:
        if part.is_number:
            return part.text
        texts = list(map(self._text, part.parts))
        if part.op in _WRITTEN:
            return _WRITTEN[part.op].format(*texts)
        match part.op:
            case "+":
                return in_sum(texts)
            case "-":
                return in_sum([texts[0], negated(texts[1])])
            case "*":
                return " × ".join(map(grouped, texts))
            case "/":
                above, below = (_innermost(each).op for each in part.parts)
                divisors = texts[1] if below not in ("+", "*") else f"({texts[1]})"
                return quotient(f"({texts[0]})" if above == "*" else texts[0], [divisors])
        return texts[0]  # "at_once" changes no text

    def _exact(self, part: Part) -> Decimal:
        if part.is_number:
            return as_decimal(self.cell.write(part.value) if part.op else part.text)
        parts = list(map(self._exact, part.parts))
        match part.op:
            case "+":
                return sum(parts, start=Decimal(0))
            case "-":
                return parts[0] - parts[1]
            case "*":
                return math.prod(parts, start=Decimal(1))
            case "/":
                return DECIMALS.divide(*parts) if parts[1] and parts[1].is_finite() else Decimal("NaN")
            case "root":
                return parts[0].sqrt()
        return parts[0] if part.op in SAME else Decimal(FUNCTIONS[part.op](float(parts[0])))

    def _reduced(self, part: Part, signs: list[tuple[Decimal, str]]) -> Part:
        """Return the expression with its innermost parts computed, and extend `signs`."""
        if part.is_number and part.op == "":
            return part
        if part.op == "at_once" or all(each.is_number for each in part.parts):
            after = self._number(part.value)
            signs.append((self._exact(part), after.text))
            return after
        if part.of_terms:
            signs += [(self._exact(each), each.text) for each in part.parts if not each.op]
        return part._replace(parts=tuple(self._reduced(each, signs) for each in part.parts))


def _innermost(part: Part) -> Part:
    return _innermost(part.parts[0]) if part.op == "at_once" else part


def negated(text: str) -> str:
    """Return a displayed number with the other sign.

    >>> negated("−1.5"), negated("1.5"), negated("NaN")
    ('1.5', '−1.5', 'NaN')
    """
    return text if text == "NaN" else text[1:] if text.startswith("−") else f"−{text}"
