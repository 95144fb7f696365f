"""Displayed arithmetic as LaTeX. It holds symbols and numbers only, never a text that someone typed."""

import re
from collections.abc import Sequence

from attnviz.words import say

_CELL = re.compile(r"(\w+)(′?)\[([^\]]+)\]")
_MASKED = say("explanation.step.masked")
# As the catalogue says it: how many terms remain, and what they come to.
_MORE = re.escape(say("explanation.step.more", count="\0", value="\1"))
_REMAINDER = re.compile(_MORE.replace("\0", r"(\d+)").replace("\1", r"([^)]+)"))
_POWER = re.compile(r"e([+−])(\d+)")
_SIGNS = {
    "Σ_j": r"\sum_j", "exp": r"\exp", "softmax": r"\operatorname{softmax}", "max": r"\max", "Φ": r"\Phi",
    "φ": r"\varphi", "ln": r"\ln",
    "cos": r"\cos", "sin": r"\sin", "×": r"\cdot",
    "·": r"\cdot", "−": "-", "→": r"\to", "≈": r"\approx", "∞": r"\infty", "NaN": r"\text{NaN}",
    _MASKED: rf"\text{{{_MASKED}}}",
}  # fmt: skip
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))


def in_latex(name: str, symbols: str, steps: Sequence[str]) -> str:
    r"""Write a cell, its rule in symbols and the steps of its arithmetic below each other.

    >>> print(in_latex("Q[1, 0]", "X[1, 0] · W_q[0, 0]", ["(−1.0) × 2.0", "= −2.0"]))
    \begin{aligned}{Q}_{1,0} &= {X}_{1,0} \cdot {W_q}_{0,0} \\ &= (-1.0) \cdot 2.0 \\ &= -2.0\end{aligned}
    """
    lines = [f"= {start}" for start in (symbols, *steps[:1]) if start] + list(steps[1:])
    return rf"\begin{{aligned}}{_converted(name)} " + r" \\ ".join(map(_line, lines)) + r"\end{aligned}"


def _line(step: str) -> str:
    relation, _, rest = step.partition(" ")
    numerator, denominator = _parted(rest)
    if not denominator:
        return f"&{_converted(relation)} {_converted(rest)}"
    if denominator.startswith("("):
        denominator = denominator[1:-1]
    return f"&{_converted(relation)} \\frac{{{_converted(numerator)}}}{{{_converted(denominator)}}}"


def _parted(text: str) -> tuple[str, str]:
    """Part a quotient at its line; one within parentheses is none."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and text.startswith(" / ", at):
            return text[:at], text[at + 3 :]
    return text, ""


def _converted(text: str) -> str:
    text = _REMAINDER.sub(r"\\underbrace{\2}_{\\text{\1 more}}", text)
    text = _CELL.sub(lambda cell: f"{{{cell[1]}{cell[2] and chr(39)}}}_{{{cell[3].replace(' ', '')}}}", text)
    text = _POWER.sub(lambda power: rf" \times 10^{{{'-' * (power[1] == '−')}{int(power[2])}}}", text)
    text = re.sub(r"√(\d+|d_k)", r"\\sqrt{\1}", text)
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], text)
