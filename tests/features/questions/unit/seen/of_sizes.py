"""What must be true where a question about sizes and divisors says it."""

import re

import numpy as np
import pytest
import torch

from attnviz.core.rules import Scale
from attnviz.core.stages import STAGES
from attnviz.features.questions.about.numerics import DIMS, FLAT
from attnviz.features.sweeps.experiment import sweep_scaling
from attnviz.words import plural, say
from tests.features.questions.unit.seen.sentences import about, number, referee
from tests.features.questions.unit.seen.world import World, array
from tests.unit.helpers import softmax


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
        assert name == "attention_weights" or name in w.question.board_matrices(w.options)


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
    assert not {"k", "scores", "scaled_scores", "attention_weights", "context"} & set(
        w.question.board_matrices(w.options)
    )


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


def _largest(w: World, d: int) -> tuple[float, float]:
    """Rows' largest weights with scores divided by √d: over many examples drawn in numpy, and in this one."""
    (n, d_in), d_k, rng = w.now.x.shape, w.now.q.shape[1], np.random.default_rng(3)
    x = rng.standard_normal((4000, n, d_in))
    x *= np.sqrt(d_in) / np.linalg.norm(x, axis=-1, keepdims=True)
    q, k = (x @ (rng.standard_normal((4000, d_in, d_k)) / np.sqrt(d_in)) for _ in "qk")
    drawn = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(d), -1).max(-1).mean()
    return float(drawn), float(softmax(w.ref["scores"] / np.sqrt(d), -1).max(-1).mean())


@referee("which_d.largest")
def _(w: World, divisor: str, share: str, own: str, even: str) -> None:
    d_k = w.now.q.shape[1]
    assert divisor == f"√d_k = √{d_k}"
    drawn, shown = _largest(w, d_k)
    assert number(share) == pytest.approx(drawn, abs=0.02 + 10.0**-w.digits)
    assert about(own, shown)
    assert about(even, 1 / len(w.names))


@referee("which_d.largest_by_d_in")
def _(w: World, divisor: str, share: str, verdict: str, own: str) -> None:
    d_in, d_k = w.now.w_q.shape
    assert divisor == f"√d_in = √{d_in}"
    rule = w.now.stages["scaled_scores"].rule
    assert isinstance(rule, Scale)
    assert len(rule.in_symbols) <= 1, "one root"
    drawn, shown = _largest(w, d_in)
    assert number(share) == pytest.approx(drawn, abs=0.02 + 10.0**-w.digits)
    assert about(own, shown)
    if verdict == "the same":
        assert d_in == d_k or abs(drawn - _largest(w, d_k)[0]) < 10.0**-w.digits
    else:
        assert verdict == ("flatter" if d_in > d_k else "sharper")


@referee("where.block")
def _(w: World, place: str) -> None:
    assert place == say(f"questions.where.choice.{w.options['place']}")


def divided(w: World, title: str) -> tuple[np.ndarray, np.ndarray]:
    """A matrix in float32, with the scores divided and as chosen, made by torch."""
    root = torch.tensor(float(np.sqrt(w.now.q.shape[1])))
    place = ("queries", "both", "scores").index(w.options["place"])
    one = torch.tensor(1.0)
    places = [(root, one, one), (root.sqrt(), root.sqrt(), one), (one, one, root)]
    on_q, on_k, on_scores = places[place]
    made = []
    for q_by, k_by, by in ((one, one, root), (on_q, on_k, on_scores)):
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
    assert about(
        size, np.abs(w.ref["scores"]).max() / (1 if w.options["place"] == "scores" else np.sqrt(w.now.q.shape[1]))
    )


@referee("where.divided")
def _(w: World, n: str) -> None:
    touched = {"queries": w.now.q.numel(), "scores": w.now.scores.numel()}
    assert int(n) == touched.get(w.options["place"], w.now.q.numel() + w.now.k.numel())
