"""Slips of products and of several heads: another factor, a bias forgotten, columns cut otherwise."""

import math
from collections.abc import Iterator

import numpy as np

from attnviz.core.stages import MASK, head_name
from attnviz.marking.causes.step import Candidate, Candidates, Step

_PROJECTED = {"q": "w_q", "k": "w_k", "v": "w_v"}


def not_transposed(step: Step) -> Candidates:
    """Q K in place of Q Kᵀ."""
    if step.stage.name == "scores" and step.sources[0].shape[1] == step.sources[1].shape[0]:
        yield Candidate(step.sources[0] @ step.sources[1])


def w_transposed(step: Step) -> Candidates:
    """W turned over, which is how ``nn.Linear`` keeps it."""
    if step.stage.name != "scores" and step.sources[0].shape[1] == step.sources[1].shape[1]:
        values = step.sources[0] @ step.sources[1].T + sum(step.sources[2:])
        yield Candidate(values, {"of": step.symbol(step.stage.sources[1])})


def from_the_left(step: Step) -> Candidates:
    """W X in place of X W."""
    if step.stage.name != "scores" and step.sources[1].shape[1] == step.sources[0].shape[0]:
        first, second = map(step.symbol, step.stage.sources[:2])
        yield Candidate(step.sources[1] @ step.sources[0], {"first": first, "second": second})


def other_factor(step: Step) -> Candidates:
    """One of the factors is another table: the wrong W, the wrong weights, K in place of Q."""
    first, second = step.stage.sources[:2]
    of_stage = {"scores": ("q", "k", "v", "x"), "context": ("v", "k", "q", "x")}
    others: tuple[str, ...] = of_stage.get(step.stage.name, tuple(_PROJECTED.values()))
    weights = ("scores", "scaled_scores") if step.stage.name == "context" else ()
    for n, taken in ((0, first), (1, second)):
        of_it: tuple[str, ...] = weights if n == 0 and step.stage.name == "context" else others
        if n == 0 and step.stage.name not in ("scores", "context"):
            of_it = ("output", "context", "x") if step.stage.name == "preactivations" else ("e",)
        for other in of_it:
            if other != taken and step.has(other) and step.tables[other].shape == step.tables[taken].shape:
                sources = list(step.sources)
                sources[n] = step.tables[other]
                yield Candidate(step.made(*sources), {"taken": step.symbol(other), "due": step.symbol(taken)})


def scaled_early(step: Step) -> Candidates:
    """Scores divided by √d_k a step too early, or multiplied by it."""
    d_k = step.settings.d_head or step.sources[0].shape[1]
    if step.stage.name == "scores" and d_k > 1:
        root = math.sqrt(d_k)
        yield Candidate(step.right / root, {"root": root}, named="divided_early")
        yield Candidate(step.right * root, {"root": root}, named="multiplied_early")


def weights_turned(step: Step) -> Candidates:
    """The attention weights read down their columns."""
    if step.stage.name == "context" and step.sources[0].shape[0] == step.sources[0].shape[1]:
        yield Candidate(step.made(step.sources[0].T, step.sources[1]))


def bias_forgotten(step: Step) -> Candidates:
    """The bias is left out."""
    if len(step.sources) == 3:
        without = step.right - step.sources[2]
        yield Candidate(without, {"bias": step.symbol(step.stage.sources[2])})


def summand_forgotten(step: Step) -> Candidates:
    """One of two summands is left out: in a residual sum, X as a rule."""
    for kept, left in ((0, 1), (1, 0)):
        stays, missing = (step.symbol(step.stage.sources[n]) for n in (kept, left))
        residual = step.stage.sources[left] == "x"
        yield Candidate(
            step.sources[kept], {"of": stays} if residual else {"bias": missing},
            named="residual_forgotten" if residual else "bias_forgotten",
        )  # fmt: skip


def other_summand(step: Step) -> Candidates:
    """One of two summands is another table: in a residual sum, what W_o hasn't mixed yet, or X without positions."""
    for n, other in ((0, "e"), (1, "context"), (1, "v")):
        due = step.stage.sources[n]
        if step.stage.name == "residual_1" and other != due and step.has(other):
            sources = list(step.sources)
            sources[n] = step.tables[other]
            if sources[n].shape == step.right.shape:
                yield Candidate(step.made(*sources), {"taken": step.symbol(other), "due": step.symbol(due)})


