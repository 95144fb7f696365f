"""What must be true where a question about two sentences, factors or targets says it: computed in numpy."""

import re

import numpy as np

from tests.features.questions.unit.seen.sentences import about, referee
from tests.features.questions.unit.seen.world import World, array
from tests.unit.helpers import softmax

_READ = {"two": "a mouse", "three": "chased a mouse", "itself": "fluffy cat"}


@referee("cross.shape")
def _(w: World, text: str, read: str, rows: str, columns: str) -> None:
    assert (text, read) == ("fluffy cat", _READ[w.options["read"]])
    made = w.question.drawn_trace(w.scenario, w.options)
    assert made.attention_weights.shape == (2, len(read.split()))
    assert made.k.shape[0] == made.v.shape[0] == len(read.split())
    assert (rows, columns) == ("2 rows", f"{len(read.split())} columns")


@referee("cross.context")
def _(w: World, contexts: str) -> None:
    assert contexts == f"{len(w.question.drawn_trace(w.scenario, w.options).context)} rows"


def ratio_of(w: World) -> float:
    word, place = array(w.now["e"])[w.query], array(w.now["p"])[w.query]
    factor = np.sqrt(w.scenario.d_in) if w.options["times"] == "root" else 1
    return float(np.linalg.norm(word * factor) / np.linalg.norm(place))


@referee("factor.ratio")
def _(w: World, token: str, ratio: str) -> None:
    assert token == w.names[w.query]
    assert about(ratio, ratio_of(w))


@referee("factor.moved")
def _(w: World, gap: str) -> None:
    assert w.options["times"] == "root"
    assert about(gap, np.abs(array(w.now["e"]) * (np.sqrt(w.scenario.d_in) - 1)).max())


def read_by(w: World) -> np.ndarray:
    """Which token reads which: with the mask itself and those before it."""
    scaled = array(w.now.q) @ array(w.now.k).T / np.sqrt(2)
    hidden = np.triu(np.ones_like(scaled), 1) > 0 if w.options["mask"] == "causal" else np.zeros_like(scaled) > 0
    return softmax(np.where(hidden, -np.inf, scaled), -1) > 0


def leaks(w: World) -> int:
    return int(np.diagonal(read_by(w), 1).sum())


@referee("next_word.row")
def _(w: World, token: str, names: str, next: str) -> None:
    i = w.names.index(token)
    assert next == w.names[i + 1]
    assert {*re.findall("“(.+?)”", names)} == {w.names[j] for j in np.flatnonzero(read_by(w)[i])}


@referee("next_word.last")
def _(w: World, token: str) -> None:
    assert token == w.names[-1]


@referee("next_word.leak")
def _(w: World, count: str, n: str) -> None:
    assert (int(n), int(count)) == (leaks(w), len(w.names) - 1)
