"""What a question says one sees follows from the numbers, whatever is pressed, moved, chosen, dragged or typed there.

Every sentence is found again in the catalogue, and what stands in its places is judged by numbers computed another way:
in numpy and float64, or read off the float32 numbers as they are shown.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from string import Formatter
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import AttentionTrace, Edit, Scenario
from attnviz.app.components.board import fits_board
from attnviz.core.changes import changes_of, with_changes
from attnviz.core.scenario import traced
from attnviz.core.stages import STAGES
from attnviz.core.tokens import token_labels
from attnviz.explanation import explain
from attnviz.scaling.experiment import sweep_scaling
from attnviz.teach.questions import QUESTIONS, Exponent, Option, Question
from attnviz.teach.questions.dividing import DIMS, FLAT
from attnviz.teach.questions.order import RATE
from attnviz.teach.questions.seeing import COMPUTED
from attnviz.teach.variations import position_vectors
from attnviz.words import catalogue, plural, say
from attnviz.words.numbers import written
from tests.unit.helpers import in_float64

IDS = [question.name for question in QUESTIONS]


# ---- what a reader may do ----


@dataclass(frozen=True)
class World:
    """A question as a reader left it."""

    question: Question
    scenario: Scenario
    options: dict[str, str]
    digits: int
    query: int

    @property
    def sentences(self) -> tuple[str, ...]:
        return self.question.look(self.scenario, self.options, self.digits, self.query).sentences

    @cached_property
    def now(self) -> AttentionTrace:
        return traced(self.scenario)

    @cached_property
    def start(self) -> AttentionTrace:
        return traced(self.question.start)

    @cached_property
    def ref(self) -> dict[str, np.ndarray]:
        return in_float64(self.now)

    @cached_property
    def ref_start(self) -> dict[str, np.ndarray]:
        return in_float64(self.start)

    @property
    def names(self) -> tuple[str, ...]:
        return token_labels(self.now.tokens, 40)

    def write(self, value: Any) -> str:
        return written(float(value), self.digits)

    def shown(self, matrix: Any) -> list[str]:
        return [self.write(value) for value in np.asarray(matrix).flatten()]

    def pair(self, title: str) -> tuple[np.ndarray, np.ndarray]:
        """A matrix in float32, now and at the start."""
        (name,) = [name for name, stage in STAGES.items() if stage.title == title]
        return array(getattr(self.now, name)), array(getattr(self.start, name))

    def exact_gap(self, title: str) -> float:
        (name,) = [name for name, stage in STAGES.items() if stage.title == title]
        now = self.ref.get(name, array(getattr(self.now, name)))
        return gap(now, self.ref_start.get(name, array(getattr(self.start, name))))


def array(tensor: torch.Tensor) -> np.ndarray:
    return np.asarray(tensor.double().numpy())


def gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


TYPED = st.sampled_from((0.0, 1.0, -1.0, 0.5, 1e-7, 1e-3, 40.0, -300.0, 1e6, -1e12, 1e20, 3e38)) | st.floats(
    -5, 5, allow_nan=False
).map(lambda value: round(value, 2))


@st.composite
def left_by_a_reader(draw: st.DrawFn, question: Question) -> World:
    scenario = question.start
    options = {option.name: draw(_choice(option)) for option in question.options}
    for _ in range(draw(st.integers(0, 4))):
        changed = draw(_something_done(question, scenario, options))
        scenario = changed or scenario
    digits, query = draw(st.integers(1, 6)), draw(st.integers(0, len(scenario.tokens) - 1))
    return World(question, scenario, options, digits, query)


def _choice(option: Option | Exponent) -> st.SearchStrategy[str]:
    if isinstance(option, Exponent):
        return st.integers(0, 20).map(lambda step: f"{step * 0.05:.4g}")
    return st.sampled_from(option.choices)


@st.composite
def _something_done(
    draw: st.DrawFn, question: Question, scenario: Scenario, options: dict[str, str]
) -> Scenario | None:
    """A button, a slider, a word dragged, or a number typed; None where the page refuses it."""
    editable = [name for name in question.shown(options) if name in scenario.editable]
    kinds = [*("press",) * bool(question.presets), *("move",) * bool(question.controls)]
    kinds += [*("drag",) * bool(question.reorder), *("type",) * bool(editable)]
    try:
        match draw(st.sampled_from(kinds)) if kinds else None:
            case "press":
                return question.pressed(draw(st.sampled_from(question.presets)), scenario)
            case "move":
                control = draw(st.sampled_from(question.controls))
                steps = draw(st.integers(0, round((control.high - control.low) / control.step)))
                return control.change(scenario, control.low + steps * control.step)
            case "drag":
                assert question.reorder
                return question.reorder(scenario, tuple(draw(st.permutations(scenario.tokens))))
            case "type":
                name = draw(st.sampled_from(editable))
                rows, columns = scenario.shape_of(name)
                cell = name, draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
                edits = (*(edit for edit in scenario.edits if edit[:3] != cell), Edit(*cell, draw(TYPED)))
                changes = changes_of(scenario)
                return with_changes(scenario, type(changes)(edits, changes.replaced))
    except ValueError:
        pass
    return None


# ---- which sentence of the catalogue is said ----


@cache
def _patterns() -> list[tuple[str, re.Pattern[str], int]]:
    patterns = []
    for key, template in catalogue().items():
        if key.startswith("seen."):
            for form in [template] if isinstance(template, str) else template.values():
                patterns.append((key, *_pattern(form)))
    return patterns


def _pattern(form: str) -> tuple[re.Pattern[str], int]:
    pattern, literal, seen = "", 0, set()
    for text, name, _, _ in Formatter().parse(form):
        pattern += re.escape(text)
        literal += len(text)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    return re.compile(pattern), literal


def said(sentence: str) -> tuple[str, dict[str, str]]:
    """Return the key of a sentence, and what stands in its places."""
    matches = [
        (literal, key, match.groupdict())
        for key, pattern, literal in _patterns()
        if key not in PARTS and (match := pattern.fullmatch(sentence))
    ]
    assert matches, f"not of the catalogue: {sentence}"
    _, key, places = max(matches, key=lambda each: each[0])
    return key, places


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf").replace("%", ""))


def numbers(text: str) -> list[float]:
    return [number(each) for each in text.strip("()").split(", ")]


def named(text: str) -> dict[str, float]:
    """Read "0.5 for “the”, −1.0 for “cat”"."""
    return {token: number(value) for token, value in written_for(text).items()}


def written_for(text: str) -> dict[str, str]:
    parts = [re.fullmatch("(.+?) for “(.+)”", part) for part in text.split(", ")]
    return {part[2]: part[1] for part in parts if part}


def about(text: str, value: float, size: float = 1.0) -> bool:
    """Whether a number as it stands there is this one, to its last digit and to what float32 holds of it."""
    digits, _, power = text.partition("e")
    unit = 10.0 ** (-len(digits.partition(".")[2]) + int(power.replace("−", "-") or 0))
    return abs(number(text) - value) <= 0.51 * unit + 1e-5 * max(abs(value), size)


# ---- what must be true where it is said ----

Referee = Callable[..., None]
REFEREES: dict[str, Referee] = {}
# Words and titles that stand in sentences or over pictures.
PARTS = {
    "seen.and", "seen.for", "seen.biases.table", "seen.sizes.table", "seen.root.raw", "seen.root.divided",
    "seen.root.largest", "seen.root.spread", "seen.which_d.same", "seen.which_d.flatter", "seen.which_d.sharper",
    "seen.which_d.table", "seen.axis.table", "seen.symmetry.scores", "seen.symmetry.attention_weights",
    "seen.order.table.now", "seen.order.table.start",
}  # fmt: skip


def referee(key: str) -> Callable[[Referee], Referee]:
    def add(judge: Referee) -> Referee:
        REFEREES[f"seen.{key}"] = judge
        return judge

    return add


@referee("start")
def _(w: World) -> None:
    assert w.scenario == w.question.start


@referee("too_large")
def _(w: World) -> None:
    held = [getattr(w.now, name) for name in COMPUTED]
    if w.question.name == "learned":
        held.append(loss_of(w.now.context, w.now.x))
    assert not all(torch.isfinite(each).all() for each in held)


@referee("same")
def _(w: World, matrix: str) -> None:
    now, start = w.pair(matrix)
    assert w.shown(now) == w.shown(start)


@referee("rounded")
def _(w: World, matrix: str, gap: str) -> None:
    now, start = w.pair(matrix)
    assert gap == w.write(np.abs(now - start).max())
    assert w.shown(now) != w.shown(start)
    assert w.exact_gap(matrix) <= 0.2 * np.abs(now - start).max()


@referee("changed")
def _(w: World, matrix: str, gap: str) -> None:
    now, start = w.pair(matrix)
    assert gap == w.write(np.abs(now - start).max())
    assert number(gap) > 0
    assert w.exact_gap(matrix) > 0


@referee("shape")
def _(w: World, matrix: str, now: str, start: str) -> None:
    shapes = [" × ".join(map(str, each.shape)) for each in w.pair(matrix)]
    assert shapes == [now, start]
    assert now != start


@referee("values.even")
def _(w: World, tokens: str, share: str) -> None:
    assert tokens == f"{len(w.names)} tokens"
    assert set(w.shown(array(w.now.attention_weights))) == {share}
    np.testing.assert_allclose(w.ref["attention_weights"], 1 / len(w.names), atol=10.0**-w.digits)


@referee("values.mean")
def _(w: World, mean: str) -> None:
    shown = ", ".join(w.shown(array(w.now.v.mean(0))))
    assert mean == f"({shown})"
    assert all(", ".join(w.shown(row)) == shown for row in array(w.now.context))


def flatness(points: np.ndarray) -> float:
    """The least singular value of the way from the first point to the others, relative to the largest."""
    singular = np.linalg.svd(points[1:] - points[0], compute_uv=False)
    return float(singular[-1] / singular[0]) if len(singular) == len(points) - 1 and singular[0] else 0.0


@referee("sum.identity")
def _(w: World) -> None:
    assert torch.equal(w.now.context, w.now.attention_weights)


@referee("sum.told")
def _(w: World, error: str) -> None:
    v, context = array(w.now.v), array(w.now.context)
    assert flatness(v) > 1e-10
    with_ones = np.vstack([v.T, np.ones(len(v))])
    solved = np.linalg.lstsq(with_ones, np.vstack([context.T, np.ones(len(v))]), rcond=None)[0].T
    assert number(error) < 1e-3
    assert gap(solved, array(w.now.attention_weights)) <= 2 * number(error) + 1e-5


@referee("sum.nearly")
def _(w: World, error: str) -> None:
    assert number(error) > 9e-4
    assert flatness(array(w.now.v)) < 0.01 or np.abs(array(w.now.v)).max() > 100


@referee("sum.hidden")
def _(w: World) -> None:
    assert flatness(array(w.now.v)) < 1e-8


@referee("sum.alike")
def _(w: World, one: str, other: str, context: str, gap: str) -> None:
    i, j = w.names.index(one), w.names.index(other)
    for row in (i, j):
        assert context == f"({', '.join(w.shown(array(w.now.context[row])))})"
    weights = array(w.now.attention_weights)
    assert w.shown(weights[i]) != w.shown(weights[j])
    assert gap == w.write(np.abs(weights[i] - weights[j]).max())


@referee("biases.rows")
def _(w: World, moved: str) -> None:
    shift, size = w.ref["scores"] - w.ref_start["scores"], np.abs(w.ref["scores"]).max()
    np.testing.assert_allclose(shift, np.broadcast_to(shift[:, :1], shift.shape), atol=1e-10 * max(1, size), rtol=1e-9)
    assert tuple(named(moved)) == w.names
    for told, expected in zip(written_for(moved).values(), shift[:, 0], strict=True):
        assert about(told, expected)


@referee("biases.value")
def _(w: World, moved: str) -> None:
    assert w.now.b_v is not None
    b_v, shift = array(w.now.b_v), w.ref["context"] - w.ref_start["context"]
    np.testing.assert_allclose(shift, np.broadcast_to(b_v, shift.shape), atol=1e-9 * max(1, np.abs(b_v).max()))
    assert b_v.any()
    assert all(about(text, value) for text, value in zip(moved.strip("()").split(", "), b_v, strict=True))


def sizes_of(w: World) -> dict[str, int]:
    (n, d_in), d_k, d_v = w.now.x.shape, w.now.w_q.shape[1], w.now.w_v.shape[1]
    return {"n": n, "d_in": d_in, "d_k": d_k, "d_v": d_v}


@referee("sizes.shapes")
def _(w: World, shapes: str) -> None:
    for part in shapes.split("; "):
        symbol, symbolic, actual = re.fullmatch(r"(\S+): (.+) = (.+)", part).groups()  # type: ignore[union-attr]
        (name,) = [name for name, stage in STAGES.items() if stage.symbol == symbol]
        shape = tuple(getattr(w.now, name).shape)
        assert actual == " × ".join(map(str, shape))
        assert tuple(sizes_of(w)[each] for each in symbolic.split(" × ")) == shape
        assert name == "attention_weights" or name in w.question.shown(w.options)


@referee("sizes.equal")
def _(w: World, one: str, other: str, size: str) -> None:
    assert one != other
    assert sizes_of(w)[one] == sizes_of(w)[other] == int(size)


@referee("sizes.wider")
def _(w: World, w_k: str, k: str, query: str, key: str) -> None:
    sizes = sizes_of(w)
    assert (query, key) == (plural(sizes["d_k"], "number"), plural(sizes["d_k"] + 1, "number"))
    assert (w_k, k) == (f"{sizes['d_in']} × {sizes['d_k'] + 1}", f"{sizes['n']} × {sizes['d_k'] + 1}")
    shown = w.question.look(w.scenario, w.options, w.digits).tables
    assert [" × ".join(map(str, table.matrix.shape)) for table in shown] == [w_k, k]


@referee("sizes.refused")
def _(w: World, q: str, kt: str) -> None:
    left, right = (torch.ones(*map(int, each.split(" × "))) for each in (q, kt))
    assert left.shape == w.now.q.shape
    with pytest.raises(RuntimeError):
        left @ right
    assert not {"k", "scores", "scaled_scores", "attention_weights", "context"} & set(w.question.shown(w.options))


def largest_weights(p: str) -> list[float]:
    swept = sweep_scaling(DIMS, trials=300, seed=0, n_keys=6, scales=(float(p),))
    return [float(each) for each in swept["largest_attention_weight"]]


@referee("root.flat")
def _(w: World, p: str, least: str, most: str) -> None:
    assert p == w.options["p"]
    weights = largest_weights(p)
    assert (least, most) == (f"{min(weights):.2f}", f"{max(weights):.2f}")
    assert max(weights) - min(weights) <= FLAT + 1e-9


def _leans(w: World, sign: int, p: str, first: str, last: str, narrow: str, wide: str) -> None:
    assert p == w.options["p"]
    weights = largest_weights(p)
    assert (first, last) == (f"{weights[0]:.2f}", f"{weights[-1]:.2f}")
    assert (int(narrow), int(wide)) == (DIMS[0], DIMS[-1])
    steps = np.diff(weights) * sign
    assert (steps > -0.03).all()  # all the way, but for the draws
    assert sign * (number(last) - number(first)) > 0


@referee("root.too_little")
def _(w: World, **places: str) -> None:
    _leans(w, 1, **places)


@referee("root.too_much")
def _(w: World, **places: str) -> None:
    _leans(w, -1, **places)


@referee("root.measured")
def _(w: World, keys: str, trials: str, even: str) -> None:
    assert (keys, trials, even) == ("6", "300", "0.17")


@referee("which_d.sum")
def _(w: World, n: str, numbers: str, d_in: str) -> None:
    assert (int(d_in), int(n)) == tuple(w.now.w_q.shape)
    assert numbers == plural(int(d_in), "number")


@referee("which_d.size")
def _(w: World, trials: str, size: str, d_k: str, root: str) -> None:
    assert int(d_k) == w.now.q.shape[1]
    assert root == f"{np.sqrt(int(d_k)):.2f}"
    assert number(size) == pytest.approx(np.sqrt(int(d_k)), rel=0.1)  # whatever d_in is: so only d_k acts


def softmax(scores: np.ndarray, axis: int | None = -1) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


@referee("which_d.largest")
def _(w: World, divisor: str, share: str, even: str) -> None:
    d_k = w.now.q.shape[1]
    assert divisor == f"√d_k = √{d_k}"
    assert about(share, softmax(w.ref["scores"] / np.sqrt(d_k)).max(-1).mean())
    assert about(even, 1 / len(w.names))


@referee("which_d.largest_by_d_in")
def _(w: World, divisor: str, share: str, verdict: str) -> None:
    d_in, d_k = w.now.w_q.shape
    assert divisor == f"√d_in = √{d_in}"
    assert about(share, softmax(w.ref["scores"] / np.sqrt(d_in)).max(-1).mean())
    if verdict == "the same":
        assert d_in == d_k or share == w.write(softmax(w.ref["scores"] / np.sqrt(d_k)).max(-1).mean())
    else:
        assert verdict == ("flatter" if d_in > d_k else "sharper")


@referee("where.block")
def _(w: World, place: str) -> None:
    assert place == w.options["place"]


def divided(w: World, title: str) -> tuple[np.ndarray, np.ndarray]:
    """A matrix in float32, with the scores divided and as chosen, made by torch."""
    root = torch.tensor(float(np.sqrt(w.now.q.shape[1])))
    place = w.question.options[0].choices.index(w.options["place"])  # type: ignore[union-attr]
    on_q, on_k, on_scores = [(root, 1, 1), (root.sqrt(), root.sqrt(), 1), (1, 1, root)][place]
    made = []
    for q_by, k_by, by in ((1, 1, root), (on_q, on_k, on_scores)):
        q, k = w.now.q / q_by, w.now.k / k_by
        scaled = q @ k.T / by
        all_made = (q, k, scaled, torch.softmax(scaled, -1))
        titles = [STAGES[name].title for name in ("q", "k", "scaled_scores", "attention_weights")]
        made.append(array(dict(zip(titles, all_made, strict=True))[title]))
    return made[0], made[1]


@referee("where.same")
def _(w: World, matrix: str) -> None:
    shown = {table.title: table.matrix for table in w.question.look(w.scenario, w.options, w.digits).tables}
    usual, other = divided(w, matrix)
    np.testing.assert_allclose(usual, other, rtol=1e-5, atol=1e-6)
    if matrix in shown:
        assert w.shown(array(shown[matrix])) == w.shown(array(getattr(w.now, _name_of(matrix))))


def _name_of(title: str) -> str:
    return next(name for name, stage in STAGES.items() if stage.title == title)


@referee("where.rounded")
def _(w: World, matrix: str, gap: str) -> None:
    assert matrix in (STAGES["scaled_scores"].title, STAGES["attention_weights"].title)
    assert 0 < number(gap) < 1e-5


@referee("where.other")
def _(w: World, matrix: str, gap: str) -> None:
    usual, other = divided(w, matrix)
    assert about(gap, np.abs(usual - other).max())
    assert number(gap) > 0


@referee("where.largest")
def _(w: World, size: str) -> None:
    assert about(size, np.abs(w.ref["scores"]).max() / (1 if w.options["place"] == "on the scores" else np.sqrt(3)))


@referee("where.divided")
def _(w: World, n: str) -> None:
    touched = {"on the queries": 12, "on the scores": 16}
    assert int(n) == touched.get(w.options["place"], 24)


def over(w: World) -> np.ndarray:
    axis = w.question.options[0].choices.index(w.options["axis"])  # type: ignore[union-attr]
    return softmax(w.ref["scaled_scores"], (-1, -2, None)[axis])


@referee("axis.rows")
def _(w: World, axis: str, sums: str) -> None:
    assert axis == w.options["axis"]
    _sums(w, sums, over(w).sum(-1))


@referee("axis.columns")
def _(w: World, sums: str) -> None:
    _sums(w, sums, over(w).sum(-2))


def _sums(w: World, told: str, sums: np.ndarray) -> None:
    assert tuple(named(told)) == w.names
    for each, expected in zip(written_for(told).values(), sums, strict=True):
        assert about(each, expected)


@referee("axis.all_given")
def _(w: World) -> None:
    np.testing.assert_allclose(over(w).sum(-1), 1, atol=10.0**-w.digits)


@referee("axis.not_given")
def _(w: World) -> None:
    assert np.abs(over(w).sum(-1) - 1).max() > 0.4 * 10.0**-w.digits
    assert w.options["axis"] != "each row"


def lies_outside(point: np.ndarray, corners: np.ndarray) -> float:
    """How far out, relative to the triangle's size, by mixing the corners as well as shares from 0 to 1 can."""
    best, size = np.inf, max(1.0, np.abs(corners).max())
    for i, j in ((0, 1), (1, 2), (2, 0)):  # the nearest point of each side
        side = corners[j] - corners[i]
        length = side @ side
        at = min(1.0, max(0.0, (point - corners[i]) @ side / length)) if length else 0.0
        best = min(best, float(np.linalg.norm(point - corners[i] - at * side)))
    mixing = np.vstack([corners.T, np.ones(3)])
    if abs(np.linalg.det(mixing / [[size], [size], [1]])) > 1e-9:
        shares = np.linalg.solve(mixing, [*point, 1])
        if (shares >= 0).all():
            return 0.0
    return best / size


