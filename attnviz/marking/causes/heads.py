"""Slips of several heads: cut or put together along the wrong axis, and W_o forgotten."""

from collections.abc import Iterator

import numpy as np

from attnviz.core.stages import MASK, head_name
from attnviz.marking.causes.step import Candidate, Candidates, Step


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
