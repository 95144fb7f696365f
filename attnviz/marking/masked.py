"""Cells that a causal mask hides, however they are printed: as −∞, as a large negative number, as x, or left blank."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from attnviz.core.rules import later
from attnviz.marking.heads import base_of
from attnviz.tables.printed_table import Printed

_AS_ENDLESS = -9_999.0  # so far below, people print −∞: −10000, −1e9
_SCORES, _WEIGHTS = ("scores", "scaled_scores"), "attention_weights"


def looks_masked(printed: Mapping[str, Printed]) -> bool:
    """Whether scores or attention weights are printed as a causal mask leaves them: nothing where a key comes later,
    and numbers everywhere else.

    >>> looks_masked({"scores": Printed.of([[1.0, -1e9], [2.0, 3.0]])}), looks_masked({"scores": Printed.of([[1, 2]])})
    (True, False)
    """
    return any(
        _looks_masked(base_of(name), table.array)
        for name, table in printed.items()
        if base_of(name) in (*_SCORES, _WEIGHTS)
    )


def may_be_masked(printed: Mapping[str, Printed]) -> bool:
    """Whether attention weights are 0 wherever a key comes later, and not everywhere else."""
    every = [table.array for name, table in printed.items() if base_of(name) == _WEIGHTS]
    return bool(every) and all(_may_hide(weights) and _has_zeros_behind(weights) for weights in every)


def hidden_causally(n_queries: int, n_keys: int) -> np.ndarray:
    """Return which keys a causal mask hides: those that come later. Of more keys than queries, the first were kept from
    the sentence before.

    >>> hidden_causally(2, 3).tolist()
    [[False, False, True], [False, False, False]]
    """
    return later(n_queries, n_keys, n_kept=max(0, n_keys - n_queries)).numpy()


def _has_zeros_behind(weights: np.ndarray) -> bool:
    behind = hidden_causally(*weights.shape)
    return bool((weights[behind] == 0).all() and (weights[~behind] != 0).all())


def without_masked(printed: Mapping[str, Printed]) -> dict[str, Printed]:
    """Return the tables with what a causal mask hides written one way: −∞ in scaled scores, nothing in the others."""
    return {name: _written(base_of(name), table) for name, table in printed.items()}


def _may_hide(array: np.ndarray) -> bool:
    """Whether it has as many keys as queries, or more, and some of them may come later."""
    return array.shape[1] >= array.shape[0] > 1


def _stands_for_masked(name: str, array: np.ndarray) -> np.ndarray:
    return (array == -np.inf) if name == _WEIGHTS else (array <= _AS_ENDLESS)


def _looks_masked(name: str, array: np.ndarray) -> bool:
    if not _may_hide(array):
        return False
    behind, endless = hidden_causally(*array.shape), _stands_for_masked(name, array)
    nothing = endless | np.isnan(array)
    return bool(nothing[behind].all() and not nothing[~behind].any())


def _written(name: str, table: Printed) -> Printed:
    array = table.array
    if name not in (*_SCORES, _WEIGHTS) or not _may_hide(array):
        return table
    endless = _stands_for_masked(name, array) & hidden_causally(*array.shape)
    if not endless.any():
        return table
    written = np.where(endless, -np.inf if name == "scaled_scores" else np.nan, array)
    return replace(table, rows=tuple(map(tuple, written.tolist())))
