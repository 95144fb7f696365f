"""What makes an exercise a good one, a fair one, and as hard as another."""

from collections.abc import Sequence

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.exercises.mistakes import are_apart, mistakes

# Scores further apart than this would leave a softmax of ones and zeros, with nothing to reckon.
_WIDEST = 4.0
_FLAT = 0.05  # between the largest and the least attention weight of a row


def marks_of(trace: AttentionTrace) -> tuple[bool, ...]:
    """Return which marks of a good exercise a computation has: something to reckon in every row and column."""
    apart = trace.scaled_scores.max(-1).values - trace.scaled_scores.min(-1).values
    projections = [trace.w_q, trace.w_k, trace.w_v]
    return (
        bool((trace.x != 0).any(-1).all()),
        all(bool((w != 0).any(0).all() and (w != 0).any(1).all()) for w in projections),
        float(apart.max()) <= _WIDEST,
        float(apart.max()) > 0,
    )


def are_inputs_apart(x: torch.Tensor, *ws: torch.Tensor) -> bool:
    """Whether rows of X differ, the W's do, and none is the same turned over; nowhere is a row or column of zeros."""
    rows = [tuple(row) for row in x.tolist()]
    tables = [tuple(map(tuple, w.tolist())) for w in ws]
    turned = [tuple(zip(*table, strict=True)) for table in tables]
    return (
        len(set(rows)) == len(rows)
        and len(set(tables)) == len(tables)
        and all(map(any, rows))
        and all(all(map(any, table)) for table in (*tables, *turned))
        and all(table != over for table, over in zip(tables, turned, strict=True))
    )


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