@referee("axis.inside")
def _(w: World) -> None:
    contexts = over(w) @ w.ref["v"]
    assert max(lies_outside(point, w.ref["v"]) for point in contexts) < 1e-5


@referee("axis.outside")
def _(w: World, names: str) -> None:
    assert w.options["axis"] != "each row"
    outside = [lies_outside(point, w.ref["v"]) for point in over(w) @ w.ref["v"]]
    for name, by in zip(w.names, outside, strict=True):
        assert by > 1e-7 if f"“{name}”" in names else by < 1e-5


@referee("symmetry.asks")
def _(w: World, query: str, key: str, score: str, share: str, numbers: str) -> None:
    i, j = w.names.index(query), w.names.index(key)
    assert w.query in (i, j)
    assert about(score, w.ref["scores"][i, j], np.abs(w.ref["scores"]).max())
    assert numbers.removesuffix(" (rounded)").endswith(f" {score}"), "the arithmetic ends in the result said first"
    assert numbers == explain(w.now, "scores", i, j, digits=w.digits).numbers
    assert share == w.write(w.now.attention_weights[i, j])


def _asymmetry(w: World, matrix: str) -> float:
    exact = w.ref["scores" if matrix == "scores" else "attention_weights"]
    return gap(exact, exact.T)


@referee("symmetry.same")
def _(w: World, matrix: str) -> None:
    size = np.abs(w.ref["q"]).max() * np.abs(w.ref["k"]).max()
    assert _asymmetry(w, matrix) <= 1e-11 * max(1.0, size * np.abs(w.ref["q"]).max())


