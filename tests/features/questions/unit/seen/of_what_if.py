"""What must be true where a question about masks, heads, products and few bits says it: computed in plain torch."""

import re

import numpy as np
import torch

from attnviz.core.dropout import N_DRAWS
from attnviz.features.questions.about.masks_and_heads import N_PADDING, NUMBERED
from attnviz.features.questions.about.numerics import DTYPES, FACTORS, SHARES
from attnviz.features.questions.about.products import LONG
from tests.features.questions.unit.seen.sentences import about, number, referee, written_for
from tests.features.questions.unit.seen.world import World, array
from tests.unit.helpers import softmax


def _each(told: str, names: tuple[str, ...], expected: np.ndarray) -> None:
    assert tuple(written_for(told)) == names[: len(expected)]
    for text, value in zip(written_for(told).values(), expected, strict=True):
        assert about(text, value)


def _scaled(w: World) -> np.ndarray:
    scores = array(w.now.q) @ array(w.now.k).T
    return np.asarray(scores / np.sqrt(w.now.q.shape[1]))


def _late(w: World) -> np.ndarray:
    scaled, later = _scaled(w), np.triu(np.ones_like(_scaled(w)), 1) > 0
    match w.options["use"]:
        case "added":
            return softmax(np.where(later, -np.inf, scaled), -1)
        case "factor":
            return softmax(np.where(later, 0.0, scaled), -1)
    left = np.where(later, 0.0, softmax(scaled, -1))
    return left / left.sum(-1, keepdims=True) if w.options["use"] == "renormalized" else left


@referee("late_mask.sums")
def _(w: World, sums: str) -> None:
    _each(sums, w.names, _late(w).sum(-1))


@referee("late_mask.hidden")
def _(w: World, shares: str) -> None:
    _each(shares, w.names, np.triu(_late(w), 1).sum(-1))


def _padded(w: World) -> tuple[np.ndarray, np.ndarray]:
    """The words' attention weights, and how far their contexts are from those without padding."""
    n, scaled = len(w.names) - N_PADDING, _scaled(w)
    if w.options["mask"] == "on":
        scaled[:, n:] = -np.inf
    weights, v = softmax(scaled, -1)[:n], array(w.now.v)
    return weights, np.abs(weights @ v - softmax(_scaled(w)[:n, :n], -1) @ v[:n])


@referee("padding.shares")
def _(w: World, shares: str) -> None:
    _each(shares, w.names, _padded(w)[0][:, -N_PADDING:].sum(-1))


@referee("padding.gap")
def _(w: World, gap: str) -> None:
    assert about(gap, _padded(w)[1].max())


def _of_head(w: World, head: int) -> np.ndarray:
    n = NUMBERED[w.options["n"]]
    q, k = (array(w.now[name]).reshape(len(w.names), n, -1)[:, head] for name in "qk")
    return softmax(q @ k.T / np.sqrt(q.shape[1]), -1)


@referee("heads.numbers")
def _(w: World, numbers: str, shares: str) -> None:
    d_in, d_out = w.scenario.d_in, w.scenario.d_out
    assert numbers == f"{3 * d_in * d_out} numbers"
    assert shares == f"{NUMBERED[w.options['n']] * len(w.names)} rows"


@referee("heads.reads")
def _(w: World, head: str, reads: str) -> None:
    row = _of_head(w, int(head))[w.query]
    weight = re.search(r"weight ([\d.]+)", reads)
    assert weight is not None
    assert about(weight[1], row.max())
    most = {i for i, share in enumerate(row) if row.max() - share < 1e-5}
    said = reads.partition(" reads ")[2].partition(" most")[0]
    named = {i for i, name in enumerate(w.names) if f"“{name}”" in said or (i == w.query and "itself" in said)}
    assert reads.startswith(f"“{w.names[w.query]}” reads ")
    assert named == most if len(most) < len(row) else f"all {len(row)} tokens equally" in reads


