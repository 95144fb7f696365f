"""What must be true where a question about models as built, or about shares, says it: computed in numpy."""

import math
import re

import numpy as np

from attnviz.core.scenario import traced
from attnviz.features.questions.about.cat import CAT
from tests.features.questions.unit.seen.sentences import about, number, referee
from tests.features.questions.unit.seen.world import World, array
from tests.unit.helpers import softmax

WORDS = ("fluffy", "cat", "chased", "mouse")


def _cat(n: int, masked: bool) -> tuple[np.ndarray, np.ndarray]:
    """Attention weights and contexts of the example's first `n` words, by the W's of its own stated numbers."""
    whole = traced(CAT)
    x, w_q, w_k, w_v = (array(whole[name]) for name in ("x", "w_q", "w_k", "w_v"))
    x = x[:n]
    scaled = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
    weights = softmax(np.where(np.triu(np.ones_like(scaled), 1) > 0, -np.inf, scaled) if masked else scaled, -1)
    return weights, weights @ (x @ w_v)


def cached(w: World) -> np.ndarray:
    n = 4 if w.options["words"] == "four" else 3
    return _cat(n, w.options["mask"] == "causal")[0]


@referee("cached.last")
def _(w: World, token: str, tokens: str) -> None:
    n = 4 if w.options["words"] == "four" else 3
    assert (token, tokens) == (WORDS[n - 1], f"{n} tokens")


def _grown(w: World) -> float:
    masked = w.options["mask"] == "causal"
    return float(np.abs(_cat(4, masked)[1][:3] - _cat(3, masked)[1]).max())


@referee("cached.same")
def _(w: World) -> None:
    assert w.options == {"words": "four", "mask": "causal"}
    assert _grown(w) < 1e-6


@referee("cached.other")
def _(w: World, gap: str) -> None:
    assert w.options == {"words": "four", "mask": "none"}
    assert about(gap, _grown(w))
    assert _grown(w) > 1e-2


def shared(w: World) -> list[np.ndarray]:
    """Each head's attention weights, where the second meets its own keys or those of the first."""
    q, k = array(w.now["q"]), array(w.now["k"])
    keys = [k[:, :2], k[:, :2] if w.options["kv"] == "one" else k[:, 2:]]
    return [softmax(q[:, 2 * h : 2 * h + 2] @ keys[h].T / np.sqrt(2), -1) for h in range(2)]


def different_rows(w: World) -> int:
    return len({tuple(head[w.query].round(6)) for head in shared(w)})


@referee("shared_keys.kept")
def _(w: World, numbers: str) -> None:
    assert numbers == f"{8 if w.options['kv'] == 'two' else 4} numbers"


def _reads(w: World, row: np.ndarray, reads: str) -> None:
    weight = re.search(r"weight ([\d.]+)", reads)
    assert weight is not None
    assert about(weight[1], row.max())
    most = {i for i, share in enumerate(row) if row.max() - share < 1e-5}
    said = reads.partition(" reads ")[2].partition(" most")[0]
    assert {i for i, name in enumerate(w.names) if f"“{name}”" in said or (i == w.query and "itself" in said)} == most
    assert reads.startswith(f"“{w.names[w.query]}” reads ")


@referee("shared_keys.reads")
def _(w: World, head: str, reads: str) -> None:
    _reads(w, shared(w)[int(head)][w.query], reads)


