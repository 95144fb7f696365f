"""X multiplied by a number, and the factors of all later matrices."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.core.trace import run

# The matrices whose factors are stated, in the order of the computation; a layer may lack some.
COMPUTED = ("x_norm", "q", "k", "v", "scores", "attention_weights", "context", "output", "residual_1",
            "residual_1_norm", "feed_forward", "residual_2", "residual_2_norm")  # fmt: skip


def times(scenario: Scenario, c: float) -> Scenario:
    """Return the scenario with X, and any positions added, multiplied by c.

    >>> bool(torch.allclose(times(Scenario(), 2.0).inputs, 2 * Scenario().inputs))
    True
    """
    names = of_x(scenario)
    given: dict[str, Any] = {name: c * scenario.matrix(name) for name in names}
    edits = tuple(edit for edit in scenario.edits if edit.matrix not in names)
    return replace(scenario, edits=edits, **given)


def of_x(scenario: Scenario) -> tuple[str, ...]:
    """Return the names of the multiplied matrices: X, and added positions."""
    return (scenario.token_matrix, "p") if scenario.adds_positions else (scenario.token_matrix,)


def factors_of(scenario: Scenario, trace: AttentionTrace, c: float, layer: int = 0) -> dict[str, float | None]:
    """Return the factor of each matrix if X is multiplied by c.

    >>> from attnviz.core.scenario import traced
    >>> usual = Scenario("a b c")
    >>> found = factors_of(usual, traced(usual), 2.0)
    >>> {name: each and round(each, 3) for name, each in found.items()}
    {'q': 2.0, 'k': 2.0, 'v': 2.0, 'scores': 4.0, 'attention_weights': None, 'context': None}
    """
    names = [scenario.stage(name).name for name in of_x(scenario)]
    after = computed_with(trace, {name: c * trace.matrices[name] for name in names})
    return factors(trace, after, layer)


def factors(before: AttentionTrace, after: AttentionTrace, layer: int = 0) -> dict[str, float | None]:
    """Return each computed matrix's factor between two traces, or None."""
    pairs = ((name, before.layers[layer].get(name), after.layers[layer].get(name)) for name in COMPUTED)
    return {name: factor(a.double(), b.double()) for name, a, b in pairs if a is not None and b is not None}


def factor(a: Tensor, b: Tensor) -> float | None:
    """Return the factor that turns a into b, or None."""
    size = float(a.square().sum())
    if a.shape != b.shape or not math.isfinite(size) or size == 0:
        return None
    found = float((a * b).sum()) / size
    return found if torch.allclose(b, found * a, rtol=1e-4, atol=1e-4 * math.sqrt(size / a.numel())) else None


def computed_with(trace: AttentionTrace, given: dict[str, Tensor]) -> AttentionTrace:
    """Return the trace of the same table with some given matrices replaced."""
    old = {name: trace.matrices[name] for name, stage in trace.stages.items() if stage.rule is None}
    return AttentionTrace(trace.stages, run(trace.stages, old | given), trace.tokens, (), trace.chances)
