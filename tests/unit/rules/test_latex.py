"""LaTeX of every symbol that a table has: nothing of it is left as it is written in plain text."""

import math
import re

import pytest

from attnviz import explain
from attnviz.explanation.latex import in_latex
from tests.unit.single_stage import CASES, drawn, trace_of


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("W_q[1, 0]", "{W_q}_{1,0}"), ("S′[2, :]", "{S'}_{2,:}"), ("Q₁[0, :]", "{Q_1}_{0,:}"),
        ("R₂[0, 1]", "{R_2}_{0,1}"), ("Y_o⁽⁰⁾[1, 2]", "{Y_o^{(0)}}_{1,2}"), ("R₁′⁽¹⁰⁾[0, 0]", "{R_1'^{(10)}}_{0,0}"),
        ("W_q₁₂[:, 0]", "{W_{q,12}}_{:,0}"), ("Q″₁[0, :]", "{Q_1''}_{0,:}"), ("γ₁[3]", r"{\gamma_1}_{3}"),
        ("X⁺[0, :]", "{X^{+}}_{0,:}"), ("φ(Q)₁[0, :]", r"{\varphi(Q_1)}_{0,:}"),
        ("φ(Q)[0, 1]", r"{\varphi(Q)}_{0,1}"), ("φ(Q′)[0, 1]", r"{\varphi(Q')}_{0,1}"),
    ],
)  # fmt: skip
def test_a_symbol_with_what_is_below_and_above_it(symbol: str, latex: str) -> None:
    assert in_latex(symbol, "", ()) == rf"\begin{{aligned}}{latex} \end{{aligned}}"


def value_of(expression: str) -> float | None:
    """Compute what plain arithmetic of numbers says; None where there's more in it."""
    if re.search(r"[^\d\s.()*/+e-]", re.sub(r"exp|sqrt", "", expression)):
        return None
    try:
        return float(eval(expression, {"exp": math.exp, "sqrt": math.sqrt, "__builtins__": {}}))
    except (OverflowError, ZeroDivisionError):
        return None


def of_text(step: str) -> str:
    signs = {"×": "*", "·": "*", "−": "-", "√": "sqrt "}
    plain = "".join(signs.get(letter, letter) for letter in step)
    return re.sub(r"sqrt (\d+)", r"sqrt(\1)", plain)


def of_latex(line: str) -> str:
    plain = line.replace(r"\cdot", "*").replace(r"\exp", "exp").replace(r"\frac", "")
    plain = re.sub(r"\\sqrt\{(\d+)\}", r"sqrt(\1)", plain)
    plain = re.sub(r" +\\times 10\^\{(-?\d+)\}", r"e\1", plain)
    return plain.replace("}{", ")/(").replace("{", "(").replace("}", ")")


def test_each_step_of_latex_comes_to_what_the_plain_one_does() -> None:
    n_steps = 0
    for rule, shapes in CASES:
        trace = trace_of(rule, drawn(shapes, 1))
        for column in range(min(2, trace.made.shape[-1])):
            explanation = explain(trace, "made", 0, column)
            lines = explanation.latex.removesuffix(r"\end{aligned}").split(r" \\ &")
            for step, line in zip(explanation.steps, lines[1:], strict=True):
                plain = value_of(of_text(step.lstrip("=≈ ")))
                if plain is not None and "/" in step:
                    n_steps += 1
                    assert value_of(of_latex(line.partition(" ")[2])) == pytest.approx(plain), (step, line)
    assert n_steps > 20
