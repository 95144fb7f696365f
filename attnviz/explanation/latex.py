"""Displayed arithmetic as LaTeX: symbols and numbers, never text users typed."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from attnviz.words import say

_CELL = re.compile(r"(φ\(\w+[′″]?\)[₀-₉]*|[\w′″⁺⁽⁾]+)\[([^\]]+)\]")
# The parts of a symbol: letters, a subscript of its name, the number of its head (before or after primes), and, raised,
# a plus sign and the number of the layer that made it.
_SYMBOL = re.compile(r"([^\W\d_₀-₉⁰-⁹]+)(?:_([a-z]+))?([₀-₉]*)([′″]*)([₀-₉]*)(⁺?)(?:⁽([⁰¹²³⁴-⁹]+)⁾)?")
_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")
_OPERATOR = re.compile(r" ([+−·×/]) ")
_POWER = re.compile(r"e([+−])(\d+)")
_SIGNS = {
    "Σ_j": r"\sum_j", "exp": r"\exp", "softmax": r"\operatorname{softmax}", "max": r"\max", "Φ": r"\Phi",
    "tanh": r"\tanh", "φ": r"\varphi", "γ": r"\gamma", "β": r"\beta", "ln": r"\ln",
    "cos": r"\cos", "sin": r"\sin", "×": r"\cdot",
    "·": r"\cdot", "−": "-", "→": r"\to", "≈": r"\approx", "∞": r"\infty", "NaN": r"\text{NaN}",
}  # fmt: skip


def in_latex(name: str, symbols: str, steps: Sequence[str]) -> str:
    r"""Return a cell, its rule and its arithmetic as lines of LaTeX.

    >>> print(in_latex("Q[1, 0]", "X[1, 0] · W_q[0, 0]", ["(−1.0) × 2.0", "= −2.0"]))
    \begin{aligned}{Q}_{1,0} &= {X}_{1,0} \cdot {W_q}_{0,0} \\ &= (-1.0) \cdot 2.0 \\ &= -2.0\end{aligned}
    """
    lines = [f"= {start}" for start in (symbols, *steps[:1]) if start] + list(steps[1:])
    return rf"\begin{{aligned}}{_converted(name)} " + r" \\ ".join(map(_line, lines)) + r"\end{aligned}"


def _line(step: str) -> str:
    relation, _, rest = step.partition(" ")
    return f"&{_converted(relation)} {_converted(_in_fractions(rest))}"


def _in_fractions(text: str) -> str:
    r"""Return a text with fractions for quotients, one term at a time.

    >>> _in_fractions("S[0, 1] / √2 + M[0, 1]")
    '\\frac{S[0, 1]}{√2} + M[0, 1]'
    """
    before, term = "", ""
    for operator, part in _parted(text):
        if operator == "/":
            term = rf"\frac{{{_bare(term)}}}{{{_bare(part)}}}"
        elif operator in ("+", "−"):
            before, term = f"{before}{term} {operator} ", part
        else:
            term = f"{term} {operator} {part}" if operator else part
    return before + term


def _parted(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text's parts with the operators before them, outside parentheses."""
    depth, start, operator = 0, 0, ""
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and (found := _OPERATOR.match(text, at)):
            yield operator, text[start:at]
            start, operator = found.end(), found[1]
    yield operator, text[start:]


def _bare(part: str) -> str:
    """Remove parentheses around the whole part."""
    depths = accumulate((letter == "(") - (letter == ")") for letter in part)
    return part[1:-1] if part.startswith("(") and [*depths].index(0) == len(part) - 1 else part


def _converted(text: str) -> str:
    # The catalogue's phrase for terms that are left out: how many there are, and their sum.
    more = re.escape(say("explanation.step.more", count="\0", value="\1"))
    remainder = more.replace("\0", r"(\d+)").replace("\1", r"([^)]+)")
    text = re.sub(remainder, r"\\underbrace{\2}_{\\text{\1 more}}", text)
    text = _CELL.sub(lambda cell: f"{{{symbol_in_latex(cell[1])}}}_{{{cell[2].replace(' ', '')}}}", text)
    text = _POWER.sub(lambda power: rf" \times 10^{{{'-' * (power[1] == '−')}{int(power[2])}}}", text)
    text = re.sub(r"√(\d+|d_k)", r"\\sqrt{\1}", text)
    masked = say("explanation.step.masked")
    signs = _SIGNS | {masked: rf"\text{{{masked}}}"}
    return re.sub("|".join(map(re.escape, signs)), lambda sign: signs[sign[0]], text)


def symbol_in_latex(symbol: str) -> str:
    """Return a matrix's symbol in LaTeX.

    >>> symbol_in_latex("A"), symbol_in_latex("W_q")
    ('A', 'W_q')
    """
    if symbol.startswith("φ("):
        inside, _, which = symbol[2:].partition(")")
        return f"φ({symbol_in_latex(inside + which)})"
    found = _SYMBOL.fullmatch(symbol)
    if found is None:
        return symbol
    letters, own, one, primes, other, plus, layer = (part.translate(_DIGITS) for part in found.groups(""))
    lowered = ",".join(filter(None, (own, one + other)))
    below = "" if not lowered else f"_{lowered}" if len(lowered) == 1 else f"_{{{lowered}}}"
    raised = ("+" if plus else "") + (layer and f"({layer})")
    return letters + below + "'" * (primes.count("′") + 2 * primes.count("″")) + (raised and f"^{{{raised}}}")