def residual_added(step: Step) -> Candidates:
    """X is added, which belongs to a later step."""
    if step.stage.name in ("context", "output") and step.has("x") and step.tables["x"].shape == step.right.shape:
        yield Candidate(step.right + step.tables["x"])


def left_as_it_was(step: Step) -> Candidates:
    """The step was left out. (Of a sum, that is a summand left out, and said so; of a quotient, it is what scores are
    that aren't scaled.)"""
    if step.stage.kind in ("add", "scale"):
        return
    for name in step.stage.sources[:2] if step.stage.name in ("q", "k", "v") else step.stage.sources[-1:]:
        yield Candidate(step.tables[name], {"of": step.symbol(name)})


def cut_otherwise(step: Step) -> Candidates:
    """The columns of Q, K or V are dealt out to the heads in another way, all of them alike."""
    if step.head is None or step.stage.name not in ("q", "k", "v", "scores", "context"):
        return
    of = {"scores": ("q", "k"), "context": ("v",)}.get(step.stage.name, (step.stage.name,))
    if not all(name in step.whole for name in of):
        return
    for cuts in zip(*(_cuts(step, name) for name in of), strict=True):
        if step.stage.name == "scores":
            yield Candidate(cuts[0] @ cuts[1].T)
        elif step.stage.name == "context":
            if step.sources[0].shape[1] == cuts[0].shape[0]:
                yield Candidate(step.sources[0] @ cuts[0])
        else:
            yield Candidate(cuts[0])


def _cuts(step: Step, name: str) -> Iterator[np.ndarray]:
    """List what a head gets of a matrix: the numbers in a row of their own, dealt out head by head; columns that
    lie as far apart as there are heads; or the numbers of each head filled in by columns."""
    whole, heads = step.whole[name], step.settings.heads
    n = heads.n if name == "q" else heads.n_kv
    head = (step.head or 0) * n // heads.n
    rows, width = whole.shape[0], whole.shape[1] // n
    yield whole.reshape(n, rows, width)[head]
    yield whole[:, head::n]
    yield whole.reshape(n, width, rows)[head].T


def joined_otherwise(step: Step) -> Candidates:
    """The results of the heads are put together along another axis, or in another order."""
    heads = np.stack(step.sources)  # (n_heads, n_tokens, width)
    n, rows, width = heads.shape
    yield Candidate(heads.reshape(rows, n * width))
    yield Candidate(heads.transpose(1, 2, 0).reshape(rows, n * width))
    if n > 1:
        yield Candidate(heads[::-1].transpose(1, 0, 2).reshape(rows, n * width), named="heads_reversed")


def output_forgotten(step: Step) -> Candidates:
    """What the heads have found is not multiplied by W_o."""
    if step.stage.name == "output" and step.sources[0].shape == step.right.shape:
        yield Candidate(step.sources[0])
        if len(step.sources) > 2:
            yield Candidate(step.sources[0] + step.sources[2])


def one_head(step: Step) -> Candidates:
    """All columns were taken for one head."""
    whole = step.whole
    if step.head is None or step.stage.name != "scores" or "q" not in whole or "k" not in whole:
        return
    if whole["q"].shape[1] == whole["k"].shape[1]:
        yield Candidate(whole["q"] @ whole["k"].T)


def of_another_head(step: Step) -> Candidates:
    """The table is that of another head."""
    for other in range(step.settings.heads.n if step.head is not None else 0):
        sources = [_of(step, other, name) for name in step.stage.sources]
        if other != step.head and all(source is not None for source in sources):
            table = step.made(*(source for source in sources if source is not None))
            if table.shape == step.right.shape:
                yield Candidate(table, {"other": other})


def _of(step: Step, head: int, name: str) -> np.ndarray | None:
    """Return what a head has of a matrix: its own columns, where it is not there by itself; of a mask, which is one for
    all, the whole."""
    if name == MASK:
        return step.whole.get(MASK)
    own = head_name(head, name)
    if own in step.whole or name not in step.whole:
        return step.whole.get(own)
    heads = step.settings.heads
    n = heads.n_kv if name in ("k", "v") else heads.n
    width = step.whole[name].shape[1] // n
    first = head * n // heads.n * width
    return step.whole[name][:, first : first + width]
