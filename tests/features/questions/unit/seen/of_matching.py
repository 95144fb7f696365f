"""What must be true where a question about scores and softmax says it."""

import math
import re

import numpy as np
import pytest

from attnviz.explanation import explain
from attnviz.words import say
from tests.features.questions.unit.seen.sentences import about, named, number, referee, written_for
from tests.features.questions.unit.seen.world import World, array, gap
from tests.unit.helpers import softmax


def over(w: World) -> np.ndarray:
    axis = ("rows", "columns", "whole").index(w.options["axis"])
    return softmax(w.ref["scaled_scores"], (-1, -2, None)[axis])


@referee("axis.divided")
def _(w: World, divisor: str) -> None:
    """What softmax is given is S divided by that."""
    assert about(divisor.rpartition(" = ")[2], math.sqrt(w.scenario.d_out))
    np.testing.assert_allclose(w.ref["scaled_scores"] * math.sqrt(w.scenario.d_out), w.ref["scores"])


@referee("axis.rows")
def _(w: World, axis: str, sums: str) -> None:
    assert axis == say(f"questions.axis.choice.{w.options['axis']}")
    _sums(w, sums, over(w).sum(-1))


@referee("axis.columns")
def _(w: World, sums: str) -> None:
    _sums(w, sums, over(w).sum(-2))


def _sums(w: World, told: str, sums: np.ndarray) -> None:
    assert tuple(named(told)) == w.names
    for each, expected in zip(written_for(told).values(), sums, strict=True):
        assert about(each, expected)


def _signs(w: World, axis: int) -> dict[str, str]:
    """Which tokens' sums are more than 1, 1 or less, as they are shown."""
    sums = over(w).sum(axis)
    half = 0.51 * 10.0**-w.digits
    return {
        name: "all" if abs(each - 1) <= half else "more" if each > 1 else "less"
        for name, each in zip(w.names, sums, strict=True)
    }


def _of_all_or_some(each: str, some: str, axis: int, sign: str) -> None:
    @referee(f"axis.{each}.{sign}")
    def _(w: World) -> None:
        assert set(_signs(w, axis).values()) == {sign}

    @referee(f"axis.{some}.{sign}")
    def _(w: World, names: str) -> None:
        signs = _signs(w, axis)
        assert re.findall("“(.+?)”", names) == [name for name, each in signs.items() if each == sign]
        assert set(signs.values()) > {sign}


for _sign in ("more", "all", "less"):
    _of_all_or_some("each_query", "queries", -1, _sign)
    _of_all_or_some("each_key", "keys", -2, _sign)


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
    assert w.options["axis"] != "rows"
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
