"""Running a table of attention, and finding its undefined rows."""

import math
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from attnviz.core.attention.trace import AttentionTrace
from attnviz.core.rules.rows import COLUMNS
from attnviz.core.stages import Table
from attnviz.core.trace import run
from attnviz.words import Later


class UndefinedAttentionError(ValueError):
    """An error: some row or column has no defined attention weights.

    None of its scores is finite, or after the softmax all its weights are hidden or too small for the precision.
    `trace` is the computation as far as it goes (the attention weights of such rows are NaN), `rows` are the indices of
    the rows or columns.
    """

    def __init__(self, trace: AttentionTrace, rows: tuple[int, ...], lost: bool = False, line: str = "row") -> None:
        self.trace = trace
        self.rows = rows
        tokens = trace.tokens
        named = ", ".join(f"{row} ({tokens[row]!r})" if row < len(tokens) else str(row) for row in rows[:3])
        more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        if lost:
            hidden = bool(trace.is_hidden[list(rows)].all(-1).any())
            dtype = str(trace.layers[0].context.dtype).removeprefix("torch.")
            needed = "isn't hidden" if hidden else f"isn't too small for {dtype}"
            message = (
                f"attention_weights has nothing left in row {named}{more}, expected at least one key that {needed}"
            )
        else:
            message = (
                f"scaled_scores has no finite value in {line} {named}{more}, "
                f"expected at least one finite score in each {line} for its softmax to exist"
            )
        super().__init__(message)


def execute(
    stages: Table,
    given: Mapping[str, Tensor],
    tokens: Iterable[str] = (),
    notices: Iterable[Later | str] = (),
    chances: Iterable[str] = (),
) -> AttentionTrace:
    """Run a table that computes attention, and keep every intermediate.

    Raises :class:`UndefinedAttentionError` (a ``ValueError``) for a row without a finite score.

    >>> from attnviz.core.stages import attention_table
    >>> eye = torch.eye(2)
    >>> table = attention_table(2, biases=(), scale=False)
    >>> execute(table, {"x": eye, "w_q": eye, "w_k": eye, "w_v": eye}).context
    tensor([[0.7311, 0.2689],
            [0.2689, 0.7311]])
    """
    return with_defined_rows(AttentionTrace(stages, run(stages, given), tokens, notices, chances))


def with_defined_rows(trace: AttentionTrace) -> AttentionTrace:
    """Return the trace, or raise :class:`UndefinedAttentionError` for an undefined row."""
    made = trace.matrices
    for layer in (trace,) if "context" in made else trace.layers:
        # A cheap test: a sum is NaN if any entry is. Infinities of both signs make it NaN, too, so look closer then.
        if math.isnan(layer.matrices["context"].sum().item()):
            if layer.shared_over == COLUMNS:
                _check_columns(trace, layer)
                return trace
            empty = ~torch.isfinite(layer.scaled_scores).any(-1)
            lost = lost_rows(layer)
            for bad in (empty, lost):
                if bad.any():  # a row that is undefined in several heads counts once
                    rows = tuple(sorted(set(bad.nonzero()[:, -1].tolist())))
                    raise UndefinedAttentionError(trace, rows, lost=bad is lost)
    return trace


def lost_rows(layer: AttentionTrace) -> Tensor:
    """Return the rows ``(..., n_tokens)`` with finite scores but undefined weights."""
    return layer.attention_weights.isnan().all(-1) & torch.isfinite(layer.scaled_scores).all(-1)


def _check_columns(trace: AttentionTrace, layer: AttentionTrace) -> None:
    """Raise :class:`UndefinedAttentionError` for a column without a finite score."""
    empty = ~torch.isfinite(layer.scaled_scores).any(-2)
    if empty.any():
        raise UndefinedAttentionError(trace, tuple(sorted(set(empty.nonzero()[:, -1].tolist()))), line="column")