@referee("symmetry.different")
def _(w: World, matrix: str, gap: str) -> None:
    assert _asymmetry(w, matrix) > 0
    assert about(gap, _asymmetry(w, matrix), 0.0)


def _most(w: World, token: str) -> tuple[list[str], str]:
    row = w.shown(array(w.now.attention_weights[w.names.index(token)]))
    most = max(row, key=number)
    return [name for name, each in zip(w.names, row, strict=True) if each == most], most


@referee("self.itself")
def _(w: World, token: str, share: str) -> None:
    assert _most(w, token) == ([token], share)


@referee("self.other")
def _(w: World, token: str, other: str, share: str) -> None:
    assert _most(w, token) == ([other.strip("“”")], share)
    assert other.strip("“”") != token


@referee("self.several")
def _(w: World, token: str, other: str, share: str) -> None:
    names, most = _most(w, token)
    assert len(names) > 1
    assert all(f"“{name}”" in other for name in names)
    assert other.count("“") == len(names)
    assert share == most


@referee("self.count")
def _(w: World, n: str, tokens: str) -> None:
    assert int(tokens) == len(w.names)
    assert int(n) == sum(_most(w, name)[0] == [name] for name in w.names)


@referee("self.lengths")
def _(w: World, lengths: str) -> None:
    assert tuple(named(lengths)) == w.names
    for told, row in zip(written_for(lengths).values(), array(w.now.x), strict=True):
        assert about(told, float(np.linalg.norm(row)))


