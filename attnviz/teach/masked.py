"""A mask in the four ways that people write it, and what each leaves of what it hides."""

from dataclasses import replace

from torch import Tensor, full, tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced

SHAPES = ("triangle", "window", "blocks", "nothing")
_LARGE, _WINDOW, _BLOCKS = -1e9, 2, 2


def shaped(shape: str, rows: int, columns: int) -> Tensor:
    """Return which cells a shape hides.

    >>> shaped("triangle", 2, 2).tolist()
    [[False, True], [False, False]]
    """
    row, column = tensor(range(rows))[:, None], tensor(range(columns))[None, :]
    size = max(1, -(-columns // _BLOCKS))
    hides = {
        "triangle": column > row,
        "window": (column > row) | (column <= row - _WINDOW),
        "blocks": column // size != row // size,
    }
    return hides[shape] if shape in hides else full((rows, columns), False)


def painted(scenario: Scenario, hidden: Tensor, with_: float = -float("inf")) -> Scenario:
    """Return the scenario whose mask hides just these cells, by a number that is added to their scores."""
    rows = tuple(tuple(with_ if cell else 0.0 for cell in row) for row in hidden.tolist())
    return replace(scenario, causal=False, masking="painted", mask_use="added", mask=rows)


def in_each_way(scenario: Scenario, hidden: Tensor) -> dict[str, AttentionTrace]:
    """Return the computation with these cells hidden, in each of the four ways."""
    usual = painted(scenario, hidden)
    return {
        "infinite": traced(usual), "large": traced(painted(scenario, hidden, _LARGE)),
        "zeroed": traced(replace(usual, mask_use="zeroed")), "factor": traced(replace(usual, mask_use="factor")),
    }  # fmt: skip


def leaked(weights: Tensor, hidden: Tensor) -> float:
    """Return the share of all attention that hidden cells still get.

    >>> leaked(tensor([[0.75, 0.25], [0.5, 0.5]]), tensor([[False, True], [False, False]]))
    0.125
    """
    return float(weights[hidden].sum() / weights.sum())
