"""Why a mask hides a cell, told by the mask alone: what holds of all that it hides is the reason."""

from typing import NamedTuple

import numpy as np

from attnviz.words import say


class Reason(NamedTuple):
    """Why a cell is hidden, by the key of its sentence; of a window, how many tokens it has."""

    key: str
    window: int = 0

    def told(self, query: str, key: str) -> str:
        """Say it of a query and a key that are called so."""
        return say(f"explanation.hidden.{self.key}", query=query, key=key, n=self.window)


def reason_of(hidden: np.ndarray, row: int, column: int, own_from: int | None = 0) -> Reason:
    """Return why a mask hides a cell; `hidden` is where it holds -∞, ``(n_queries, n_keys)``. The first query's own key
    is `own_from`, and those before it were kept; where it's None, keys are of another sentence, and neither before nor
    behind a query.

    >>> causal = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> reason_of(causal, 0, 2).key, reason_of(causal | np.eye(3, dtype=bool), 1, 1).key
    ('later', 'itself')
    >>> reason_of(np.ones((2, 2), dtype=bool), 0, 1).key, reason_of(causal, 0, 2, None).key
    ('nobody', 'painted')
    """
    if hidden[:, column].all():  # first: where it hides all of several columns, those are all later than some query
        return Reason("nobody")
    if own_from is None:
        return Reason("painted")
    distance = np.subtract.outer(np.arange(hidden.shape[0]) + own_from, np.arange(hidden.shape[1]))
    window = int(distance[row, column])
    if window < 0 and hidden[distance < 0].all():
        return Reason("later")
    if window == 0 and hidden[distance == 0].all():
        return Reason("itself")
    if window > 0:
        window = int(distance[hidden & (distance >= 0)].min())
        if (hidden == ((distance < 0) | (distance >= window))).all():
            return Reason("window", window)
    return Reason("painted")