@referee("self.longest")
def _(w: World, token: str) -> None:
    i = w.names.index(token)
    assert np.linalg.norm(array(w.now.x), axis=-1).argmax() == i
    assert w.ref["scores"][i].argmax() == i
    assert token in _most(w, token)[0]


@referee("self.random")
def _(w: World, share: str, d: str, n: str, trials: str) -> None:
    assert (int(n), int(d)) == tuple(w.now.x.shape)
    x = np.random.default_rng(1).standard_normal((2000, int(n), int(d)))
    own = (x @ x.swapaxes(-1, -2)).argmax(-1) == np.arange(int(n))
    assert number(share) == pytest.approx(100 * own.mean(), abs=4)


def loss_of(context: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.mse_loss(context[:-1], x[1:])


def stepped_loss(w: World) -> float:
    """The loss after one step of torch's own gradient descent, in float64."""
    x = w.now.x.double()
    moving = [getattr(w.now, name).double().requires_grad_() for name in ("w_q", "w_k", "w_v")]

    def loss() -> torch.Tensor:
        q, k, v = (x @ each for each in moving)
        return loss_of(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), x)

    loss().backward()
    torch.optim.SGD(moving, lr=RATE).step()
    return float(loss().detach())


@referee("learned.origins")
def _(w: World, learned: str, computed: str) -> None:
    assert learned == "W_q, W_k, W_v"
    assert computed == "Q, K, V, S, S′, A, C"


