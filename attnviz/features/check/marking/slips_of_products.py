"""Slips of products and heads: wrong factors, forgotten biases, columns cut differently."""

import math
from collections.abc import Iterator

import numpy as np

from attnviz.core.rules import Concatenate, Slice
from attnviz.core.stages import MASK, head_name
from attnviz.features.check.marking.step import ADD, ANY, PRODUCT, Candidate, Candidates, Slip, Step
from attnviz.words.numbers import written

_PROJECTED = ("w_q", "w_k", "w_v")
_CUT = {"q": ("q",), "k": ("k",), "v": ("v",), "scores": ("q", "k"), "context": ("v",)}


def _cut_otherwise(step: Step) -> Candidates:
    """Yield the results of cutting columns into heads in other ways."""
    of = _CUT.get(step.stage.name, ())
    if step.head is None or not of or not all(name in step.whole for name in of):
        return
    for cuts in zip(*(_cuts(step, name) for name in of), strict=True):
        if step.stage.name == "scores":
            yield cuts[0] @ cuts[1].T
        elif step.stage.name != "context":
            yield cuts[0]
        elif step.sources[0].shape[1] == cuts[0].shape[0]:
            yield step.sources[0] @ cuts[0]


def _cuts(step: Step, name: str) -> Iterator[np.ndarray]:
    """Yield a head's part of a matrix, cut in three wrong ways.

    A head gets consecutive numbers in place of columns, filled in row by row; or every n-th column, for n heads; or
    consecutive numbers, filled in column by column.
    """
    whole, heads = step.whole[name], step.settings.heads
    n = heads.n if name == "q" else heads.n_kv
    head = (step.head or 0) * n // heads.n
    rows, width = whole.shape[0], whole.shape[1] // n
    yield whole.reshape(n, rows, width)[head]
    yield whole[:, head::n]
    yield whole.reshape(n, width, rows)[head].T


def _joined_otherwise(step: Step) -> Candidates:
    """Yield the heads' results joined along another axis or in another order."""
    heads = np.stack(step.sources)  # (n_heads, n_tokens, width)
    n, rows, width = heads.shape
    yield heads.reshape(rows, n * width)
    yield heads.transpose(1, 2, 0).reshape(rows, n * width)
    if n > 1:
        yield Candidate(heads[::-1].transpose(1, 0, 2).reshape(rows, n * width), named="heads_reversed")


def _output_forgotten(step: Step) -> Candidates:
    """Yield the joined heads, not multiplied by W_o."""
    if step.sources[0].shape == step.right.shape:
        yield step.sources[0]
        if len(step.sources) > 2:
            yield step.sources[0] + step.sources[2]


def _one_head(step: Step) -> Candidates:
    """Yield the scores if all columns are taken for one head."""
    q, k = step.whole.get("q"), step.whole.get("k")
    if step.head is not None and q is not None and k is not None and q.shape[1] == k.shape[1]:
        yield q @ k.T


def _of_another_head(step: Step) -> Candidates:
    """Yield the same table of other heads."""
    for other in range(step.settings.heads.n if step.head is not None else 0):
        table: np.ndarray | None
        if step.stage.kind == Slice.name:
            table = _columns_of(step, other, step.stage.name)
        else:
            sources = [source for name in step.stage.sources if (source := _of(step, other, name)) is not None]
            table = step.computed(*sources) if len(sources) == len(step.stage.sources) else None
        if other != step.head and table is not None and table.shape == step.right.shape:
            yield Candidate(table, {"other": other})


def _of(step: Step, head: int, name: str) -> np.ndarray | None:
    """Return a head's part of a matrix; of a mask, the whole."""
    own = name if name == MASK else head_name(head, name)
    if own in step.whole or name not in step.whole:
        return step.whole.get(own)
    return _columns_of(step, head, name)


def _columns_of(step: Step, head: int, name: str) -> np.ndarray:
    """Return the columns of a matrix that a head has."""
    heads = step.settings.heads
    n = heads.n_kv if name in ("k", "v") else heads.n
    width = step.whole[name].shape[1] // n
    first = head * n // heads.n * width
    return step.whole[name][:, first : first + width]


def _w_transposed(step: Step) -> Candidates:
    """Yield the product with W transposed, as ``nn.Linear`` stores it."""
    if step.stage.name != "scores" and step.sources[0].shape[1] == step.sources[1].shape[1]:
        values = step.sources[0] @ step.sources[1].T + sum(step.sources[2:])
        yield Candidate(values, {"of": step.symbol(step.stage.sources[1])})


