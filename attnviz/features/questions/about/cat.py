"""The example that most questions begin with, and matrices for others."""

import torch

from attnviz.core.scenario import Scenario

_BY_HAND = "example:fluffy-cat"  # vectors of nouns, adjectives and verbs, and W's made for them by hand
CAT = Scenario("fluffy cat chased mouse", d_in=3, d_out=2, x=_BY_HAND, w_q=_BY_HAND, w_k=_BY_HAND, w_v=_BY_HAND)


def rows(*numbers: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    """Return a matrix as a scenario takes it: rows of floats."""
    return tuple(tuple(map(float, row)) for row in numbers)


def eye(n_rows: int, n_columns: int, factor: float = 1.0) -> tuple[tuple[float, ...], ...]:
    """Return `factor` times the identity, as tuples for a scenario."""
    return tuple(map(tuple, (torch.eye(n_rows, n_columns) * factor).tolist()))