@referee("learned.loss")
def _(w: World, loss: str) -> None:
    assert about(loss, float(loss_of(torch.tensor(w.ref["context"]), w.now.x.double())), 0.0)


@referee("learned.loss_before")
def _(w: World, loss: str) -> None:
    assert w.now.tokens == w.start.tokens
    assert about(loss, float(loss_of(torch.tensor(w.ref_start["context"]), w.start.x.double())), 0.0)


def _next(w: World, loss: str, sign: int) -> None:
    # Where a step is far too long, float32 and float64 step elsewhere.
    now, then = float(loss_of(torch.tensor(w.ref["context"]), w.now.x.double())), stepped_loss(w)
    if now < 100 and then < 100:
        assert number(loss) == pytest.approx(then, rel=0.01, abs=10.0**-w.digits)
        assert sign * (then - now) > -1e-4 * now - 10.0**-w.digits * (sign == 0)


@referee("learned.next.lower")
def _(w: World, loss: str) -> None:
    _next(w, loss, -1)


@referee("learned.next.higher")
def _(w: World, loss: str) -> None:
    _next(w, loss, 1)


@referee("learned.next.same")
def _(w: World, loss: str) -> None:
    _next(w, loss, 0)


@referee("learned.next.too_large")
def _(w: World) -> None:
    then = stepped_loss(w)
    assert not then < 1e8  # numbers that no reader can follow


