"""Every cell's explanation: its displayed arithmetic is read back from its text and worked out again."""

import math
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz import AttentionTrace, Edit, Explanation, Scenario, UndefinedAttentionError, attend, explain
from attnviz.explanation import sources_of
from attnviz.numbers import written
from attnviz.stages import STAGES, Stage
from tests.unit.helpers import HOSTILE, edits_of, random_inputs, setups

# --- Displayed arithmetic, read back -------------------------------------------------------------------------

RELATION = re.compile(r" (=|≈|→) ")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]\d+)?")
REMAINDER = re.compile(r"\(and \d+ more: ([^)]+)\)")


class Between:
    """A displayed number, or what is worked out from several: taken as it stands, and all that it may stand for."""

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
        if other.low <= 0:  # so many zeros were written with few digits that nothing can be said
            return Between(self.nominal / other.nominal, -math.inf, math.inf)
        return self * Between(1 / other.nominal, 1 / other.high, 1 / other.low)


@cache
def half_a_unit(displayed: str) -> Fraction:
    exponent = Decimal(displayed.replace("−", "-")).as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(10) ** exponent / 2


def shown(displayed: str) -> Between:
    value, slack = float(displayed), float(half_a_unit(displayed))
    slack += abs(value) * 1e-12  # the limits are floats
    return Between(Fraction(displayed), value - slack, value + slack)


def exponential(power: Between) -> Between:
    nominal, low, high = (math.exp(min(p, 700.0)) for p in (float(power.nominal), power.low, power.high))
    return Between(Fraction(nominal), low, high)


@cache
def worked_out(expression: str) -> Between:
    """Work out an expression as it is displayed; it holds no text but ours."""
    if NUMBER.fullmatch(expression):
        return shown(expression)
    code = REMAINDER.sub(r"(\1)", expression).replace("exp(−∞)", "zero").replace("−", "-").replace("×", "*")
    code = re.sub(r"√(\d+)", r"root_\1", code)
    names: dict[str, Any] = {"shown": shown, "exp": exponential, "zero": Between(Fraction(0), 0.0, 0.0)}
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


def gives(left: str, right: str) -> bool:
    """Whether each number on the right is, to its last digit, what the numbers on the left give."""
    if left.count(" / ") == right.count(" / ") == 1:
        return all(gives(a, b) for a, b in zip(left.split(" / "), right.split(" / "), strict=True))
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
    """The arithmetic that the plain text displays."""
    opening = f"{explanation.words}: " if explanation.rule != "given" else f"{explanation.symbols} is "
    rest = explanation.text.split(opening, 1)[1]
    return re.split(r"\.(?= |$)", rest)[0]


def check_arithmetic(explanation: Explanation) -> None:
    """The displayed terms give the displayed value, to the last digit, or the text says "rounded"."""
    numbers = numbers_in(explanation)
    assert explanation.rule == "given" or numbers == explanation.numbers
    assert not re.search("inf|nan", numbers.replace("NaN", ""))
    assert numbers.endswith(" (rounded)") == ("≈" in numbers) == explanation.rounded
    numbers = numbers.removesuffix(" (rounded)")
    masked = numbers.endswith(" → −∞ (masked)")
    assert masked == (explanation.rule == "scale" and explanation.masked)
    first, *rest = RELATION.split(numbers.removesuffix(" → −∞ (masked)"))
    steps = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    final = explanation.exact if masked else explanation.value
    for (_, left), (relation, right) in pairwise(steps):
        if relation == "→":
            assert not math.isfinite(final) or masked or "∞" in left or "NaN" in left
            continue
        assert "NaN" not in right or "NaN" in left
        assert "∞" not in left.replace("exp(−∞)", "") or masked or not math.isfinite(final)
        if re.search("∞|NaN", left.replace("exp(−∞)", "") + right.replace("exp(−∞)", "")):
            continue
        assert gives(left, right) == (relation == "="), (left, relation, right)
        from_left, from_right = worked_out(left), worked_out(right)
        slack = explanation.tolerance if math.isfinite(explanation.tolerance) else math.inf
        assert from_left.low <= from_right.high + slack, (left, relation, right)
        assert from_left.high >= from_right.low - slack, (left, relation, right)
    if not masked:
        assert steps[-1][1] == written(explanation.value + 0.0, explanation.digits)


