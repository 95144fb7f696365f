"""What makes an exercise a good one, a fair one, and as hard as another."""

from collections.abc import Sequence

import numpy as np
import torch

from attnviz.core.attention import AttentionTrace
from attnviz.exercises.mistakes import are_apart, mistakes

# Scores further apart than this would leave a softmax of ones and zeros, with nothing to reckon.
_WIDEST = 4.0
_FLAT = 0.05  # between the largest and the least attention weight of a row


def marks_of(trace: AttentionTrace) -> tuple[bool, ...]:
    """Return which marks of a good exercise a computation has: something to reckon in every row and column."""
    scaled = trace.scaled_scores.numpy()
    apart = float((scaled.max(-1) - scaled.min(-1)).max())
    projections = [each.numpy() for each in (trace.w_q, trace.w_k, trace.w_v)]
    return (
        bool(trace.x.numpy().any(-1).all()),
        all(bool(w.any(0).all() and w.any(1).all()) for w in projections),
        apart <= _WIDEST,
        apart > 0,
    )


def are_inputs_apart(x: np.ndarray, *ws: np.ndarray) -> np.ndarray:
    """Return of which drawings ``(drawings, rows, columns)`` the rows of X differ, the W's do, and none is the same
    turned over; nowhere is a row or column of zeros."""
    rows = (x[:, :, None] == x[:, None]).all(-1).sum((1, 2)) == x.shape[1]  # each is the same as itself alone
    found: np.ndarray = rows & x.any(-1).all(-1)
    for n, w in enumerate(ws):
        found &= w.any(1).all(-1) & w.any(2).all(-1)
        if w.shape[1] == w.shape[2]:
            found &= (w != w.swapaxes(1, 2)).any((1, 2))
        for other in ws[:n]:
            found &= (w != other).any((1, 2))
    return found


def is_fair(trace: AttentionTrace, results: Sequence[str], decimals: int) -> bool:
    """Whether scores aren't symmetric, no row of weights is flat, and no two rules that are mistaken for the right one
    give the same table, nor any the right one."""
    most, least = trace.attention_weights.max(-1).values, trace.attention_weights.min(-1).values
    if torch.equal(trace.scores, trace.scores.T) or bool((most - least < _FLAT).any()):
        return False
    tables = ((name, getattr(trace, name).numpy().round(decimals) + 0.0) for name in results)
    return all(are_apart(right, mistakes(trace, name, decimals)) for name, right in tables)


def work_of(trace: AttentionTrace) -> float:
    """Return how hard an exercise is to reckon: which share of the products in Q, K, V and S has no factor of 0.

    The softmax and the context are as much work in every exercise of a size.
    """
    pairs = [(trace.x, trace.w_q), (trace.x, trace.w_k), (trace.x, trace.w_v), (trace.q, trace.k.T)]
    made = sum(float(((a != 0).double() @ (b != 0).double()).sum()) for a, b in pairs)
    return made / sum(a.shape[0] * a.shape[1] * b.shape[1] for a, b in pairs)