@referee("learned.other_sentence")
def _(w: World) -> None:
    assert w.now.tokens != w.start.tokens


@referee("order.with_positions")
def _(w: World) -> None:
    _positions(w, position_vectors(*w.now.x.shape))


@referee("order.without_positions")
def _(w: World) -> None:
    _positions(w, torch.zeros_like(w.now.x))


def _positions(w: World, vectors: torch.Tensor) -> None:
    edited = {(edit.row, edit.column) for edit in w.scenario.edits if edit.matrix == "x"}
    rows = [w.start.tokens.index(token) for token in w.now.tokens]
    drawn = traced(w.question.start).x[rows]
    for row, column in np.ndindex(*w.now.x.shape):
        if (row, column) not in edited:
            assert float(w.now.x[row, column]) == pytest.approx(float((drawn + vectors)[row, column]), abs=1e-5)


def _context(w: World, token: str, context: str) -> tuple[np.ndarray, np.ndarray, float]:
    i = w.names.index(token)
    old = w.start.tokens.index(w.now.tokens[i])
    assert context == f"({', '.join(w.shown(array(w.now.context[i])))})"
    return array(w.now.context[i]), array(w.start.context[old]), gap(w.ref["context"][i], w.ref_start["context"][old])


@referee("order.context.same")
def _(w: World, token: str, context: str) -> None:
    now, start, _ = _context(w, token, context)
    assert w.shown(now) == w.shown(start)