# --- What the trace says -------------------------------------------------------------------------------------


def cells_of(trace: AttentionTrace) -> Iterator[tuple[str, int, int, float]]:
    for name in STAGES:
        matrix = getattr(trace, name)
        if matrix is not None:
            rows = matrix.detach()[None] if matrix.dim() == 1 else matrix.detach()
            for i, row in enumerate(rows.tolist()):
                for j, value in enumerate(row):
                    yield name, i, j, value


def doubles(trace: AttentionTrace) -> dict[str, list[list[float]]]:
    tables = {}
    for name in STAGES:
        matrix = getattr(trace, name)
        if matrix is not None:
            tables[name] = (matrix[None] if matrix.dim() == 1 else matrix).detach().double().tolist()
    return tables


def from_sources(explanation: Explanation, tables: dict[str, list[list[float]]], trace: AttentionTrace) -> float:
    """Compute a cell again, from the cells of its sources and nothing else."""
    blocks = [[tables[name][i][j] for i in rows for j in columns] for name, rows, columns in explanation.sources]
    if explanation.rule == "given":
        assert not blocks
        return explanation.value
    if explanation.rule == "product":
        products = [a * b for a, b in zip(blocks[0], blocks[1], strict=True)]
        terms = products + [b for (b,) in blocks[2:]]
        size = sum(map(abs, terms))
        if math.isfinite(explanation.tolerance):
            assert explanation.tolerance <= 1.2e-7 * (len(terms) + 2) * size + 1e-35
        return math.fsum(terms) if math.isfinite(size) else sum(terms)
    if explanation.rule == "scale":
        masked = trace.causal and explanation.column > explanation.row
        return -math.inf if masked else blocks[0][0] / trace.divisor
    row = torch.tensor(blocks[0], dtype=torch.float64)
    return torch.softmax(row, -1)[explanation.column].item()