def _from_the_left(step: Step) -> Candidates:
    """Yield W X in place of X W."""
    if step.stage.name != "scores" and step.sources[1].shape[1] == step.sources[0].shape[0]:
        first, second = map(step.symbol, step.stage.sources[:2])
        yield Candidate(step.sources[1] @ step.sources[0], {"first": first, "second": second})


def _other_factor(step: Step) -> Candidates:
    """Yield the results with a wrong factor: another W, K for Q."""
    name, due = step.stage.name, step.stage.sources[:2]
    others: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "scores": (("q", "k", "v", "x"), ("q", "k", "v", "x")),
        "context": (("scores", "scaled_scores"), ("v", "k", "q", "x")),
        "preactivations": (("output", "context", "x"), _PROJECTED),
    }
    for n, names in enumerate(others.get(name, (("e",), _PROJECTED))):
        for other in names:
            yield from _taken(step, n, other, due[n])


def _other_summand(step: Step) -> Candidates:
    """Yield residual sums with a wrong summand, such as X without positions."""
    for n, other in ((0, "e"), (1, "context"), (1, "v")) if step.stage.name == "residual_1" else ():
        yield from _taken(step, n, other, step.stage.sources[n])


def _taken(step: Step, n: int, other: str, due: str) -> Candidates:
    """Yield the result with source n replaced by another, equally large table."""
    if other != due and step.has(other) and step.tables[other].shape == step.tables[due].shape:
        values = step.computed_with(n, step.tables[other])
        yield Candidate(values, {"taken": step.symbol(other), "due": step.symbol(due)})


def _scaled_early(step: Step) -> Candidates:
    """Yield scores divided or multiplied by √d_k a step too early."""
    root = math.sqrt(step.settings.d_head or step.sources[0].shape[1])
    if root > 1:
        yield Candidate(step.right / root, {"root": written(root, 3)}, named="divided_early")
        yield Candidate(step.right * root, {"root": written(root, 3)}, named="multiplied_early")


def _bias_forgotten(step: Step) -> Candidates:
    """Yield the product without its bias."""
    if len(step.sources) == 3:
        yield Candidate(step.right - step.sources[2], {"bias": step.symbol(step.stage.sources[2])})


def _summand_forgotten(step: Step) -> Candidates:
    """Yield each summand alone; in a residual sum, X is usually forgotten."""
    for kept, left in ((0, 1), (1, 0)):
        stays, missing = (step.symbol(step.stage.sources[n]) for n in (kept, left))
        if step.stage.sources[left] == "x":
            yield Candidate(step.sources[kept], {"of": stays}, named="residual_forgotten")
        else:
            yield Candidate(step.sources[kept], {"bias": missing})


def _residual_added(step: Step) -> Candidates:
    """Yield the result with X added, which belongs to a later step."""
    if step.has("x") and step.tables["x"].shape == step.right.shape:
        yield step.right + step.tables["x"]


def _not_transposed(step: Step) -> Candidates:
    """Yield Q K in place of Q Kᵀ."""
    if step.sources[0].shape[1] == step.sources[1].shape[0]:
        yield step.sources[0] @ step.sources[1]


def _weights_turned(step: Step) -> Candidates:
    """Yield the context if attention weights are read down their columns."""
    if step.sources[0].shape[0] == step.sources[0].shape[1]:
        yield step.computed(step.sources[0].T, step.sources[1])


SLIPS = (
    Slip("heads_cut", (*PRODUCT, Slice), _cut_otherwise),
    Slip("heads_joined", (Concatenate,), _joined_otherwise),
    Slip("one_head", PRODUCT, _one_head, ("scores",)),
    Slip("of_another_head", ANY, _of_another_head),
    Slip("output_forgotten", PRODUCT, _output_forgotten, ("output",)),
    Slip("not_transposed", PRODUCT, _not_transposed, ("scores",)),
    Slip("w_transposed", PRODUCT, _w_transposed),
    Slip("other_factor", PRODUCT, _other_factor),
    Slip("from_the_left", PRODUCT, _from_the_left),
    Slip("weights_turned", PRODUCT, _weights_turned, ("context",)),
    Slip("scaled_early", PRODUCT, _scaled_early, ("scores",)),
    Slip("bias_forgotten", PRODUCT, _bias_forgotten),
    Slip("bias_forgotten", ADD, _summand_forgotten),
    Slip("other_factor", ADD, _other_summand),
    Slip("residual_added", PRODUCT, _residual_added, ("context", "output")),
)