@referee("order.context.rounded")
def _(w: World, token: str, context: str) -> None:
    now, start, exact = _context(w, token, context)
    assert w.shown(now) != w.shown(start)
    assert exact <= 0.2 * gap(now, start)


@referee("order.context.other")
def _(w: World, token: str, context: str) -> None:
    now, start, exact = _context(w, token, context)
    assert w.shown(now) != w.shown(start)
    assert exact > 0


def _both(w: World, token: str) -> tuple[np.ndarray, np.ndarray, float]:
    i, j = (i for i, each in enumerate(w.now.tokens) if each == token)
    return array(w.now.context[i]), array(w.now.context[j]), gap(w.ref["context"][i], w.ref["context"][j])


@referee("order.twice.same")
def _(w: World, token: str) -> None:
    one, other, _ = _both(w, token)
    assert w.shown(one) == w.shown(other)


@referee("order.twice.rounded")
def _(w: World, token: str) -> None:
    one, other, exact = _both(w, token)
    assert exact <= 0.2 * np.abs(one - other).max()


@referee("order.twice.other")
def _(w: World, token: str, gap: str) -> None:
    one, other, exact = _both(w, token)
    assert gap == w.write(np.abs(one - other).max())
    assert exact > 0


# ---- the law ----


def judge(world: World) -> set[str]:
    """Judge all that is said of a world; return the keys of it."""
    keys = set()
    for sentence in world.sentences:
        key, places = said(sentence)
        try:
            REFEREES[key](world, **places)
        except AssertionError as error:
            raise AssertionError(f"{sentence}\n{world.scenario}\n{world.options}, {world.digits} digits") from error
        keys.add(key)
    return keys


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_said_to_be_seen_follows_from_the_numbers(question: Question, data: st.DataObject) -> None:
    world = data.draw(left_by_a_reader(question))
    assert judge(world)
    assert fits_board(world.scenario)
    assert question.is_own(world.scenario), "a link to it opens as it is"


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_every_button_and_both_ends_of_every_slider_say_what_is_true(question: Question) -> None:
    examples = [question.start, *(question.pressed(preset, question.start) for preset in question.presets)]
    for control in question.controls:
        examples += [control.change(question.start, value) for value in (control.low, control.high)]
    chosen: list[dict[str, str]] = [question.defaults]
    for option in question.options:
        chosen += [{option.name: each} for each in _every(option)]
    for scenario in examples:
        for options in chosen:
            for query in range(len(scenario.tokens)):
                judge(World(question, scenario, question.defaults | options, 4, query))