def same(a: float, b: float, tolerance: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance


def check_cell(explanation: Explanation, value: float, trace: AttentionTrace, tables: dict[str, Any]) -> None:
    assert same(explanation.value, value, 0)
    check_arithmetic(explanation)
    exact = from_sources(explanation, tables, trace)
    assert explanation.exact == exact or same(explanation.exact, exact, 1e-12 * abs(exact))
    if math.isfinite(value):
        assert abs(explanation.exact - value) <= explanation.tolerance
    assert not any("more than the rounding" in note for note in explanation.notes)
    check_terms(explanation)
    check_words(explanation)


def check_terms(explanation: Explanation) -> None:
    """The terms, with the remainder of a long sum, make the value, and are made of cells of the sources."""
    lit = {(name, i, j) for name, rows, columns in explanation.sources for i in rows for j in columns}
    factors = [factor for term in explanation.terms for factor in term.factors]
    assert {factor[:3] for factor in factors} <= lit or explanation.rule == "given"
    if all(term.n_terms == 1 for term in explanation.terms) and explanation.rule != "given":
        assert {factor[:3] for factor in factors} == lit
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
        assert values == [pytest.approx(explanation.terms[0].factors[0].value / explanation.divisor)]


def check_words(explanation: Explanation) -> None:
    masked_score = explanation.masked and explanation.value == -math.inf
    assert "asked" in explanation.text or not explanation.masked
    if not math.isfinite(explanation.value) and not masked_score:
        assert explanation.notes
    assert explanation.text.startswith(STAGES[explanation.matrix].title)
    assert explanation.symbols in explanation.text or explanation.rule != "given"
    assert explanation.latex.isascii()
    assert explanation.latex.count("{") == explanation.latex.count("}")
    assert not re.search(r"\d[e]|inf\b(?<!\\inf)|nan", explanation.latex)
    assert str(explanation) == explanation.text
    assert explanation._repr_latex_() == f"${explanation.latex}$"


def check_trace(trace: AttentionTrace, digits: int, scenario: Scenario | None = None) -> int:
    tables, n_cells = doubles(trace), 0
    for name, row, column, value in cells_of(trace):
        explanation = explain(trace, name, row, column, digits=digits, scenario=scenario)
        check_cell(explanation, value, trace, tables)
        n_cells += 1
    return n_cells


def traced(scenario: Scenario) -> AttentionTrace:
    try:
        return attnviz.trace(scenario)
    except UndefinedAttentionError as error:
        return error.trace


# --- Every cell of every matrix ------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.data(), setups(max_tokens=7, max_d=5), st.integers(1, 6))
def test_every_cell_of_random_scenarios(data: st.DataObject, scenario: Scenario, digits: int):
    edited = Scenario(**vars_of(scenario), edits=data.draw(edits_of(scenario)))
    check_trace(traced(edited), digits, edited)


def vars_of(scenario: Scenario) -> dict[str, Any]:
    return {name: getattr(scenario, name) for name in Scenario.__dataclass_fields__ if name != "edits"}


@settings(max_examples=40)
@given(st.data(), setups(max_tokens=4, max_d=3))
def test_every_cell_where_numbers_are_huge_or_tiny(data: st.DataObject, scenario: Scenario):
    extremes = st.sampled_from((1e30, -1e30, 3.4e38, -3.4e38, 1e20, 1e-20, -1e-38, 1e-45, 1e4, 9999.99995, 0.0, -0.0))
    names = ("x", "w_q", "w_k", "w_v", *(("b_q", "b_k", "b_v") if scenario.bias else ()))
    edits = {}
    for _ in range(data.draw(st.integers(1, 8))):
        name = data.draw(st.sampled_from(names))
        n_rows, n_columns = scenario.shape_of(name)
        row, column = data.draw(st.integers(0, n_rows - 1)), data.draw(st.integers(0, n_columns - 1))
        edits[name, row, column] = Edit(name, row, column, data.draw(extremes))
    edited = Scenario(**vars_of(scenario), edits=tuple(edits.values()))
    check_trace(traced(edited), 4, edited)


@pytest.mark.parametrize(
    ("n_tokens", "d_in", "d_k", "d_v"),
    [(1, 1, 1, 1), (1, 3, 2, 4), (2, 1, 1, 1), (3, 40, 40, 2), (20, 2, 1, 3), (9, 9, 8, 9)],
)
@pytest.mark.parametrize("settings", [{}, {"causal": True, "temperature": 0.3}, {"scale": False}])
def test_every_cell_of_any_size(n_tokens: int, d_in: int, d_k: int, d_v: int, settings: dict[str, Any]):
    inputs = random_inputs(n_tokens, d_in, d_k, d_v, bias=n_tokens % 2 == 0 or d_in > 9)
    if "causal" in settings:
        inputs["w_q"] = inputs["w_q"] * 30  # scores of hundreds
    n_cells = check_trace(attend(**inputs, **settings), 4)
    assert n_cells == sum(matrix.numel() for matrix in inputs.values()) + n_tokens * (2 * d_k + 2 * d_v + 3 * n_tokens)


def test_a_trace_in_other_precisions():
    inputs = random_inputs(3, 4, 2, 2, bias=True)
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        trace = attend(**{name: matrix.to(dtype) for name, matrix in inputs.items()})
        for name, row, column, value in cells_of(trace):
            explanation = explain(trace, name, row, column)
            assert explanation.value == value
            assert abs(explanation.exact - value) <= explanation.tolerance, name
            assert not explanation.notes


def test_a_module_that_is_trained_can_be_explained():
    trace = attnviz.SelfAttention(3, 2).trace(torch.ones(2, 3))
    assert explain(trace, "scores", 0, 1).value == trace.scores[0, 1].item()


# --- Sources -------------------------------------------------------------------------------------------------

AGAIN = {
    "q": lambda t: t["x"] @ t["w_q"] + t["b_q"],
    "k": lambda t: t["x"] @ t["w_k"] + t["b_k"],
    "v": lambda t: t["x"] @ t["w_v"] + t["b_v"],
    "scores": lambda t: t["q"] @ t["k"].T,
    "scaled_scores": lambda t: t["scores"] / math.sqrt(t["q"].shape[1]),
    "attention_weights": lambda t: torch.softmax(t["scaled_scores"], -1),
    "context": lambda t: t["attention_weights"] @ t["v"],
}


@pytest.mark.parametrize("name", AGAIN)
def test_a_cell_changes_with_its_sources_and_with_nothing_else(name: str):
    trace = attend(**random_inputs(4, 3, 2, 3, bias=True))
    tables = {stage: getattr(trace, stage).double() for stage in STAGES}
    for row in range(tables[name].shape[0]):
        for column in range(tables[name].shape[1]):
            sources = explain(trace, name, row, column).sources
            before = AGAIN[name](tables)[row, column]
            elsewhere = {stage: matrix + 1 + matrix.abs() for stage, matrix in tables.items()}
            for source, rows, columns in sources:
                kept = tables[source][None] if tables[source].dim() == 1 else tables[source]
                into = elsewhere[source][None] if elsewhere[source].dim() == 1 else elsewhere[source]
                into[rows.start : rows.stop, columns.start : columns.stop] = kept[
                    rows.start : rows.stop, columns.start : columns.stop
                ]
            torch.testing.assert_close(AGAIN[name](elsewhere)[row, column], before)
            for source, rows, columns in sources:
                for i, j in ((i, j) for i in rows for j in columns):
                    changed = {stage: matrix.clone() for stage, matrix in tables.items()}
                    cell = (j,) if changed[source].dim() == 1 else (i, j)
                    changed[source][cell] += 1
                    assert AGAIN[name](changed)[row, column] != before, (source, i, j)


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_inputs_outside_the_sources_leave_a_vector_as_it_is(name: str):
    inputs = random_inputs(4, 3, 2, 3, bias=True)
    trace = attend(**inputs)
    for row in range(4):
        for column in range(getattr(trace, name).shape[1]):
            changed = {key: matrix + 1 for key, matrix in inputs.items()}
            for source, rows, columns in explain(trace, name, row, column).sources:
                if changed[source].dim() == 1:
                    changed[source][columns.start] = inputs[source][columns.start]
                else:
                    block = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
                    changed[source][block] = inputs[source][block]
            torch.testing.assert_close(getattr(attend(**changed), name)[row, column], getattr(trace, name)[row, column])


def test_sources_need_no_trace():
    shapes = {
        "x": (6, 3),
        "w_q": (3, 2),
        "b_q": (1, 2),
        "q": (6, 2),
        "scaled_scores": (6, 6),
        "attention_weights": (6, 6),
    }
    assert sources_of("q", 4, 1, shapes) == (
        ("x", range(4, 5), range(3)), ("w_q", range(3), range(1, 2)), ("b_q", range(1), range(1, 2)),
    )  # fmt: skip
    del shapes["b_q"]
    assert [cells.matrix for cells in sources_of("q", 4, 1, shapes)] == ["x", "w_q"]
    assert sources_of("attention_weights", 2, 5, shapes) == (("scaled_scores", range(2, 3), range(6)),)
    assert sources_of("x", 0, 0, shapes) == ()
    hash(sources_of("q", 4, 1, shapes))


def test_a_new_stage_is_a_new_row_of_the_table(monkeypatch: pytest.MonkeyPatch):
    output = ("output", "O", "Output", "product", "C W_o", "the output", "token", "feature", "vectors")
    monkeypatch.setitem(STAGES, "output", Stage(*output, sources=("context", "w_o")))
    monkeypatch.setitem(
        STAGES, "w_o", Stage("w_o", "W_o", "W_o", "given", "W_o", "", "feature", "feature", "projections")
    )
    trace = attend(**random_inputs(3, 3, 2, 4))
    w_o = torch.arange(8.0).reshape(4, 2)
    more: Any = SimpleNamespace(**trace._asdict(), w_o=w_o, output=trace.context @ w_o)
    explanation = explain(more, "output", 2, 1)
    assert explanation.symbols == "O[2, 1] = C[2, :] · W_o[:, 1]"
    check_arithmetic(explanation)
    assert abs(explanation.exact - more.output[2, 1].item()) <= explanation.tolerance


# --- Words ---------------------------------------------------------------------------------------------------

PUBLISHED = Scenario(embedding="published")


def test_the_divisor_is_the_root_of_the_number_of_products():
    trace = attnviz.trace(Scenario(d_in=8, d_out=2))
    explanation = explain(trace, "scaled_scores", 1, 2)
    assert "√2 = 1.4142 (d_k = 2: a score is a sum of 2 products)" in explanation.text
    assert len(explain(trace, "scores", 1, 2).terms) == 2
    assert explanation.divisor == math.sqrt(2)
    assert "temperature" not in explanation.text
    warm = explain(attnviz.trace(Scenario(temperature=2.5)), "scaled_scores", 1, 2)
    assert "and by the temperature 2.5" in warm.text
    assert warm.symbols == "S′[1, 2] = S[1, 2] / (√d_k · 2.5)"
    assert warm.divisor == pytest.approx(math.sqrt(2) * 2.5)
    bare = explain(attnviz.trace(Scenario(scale=False)), "scaled_scores", 1, 2)
    assert "unscaled" in bare.text
    assert "√" not in bare.text
    assert bare.divisor == 1


def test_a_masked_cell_says_so():
    trace = attnviz.trace(Scenario(causal=True))
    score = explain(trace, "scaled_scores", 1, 2)
    assert score.masked
    assert score.value == score.exact == -math.inf
    assert "key 2 'starts' comes after query 1 'journey'" in score.text
    assert score.numbers.endswith("→ −∞ (masked)") or score.numbers.endswith("→ −∞ (masked) (rounded)")
    weight = explain(trace, "attention_weights", 1, 2)
    assert weight.masked
    assert weight.value == 0
    assert "exp(−∞) = 0" in weight.text
    assert not explain(trace, "scaled_scores", 1, 1).masked
    assert not explain(trace, "scores", 1, 2).masked
    assert not explain(attnviz.trace(Scenario()), "scaled_scores", 1, 2).masked


def test_a_long_sum_shows_its_largest_terms_and_the_remainder():
    trace = attend(**random_inputs(12, 64, 64, 2))
    for name, n_terms in (("scores", 64), ("q", 64), ("attention_weights", 12), ("context", 12)):
        explanation = explain(trace, name, 3, 1)
        shown, rest = explanation.terms[:-1], explanation.terms[-1]
        assert rest.n_terms == n_terms - len(shown)
        assert f"(and {rest.n_terms} more: " in explanation.text
        assert len(shown) in (7, 8)
    explanation = explain(trace, "scores", 3, 1)
    products = (trace.q[3].double() * trace.k[1].double()).tolist()
    largest = sorted(products, key=abs)[-7:]
    assert sorted(term.value for term in explanation.terms[:-1]) == sorted(largest)


def test_the_softmax_always_shows_the_cells_own_term():
    trace = attend(**random_inputs(30, 4, 4, 2))
    for column in range(30):
        terms = explain(trace, "attention_weights", 0, column).terms
        assert column in [term.factors[0].column for term in terms if term.factors]


def test_large_scores_are_shifted_and_small_ones_are_not():
    eye = torch.eye(2)
    small = explain(attend(eye, eye * 3, eye, eye), "attention_weights", 0, 0)
    assert small.shift == 0
    assert "m =" not in small.text
    large = explain(attend(eye, eye * 1e5, eye, eye), "attention_weights", 0, 0)
    assert large.shift == pytest.approx(1e5 / math.sqrt(2))
    assert "exp(S′[0, 0] − m)" in large.symbols
    assert "changes no quotient" in large.text
    assert all(term.value <= 1 for term in large.terms)


def undefined(*inputs: torch.Tensor) -> AttentionTrace:
    with pytest.raises(UndefinedAttentionError) as error:
        attend(*inputs)
    return error.value.trace


def test_overflow_explains_itself():
    eye = torch.eye(2)
    trace = undefined(eye * 1e30, torch.tensor([[1e30, 0.0], [0.0, 1.0]]), eye * 1e-35, eye)
    assert "1.00e+30 × 1.00e+30 = 1.00e+60 is beyond the largest float32, 3.40e+38" in explain(trace, "q", 0, 0).text
    assert "Q[0, 0] is ∞ already" in explain(trace, "scores", 0, 0).text
    assert "Q[0, 0] is ∞ already, and 0 × ∞ is no number." in explain(trace, "scores", 0, 1).text
    assert "S[0, 0] is ∞ already" in explain(trace, "scaled_scores", 0, 0).text
    assert "the whole row is undefined" in explain(trace, "attention_weights", 0, 1).text
    assert "A[0, 0] is NaN already" in explain(trace, "context", 0, 1).text


def test_a_sum_that_overflows_on_its_way_explains_itself():
    x = torch.tensor([[3e38, 3e38]])
    trace = traced(Scenario(text="a", d_in=2, d_out=1, x=x, w_q=[[1], [1]], w_k=[[0], [0]], w_v=[[0], [0]]))
    assert "No term is beyond the largest float32" in explain(trace, "q", 0, 0).text


def test_a_number_too_small_for_float32_explains_itself():
    trace = attend(torch.tensor([[1e-30]]), *[torch.tensor([[1e-30]])] * 3)
    assert "1.00e−60 is too small for float32, which holds 0 instead" in explain(trace, "q", 0, 0).text


def test_numbers_that_do_not_belong_together_are_called_out():
    trace = attnviz.trace(PUBLISHED)
    assert not explain(trace, "q", 0, 0).notes
    wrong = trace._replace(q=trace.q + 0.01)
    assert "more than the rounding of float32 explains" in explain(wrong, "q", 0, 0).text


def test_texts_of_tokens_stand_in_the_text_and_never_in_latex():
    for token in HOSTILE:
        trace = traced(Scenario(text=token, tokenizer="whitespace", causal=True))
        tokens = trace.tokens
        for name, row, column, value in cells_of(trace):
            explanation = explain(trace, name, row, column)
            assert same(explanation.value, value, 0)
            assert "<" not in explanation.latex
            explanation.text.encode()  # a lone surrogate is written out
        assert explain(trace, "q", 0, 0).latex == explain(trace._replace(tokens=()), "q", 0, 0).latex
        assert "<b>" not in tokens[0] or f"query 0 '{tokens[0]}'" in explain(trace, "q", 0, 0).text


@pytest.mark.parametrize(
    ("changed", "cell", "said"),
    [
        ({"embedding": "published"}, ("x", 1, 2), "from the published vector of 'journey'"),
        ({}, ("x", 1, 2), "from the vector of 'journey', drawn from its text, d_in = 3 and seed 123"),
        ({"embedding": "table"}, ("x", 1, 2), "row of 'journey' in nn.Embedding, drawn from seed 123"),
        ({"x": "identity"}, ("x", 1, 1), "of the identity matrix"),
        ({"w_v": "zeros"}, ("w_v", 0, 0), "of a matrix of zeros"),
        ({"w_k": "random:7"}, ("w_k", 0, 0), "drawn for this matrix alone, from seed 7"),
        ({"w_q": [[1, 2]] * 3}, ("w_q", 0, 0), "given as a number, in place of a drawn one"),
        ({"init": "normal"}, ("w_q", 0, 0), "drawn by torch.randn from seed 123"),
        ({"init": "linear", "bias": True}, ("b_v", 0, 0), "drawn by nn.Linear from seed 123"),
        ({"init": "linear", "bias": True, "w_v": [[1] * 4] * 3}, ("b_v", 0, 3), "a bias that starts at 0"),
        ({"bias": True}, ("b_q", 0, 1), "a bias that starts at 0"),
        ({"edits": (("w_q", 0, 1, 0.9),)}, ("w_q", 0, 1), "edited, in place of 0.5166, drawn by torch.rand"),
    ],
)
def test_a_given_number_says_where_it_is_from(changed: dict[str, Any], cell: tuple[str, int, int], said: str):
    scenario = Scenario(**changed)
    explanation = explain(attnviz.trace(scenario), *cell, scenario=scenario)
    assert said in explanation.text
    assert explanation.sources == ()
    assert explanation.rule == "given"
    assert "an input" in explain(attnviz.trace(scenario), *cell).text


def test_an_explanation_is_frozen_and_says_its_digits():
    explanation = explain(attnviz.trace(PUBLISHED), "scores", 1, 5, digits=2)
    assert explanation.numbers == "0.43 × 0.33 + 1.46 × 0.96 = 0.14 + 1.40 = 1.54"
    assert explanation.symbols == "S[1, 5] = Q[1, :] · K[5, :]"
    assert "query 1 'journey', key 5 'step'" in explanation.text
    assert explanation.digits == 2
    hash(explanation)
    with pytest.raises(FrozenInstanceError):
        explanation.value = 1.0  # type: ignore[misc]


# --- Errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("weights", 0, 0), "'weights' is no matrix of this trace, expected one of x, w_q"),
        (("causal", 0, 0), "'causal' is no matrix"),
        ((3, 0, 0), "3 is no matrix"),
        (("b_q", 0, 0), "'b_q' is no matrix of this trace"),
        (("scores", 6, 0), "row of scores is 6, expected a whole number from 0 to 5"),
        (("scores", 0, -1), "column of scores is -1, expected a whole number from 0 to 5"),
        (("q", 0, 2), "column of q is 2, expected a whole number from 0 to 1"),
        (("q", 0.5, 0), "row of q is 0.5"),
        (("q", None, 0), "row of q is None"),
    ],
)
def test_what_is_not_there_is_named(arguments: Any, said: str):
    with pytest.raises(ValueError, match=re.escape(said)):
        explain(attnviz.trace(PUBLISHED), *arguments)


@pytest.mark.parametrize("digits", [0, 7, 2.5, True])
def test_digits_have_limits(digits: Any):
    with pytest.raises(ValueError, match=r"digits is .*, expected a whole number from 1 to 6"):
        explain(attnviz.trace(PUBLISHED), "q", 0, 0, digits=digits)


def test_a_batch_is_refused():
    trace = attnviz.SelfAttention(3, 2).trace(torch.ones(4, 2, 3))
    with pytest.raises(ValueError, match=r"x has shape \(4, 2, 3\), expected one matrix and no batch"):
        explain(trace, "q", 0, 0)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (Scenario(seed=5), "w_q"),
        (Scenario(d_in=4), "w_q"),
        (Scenario(text="a cat"), "x"),
        (Scenario(), "x"),
        (Scenario(embedding="published"), "b_q"),
    ],
)
def test_another_scenario_is_refused(other: Scenario, name: str):
    trace = attnviz.trace(Scenario(embedding="published", bias=True))
    with pytest.raises(ValueError, match=f"{name}.* in the trace.* in the scenario"):
        explain(trace, name, 0, 0, scenario=other)