@referee("reshape.rows")
def _(w: World, head: str, tokens: str) -> None:
    q = array(w.now.q)
    n, width = q.shape
    if w.options["way"] == "view":
        rows = q.reshape(2, n, width // 2)[int(head)]
    else:
        rows = q[:, int(head) * width // 2 : (int(head) + 1) * width // 2]
    owners = [next(i for i in range(n) if set(row) <= set(q[i])) for row in rows]
    assert re.findall("“(.+?)”", tokens) == [w.names[i] for i in owners]


def _compared(w: World) -> np.ndarray:
    x = array(w.now.x)
    x[LONG] *= NUMBERED[w.options["times"]]
    q, k = x @ array(w.now.w_q), x @ array(w.now.w_k)
    if w.options["scores"] == "cosine":
        q, k = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (q, k))
    return np.asarray(q @ k.T)


@referee("cosine.largest")
def _(w: World, score: str) -> None:
    assert about(score, np.abs(_compared(w)).max())
    assert w.options["scores"] == "dot" or number(score) <= 1


@referee("cosine.weight")
def _(w: World, token: str, weight: str, even: str) -> None:
    assert token == w.names[LONG]
    assert about(weight, softmax(_compared(w) / np.sqrt(w.now.q.shape[1]), -1)[:, LONG].max())
    assert about(even, 1 / len(w.names))


def _ordered(w: World) -> np.ndarray:
    x, w_q, w_k = (array(w.now[name]) for name in ("x", "w_q", "w_k"))
    if w.options["way"] in ("exchanged", "both"):
        w_q, w_k = w_k, w_q
    q, k = x @ w_q, x @ w_k
    return np.asarray(k @ q.T if w.options["way"] in ("keys-first", "both") else q @ k.T)


@referee("keys_first.usual")
def _(w: World) -> None:
    assert w.options["way"] in ("usual", "both")
    assert np.allclose(_ordered(w), array(w.now.scores), atol=1e-5)


@referee("keys_first.turned")
def _(w: World) -> None:
    assert np.allclose(_ordered(w), array(w.now.scores).T, atol=1e-5)


@referee("keys_first.scores")
def _(w: World, first: str, second: str, there: str, back: str) -> None:
    i, j = w.names.index(first), w.names.index(second)
    assert about(there, _ordered(w)[i, j])
    assert about(back, _ordered(w)[j, i])


def _of_linear(w: World) -> float:
    layer = torch.nn.Linear(w.scenario.d_in, w.scenario.d_out, bias=False)
    with torch.no_grad():
        layer.weight.copy_(w.now.w_q)
        by = w.now.w_q if w.options["way"] == "x-w" else w.now.w_q.T
        return float((w.now.x @ by - layer(w.now.x)).abs().max())


@referee("linear.same")
def _(w: World, gap: str) -> None:
    assert about(gap, _of_linear(w))
    assert _of_linear(w) < 1e-5


@referee("linear.other")
def _(w: World, gap: str) -> None:
    assert about(gap, _of_linear(w))
    assert _of_linear(w) > 1e-3


@referee("one_matrix.rank")
def _(w: World, size: str, rank: str) -> None:
    assert size == f"{w.scenario.d_in} × {w.scenario.d_in}"
    assert int(rank) == min(NUMBERED[w.options["d"]], w.scenario.d_in)


@referee("one_matrix.numbers")
def _(w: World, one: str, two: str) -> None:
    assert one == f"{w.scenario.d_in**2} numbers"
    assert two == f"{2 * w.scenario.d_in * NUMBERED[w.options['d']]} numbers"


@referee("one_matrix.gap")
def _(w: World, gap: str) -> None:
    assert number(gap) < 1e-4


@referee("parts.sum")
def _(w: World, token: str, other: str, ww: str, wp: str, pw: str, pp: str, score: str) -> None:
    i, j = w.names.index(token), w.names.index(other)
    assert i == w.query
    vectors, w_q, w_k = {"w": array(w.now["e"]), "p": array(w.now["p"])}, array(w.now.w_q), array(w.now.w_k)
    for name, told in {"ww": ww, "wp": wp, "pw": pw, "pp": pp}.items():
        assert about(told, float((vectors[name[0]][i] @ w_q) @ (vectors[name[1]][j] @ w_k)))
    assert about(score, float(array(w.now.q)[i] @ array(w.now.k)[j]))


def _dropped(w: World) -> np.ndarray:
    p, kept = SHARES[w.options["p"]], []
    seeds = range(N_DRAWS) if w.options["draw"] == "mean" else [("first", "second", "third").index(w.options["draw"])]
    for seed in seeds:
        kept.append((torch.rand(4, 4, generator=torch.Generator().manual_seed(seed)) >= p).double().numpy())
    return np.asarray(softmax(_scaled(w), -1) * np.mean(kept, axis=0) / (1 - p))


@referee("dropout.sums")
def _(w: World, sums: str) -> None:
    _each(sums, w.names, _dropped(w).sum(-1))


@referee("dropout.zeros")
def _(w: World, n: str, count: str) -> None:
    assert (int(n), int(count)) == (int((_dropped(w) == 0).sum()), 16)


@referee("dropout.mean")
def _(w: World, draws: str, gap: str) -> None:
    assert draws == "2,000"
    assert about(gap, float(np.abs(_dropped(w) - softmax(_scaled(w), -1)).max()))
    assert number(gap) < 0.05


def _in_bits(w: World) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    scores = w.now.q @ w.now.k.T
    given = scores.to(DTYPES[w.options["dtype"]])
    if w.options["shift"] == "on":
        given = given - given.max(dim=1).values[:, None]
    powers = torch.exp(given)
    return scores, powers, powers / powers.sum(1)[:, None]


@referee("numerics.largest")
def _(w: World, score: str, power: str) -> None:
    scores, powers, _ = _in_bits(w)
    assert about(score, float(scores.max()))
    largest = float(powers.max())
    assert power == ("∞" if largest == np.inf else f"{largest:.3g}")
    assert w.options["shift"] == "off" or power == "1"


@referee("numerics.broken")
def _(w: World, count: str, n: str) -> None:
    assert (int(n), int(count)) == (int(_in_bits(w)[2].isnan().sum()), 16)
    assert (w.options["dtype"], w.options["shift"]) == ("float16", "off")


@referee("numerics.whole")
def _(w: World) -> None:
    assert torch.isfinite(_in_bits(w)[2]).all()


@referee("numerics.zeros")
def _(w: World, count: str, n: str) -> None:
    assert (int(n), int(count)) == (int((_in_bits(w)[2] == 0).sum()), 16)


@referee("numerics.gap")
def _(w: World, gap: str) -> None:
    scores, _, shares = _in_bits(w)
    exact = torch.softmax(scores.double(), -1)
    apart = float((shares.double() - exact).abs().max())
    assert gap == f"{apart:.1e}".replace("-", "−")
    assert apart < {"float32": 1e-6, "float16": 2e-2, "bfloat16": 1e-1}[w.options["dtype"]]


@referee("multiply.times")
def _(w: World, parts: str) -> None:
    c = FACTORS[w.options["c"]]
    for part in parts.split(", "):
        what, _, factor = part.partition(" by ")
        assert about(factor, {"Q": c, "V": c, "the scores": c * c}[what])


@referee("multiply.largest")
def _(w: World, before: str, after: str) -> None:
    for text, c in ((before, 1.0), (after, FACTORS[w.options["c"]])):
        assert about(text, softmax(c * c * _scaled(w), -1).max(-1).mean())