def _every(option: Option | Exponent) -> tuple[str, ...]:
    return tuple(f"{step * 0.05:.4g}" for step in range(21)) if isinstance(option, Exponent) else option.choices


def test_the_widths_of_question_6_all_say_what_is_true() -> None:
    (question,) = (each for each in QUESTIONS if each.name == "which_d")
    d_in, d_k = question.controls
    for wide in range(1, 17):
        for narrow in range(1, 9):
            scenario = d_k.change(d_in.change(question.start, wide), narrow)
            assert judge(World(question, scenario, question.defaults, 4, 0)) >= {"seen.which_d.size"}


def test_everything_that_may_be_said_has_a_referee() -> None:
    keys = {key for key in catalogue() if key.startswith("seen.")}
    assert keys == PARTS | REFEREES.keys()


# ---- what is random ----


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_only_numbers_that_were_drawn_are_called_random(question: Question, data: st.DataObject) -> None:
    world = data.draw(left_by_a_reader(question))
    scenario = world.scenario
    said = question.random_in_words(scenario)
    edits = len([edit for edit in scenario.edits if f"{STAGES[edit.matrix].symbol} " in said.replace(",", " ")])
    assert (plural(edits, "number") in said) == bool(edits)
    drawn = replace(question.start, x=None, w_q=None, w_k=None, w_v=None, edits=(), text=scenario.text)
    for name in ("x", "w_q", "w_k", "w_v"):
        named = STAGES[name].symbol in re.findall(r"X|W_[qkv]", said)
        untouched = getattr(scenario, name) is None and all(edit.matrix != name for edit in scenario.edits)
        if untouched and name in question.shown(world.options):
            assert named, said
        if named and question.name not in ("which_d", "self", "sizes"):  # whose sliders draw others
            assert torch.isclose(scenario.matrix(name), drawn.matrix(name)).any(), said


def test_what_is_set_or_trained_is_not_called_random() -> None:
    def said(name: str, *labels: str) -> str:
        (question,) = (each for each in QUESTIONS if each.name == name)
        scenario = question.start
        for label in labels:
            (preset,) = (each for each in question.presets if each.label == label)
            scenario = question.pressed(preset, scenario)
        return question.random_in_words(scenario)

    trained = say("questions.learned.press.steps", n=20)
    assert said("learned") == "The numbers of X, W_q, W_k and W_v are random: nobody has trained them."
    assert said("learned", trained) == "The numbers of X are random: nobody has trained them."
    assert said("symmetry", say("questions.symmetry.press.smallest")) == ""
    assert said("self", say("questions.self.press.two")) == ""
    assert said("self") == "The numbers of X are random: nobody has trained them."
    assert said("which_d") == "The numbers of X, W_q and W_k are random: nobody has trained them."
    assert said("self", say("questions.self.press.lengthen")).startswith("Apart from 2 numbers changed since, ")
