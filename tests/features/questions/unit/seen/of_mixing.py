"""What must be true where a question about values says it, or any question says what moved."""

import numpy as np
import torch

from attnviz.features.questions.seeing import COMPUTED
from attnviz.words import say
from tests.features.questions.unit.seen.of_order import loss_of
from tests.features.questions.unit.seen.sentences import about, named, number, referee, written_for
from tests.features.questions.unit.seen.world import World, array, gap


@referee("start")
def _(w: World) -> None:
    assert w.is_start
    assert w.sentences.count(say("seen.start")) == 1


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
