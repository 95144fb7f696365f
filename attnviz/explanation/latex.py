"""Displayed arithmetic as LaTeX. It holds symbols and numbers only, never a text that someone typed."""

import re
from collections.abc import Sequence

_CELL = re.compile(r"(\w+)(′?)\[([^\]]+)\]")
_REMAINDER = re.compile(r"\(and (\d+) more: ([^)]+)\)")
_POWER = re.compile(r"e([+−])(\d+)")
_SIGNS = {
    "Σ_j": r"\sum_j", "exp": r"\exp", "max": r"\max", "×": r"\cdot", "·": r"\cdot", "−": "-", "→": r"\to",
    "≈": r"\approx", "∞": r"\infty", "NaN": r"\text{NaN}", "(masked)": r"\text{(masked)}",
}  # fmt: skip


def in_latex(name: str, symbols: str, steps: Sequence[str]) -> str:
    r"""Write a cell, its rule in symbols and the steps of its arithmetic below each other.

    >>> print(in_latex("Q[1, 0]", "X[1, 0] · W_q[0, 0]", ["(−1.0) × 2.0", "= −2.0"]))
    \begin{aligned}{Q}_{1,0} &= {X}_{1,0} \cdot {W_q}_{0,0} \\ &= (-1.0) \cdot 2.0 \\ &= -2.0\end{aligned}
    """
    lines = [f"= {start}" for start in (symbols, *steps[:1]) if start] + list(steps[1:])
    return rf"\begin{{aligned}}{_converted(name)} " + r" \\ ".join(map(_line, lines)) + r"\end{aligned}"


def _line(step: str) -> str:
    relation, _, rest = step.partition(" ")
    numerator, _, denominator = rest.partition(" / ")
    if not denominator:
        return f"&{_converted(relation)} {_converted(rest)}"
    if denominator.startswith("("):
        denominator = denominator[1:-1]
    return f"&{_converted(relation)} \\frac{{{_converted(numerator)}}}{{{_converted(denominator)}}}"


def _converted(text: str) -> str:
    text = _REMAINDER.sub(r"\\underbrace{\2}_{\\text{\1 more}}", text)
    text = _CELL.sub(lambda cell: f"{{{cell[1]}{cell[2] and chr(39)}}}_{{{cell[3].replace(' ', '')}}}", text)
    text = _POWER.sub(lambda power: rf" \times 10^{{{'-' * (power[1] == '−')}{int(power[2])}}}", text)
    text = re.sub(r"√(\d+|d_k)", r"\\sqrt{\1}", text)
    for sign, command in _SIGNS.items():
        text = text.replace(sign, command)
    return text