def turned(w: World, by: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Attention weights and contexts with pairs as complex numbers, turned by e^(i place)."""
    first = {"none": 0, "three": 3}[w.options["moved"]] if by is None else by
    turn = np.exp(1j * np.arange(first, first + len(w.names)))
    q, k, v = (array(w.now[name]) @ np.array([1, 1j]) for name in "qkv")
    weights = softmax(((q * turn)[:, None] * (k * turn).conj()[None]).real / np.sqrt(2), -1)
    mixed = weights @ (v * turn if w.options["values"] == "turned" else v)
    return weights, np.stack([mixed.real, mixed.imag], -1)


@referee("turned_values.plain")
def _(w: World) -> None:
    assert w.options["values"] == "plain"


@referee("turned_values.turned")
def _(w: World) -> None:
    assert w.options["values"] == "turned"


@referee("turned_values.weights")
def _(w: World, gap: str) -> None:
    assert w.options["moved"] == "three"
    assert np.abs(turned(w)[0] - turned(w, 0)[0]).max() < 1e-12
    assert number(gap) < 1e-5


@referee("turned_values.same")
def _(w: World, gap: str) -> None:
    assert np.abs(turned(w)[1] - turned(w, 0)[1]).max() < 1e-12
    assert number(gap) < 1e-5


@referee("turned_values.other")
def _(w: World, gap: str) -> None:
    assert about(gap, np.abs(turned(w)[1] - turned(w, 0)[1]).max())
    assert number(gap) > 0.1


def cut_out(w: World) -> np.ndarray:
    x, parts = array(w.now.x), [array(w.now[name]) for name in ("w_q", "w_k", "w_v")]
    made = x @ np.hstack(parts)
    return made[:, ::3] if w.options["way"] == "interleaved" else made[:, :2]


@referee("packed.separate")
def _(w: World, numbers: str) -> None:
    assert numbers == f"{3 * w.scenario.d_in * w.scenario.d_out} numbers"
    assert w.options["way"] == "separate"


@referee("packed.shapes")
def _(w: World, packed: str, made: str) -> None:
    assert (packed, made) == ("3 × 6", "4 × 6")
    assert w.options["way"] != "separate"


@referee("packed.same")
def _(w: World, gap: str) -> None:
    assert np.abs(cut_out(w) - array(w.now.q)).max() < 1e-5
    assert number(gap) < 1e-5


@referee("packed.other")
def _(w: World, gap: str) -> None:
    assert w.options["way"] == "interleaved"
    assert about(gap, np.abs(cut_out(w) - array(w.now.q)).max())


def masked(w: World) -> np.ndarray:
    """Attention weights under the causal mask, or its transpose."""
    scaled = array(w.now.q) @ array(w.now.k).T / np.sqrt(2)
    later = np.triu(np.ones_like(scaled), 1) > 0
    return softmax(np.where(later if w.options["way"] == "rows" else later.T, -np.inf, scaled), -1)


@referee("query_key.may")
def _(w: World, token: str, names: str) -> None:
    read = {w.names[j] for j, share in enumerate(masked(w)[w.names.index(token)]) if share > 0}
    assert {*re.findall("“(.+?)”", names)} == read


def repeated(w: World) -> np.ndarray:
    weights = array(w.now.q) @ array(w.now.k).T / np.sqrt(2)
    for _ in range({"once": 1, "twice": 2, "thrice": 3}[w.options["times"]]):
        weights = softmax(weights, -1)
    return weights


@referee("twice.largest")
def _(w: World, weight: str, even: str) -> None:
    assert about(weight, repeated(w).max())
    assert about(even, 1 / len(w.names))


@referee("twice.most")
def _(w: World, tokens: str, most: str) -> None:
    assert tokens == f"{len(w.names)} tokens"
    one_hot = np.eye(len(w.names))  # as sure as a row can be
    assert about(most, softmax(one_hot, -1).max())
    assert repeated(w).max() <= number(most) + 10.0**-w.digits


def _of_heads(w: World) -> tuple[list[np.ndarray], list[np.ndarray]]:
    q, k, v = (np.split(array(w.now[name]), 2, -1) for name in "qkv")
    return [softmax(one @ other.T / np.sqrt(2), -1) for one, other in zip(q, k, strict=True)], v


def averaged(w: World) -> np.ndarray:
    each = _of_heads(w)[0]
    return np.asarray((each[0] + each[1]) / 2) if w.options["shown"] == "mean" else each[0]


@referee("averaged.reads")
def _(w: World, head: str, reads: str) -> None:
    _reads(w, _of_heads(w)[0][int(head)][w.query], reads)


@referee("averaged.largest")
def _(w: World, token: str, share: str) -> None:
    assert token == w.names[w.query]
    assert about(share, averaged(w)[w.query].max())


@referee("averaged.gap")
def _(w: World, gap: str) -> None:
    each, values = _of_heads(w)
    mean = (each[0] + each[1]) / 2
    assert about(gap, max(np.abs(mean @ v - a @ v).max() for a, v in zip(each, values, strict=True)))


def slope_of(w: World) -> float:
    """How much the larger of two shares grows, by finite differences."""
    gap, step = float({"zero": 0, "one": 1, "two": 2, "five": 5, "ten": 10}[w.options["gap"]]), 1e-4
    up, down = (1 / (1 + math.exp(-(gap + each))) for each in (step, -step))
    return (up - down) / (2 * step)


@referee("slope.at")
def _(w: World, gap: str, share: str, slope: str) -> None:
    apart = float(gap)
    assert apart == {"zero": 0, "one": 1, "two": 2, "five": 5, "ten": 10}[w.options["gap"]]
    assert about(share, 1 / (1 + math.exp(-apart)))
    assert about(slope, slope_of(w))
