"""Other ways to compute attention, to compare with the usual one."""

import math
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace, execute
from attnviz.core.carry_over import edit_matrix
from attnviz.core.changes import Changes, changes_of, with_changes
from attnviz.core.scenario import Scenario, without_changes
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.core.stages import P_MEMORY, VECTORS

Axis = Literal["rows", "columns", "whole"]
PROJECTIONS = ("w_q", "w_k", "w_v")
_PLACES = ("p", P_MEMORY)


def softmax_over(scores: Tensor, axis: Axis) -> Tensor:
    """Return softmax of ``(n_tokens, n_tokens)`` over rows, columns, or everything.

    >>> softmax_over(torch.zeros(2, 2), "whole")
    tensor([[0.2500, 0.2500],
            [0.2500, 0.2500]])
    """
    if axis == "whole":
        return torch.softmax(scores.flatten(), 0).reshape(scores.shape)
    return torch.softmax(scores, -1 if axis == "rows" else -2)


def with_positions(scenario: Scenario) -> Scenario:
    """Return the scenario with sinusoidal positions added; token vectors keep edits.

    >>> without_positions(with_positions(Scenario(x="identity"))) == Scenario(x="identity")
    True
    """
    return with_changes(replace(without_changes(scenario), positions="sinusoidal"), changes_of(scenario))


def without_positions(scenario: Scenario) -> Scenario:
    """Return the scenario without positions, and without edits of them."""
    changes = changes_of(scenario)
    kept = Changes(
        tuple(edit for edit in changes.edits if edit.matrix not in _PLACES),
        tuple((name, by) for name, by in changes.replaced if name not in _PLACES),
    )
    return with_changes(replace(without_changes(scenario), positions="none"), kept)


def own_share(d: int, n_tokens: int = 6, trials: int = 2000, seed: int = 0) -> float:
    """Return how often tokens score themselves highest, for random X ``(n_tokens, d)``.

    >>> own_share(1, trials=100) < own_share(16, trials=100)
    True
    """
    x = torch.randn(trials, n_tokens, d, generator=generator_for(seed), **FLOAT32_ON_CPU)
    own = (x @ x.mT).argmax(-1) == torch.arange(n_tokens)
    return own.float().mean().item()


def unit_example(n_tokens: int, d_in: int, d_k: int, generator: torch.Generator, trials: int = 0) -> tuple[Tensor, ...]:
    """Draw X, W_q and W_k whose queries and keys have variance 1.

    X ``(n_tokens, d_in)`` has rows of length √d_in, and W_q and W_k ``(d_in, d_k)`` have entries of variance 1/d_in, so
    that each number of a query or a key has variance 1, whatever d_in is. If `trials` is given, so many are drawn.

    Source: Glorot and Bengio 2010 keep the variance from layer to layer in this way.
    """
    batch = (trials,) if trials else ()
    x = torch.randn(*batch, n_tokens, d_in, generator=generator, **FLOAT32_ON_CPU)
    x = x * (math.sqrt(d_in) / x.norm(dim=-1, keepdim=True))
    w_q, w_k = (torch.randn(*batch, d_in, d_k, generator=generator, **FLOAT32_ON_CPU) / math.sqrt(d_in) for _ in "qk")
    return x, w_q, w_k


class Measured(NamedTuple):
    """Means over many random examples: score size and largest attention weights.

    The size is the root mean square; scores are divided by √d_k, and by √d_in.
    """

    score_size: float
    largest_by_d_k: float
    largest_by_d_in: float


def measured_scores(d_in: int, d_k: int, n_tokens: int = 4, trials: int = 1000, seed: int = 0) -> Measured:
    """Measure many examples of :func:`unit_example`.

    >>> measured_scores(1, 4).score_size / 2 < 1.1 > measured_scores(16, 4).score_size / 2
    True
    """
    x, w_q, w_k = unit_example(n_tokens, d_in, d_k, generator_for(seed), trials)
    scores = (x @ w_q) @ (x @ w_k).mT
    by_d_k, by_d_in = (torch.softmax(scores / math.sqrt(d), -1).amax(-1).mean().item() for d in (d_k, d_in))
    return Measured(scores.square().mean().sqrt().item(), by_d_k, by_d_in)


def distance_outside(points: Tensor, corners: Tensor) -> Tensor:
    """Return how far points ``(n, 2)`` lie outside a triangle ``(3, 2)``.

    >>> triangle = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> distance_outside(torch.tensor([[0.5, 0.5], [-1.0, 1.0]]), triangle)
    tensor([0., 1.], dtype=torch.float64)
    """
    points, corners = points.double(), corners.double()
    sides = corners.roll(-1, 0) - corners  # (3, 2)
    from_corners = points[:, None] - corners  # (n, 3, 2)
    along = (from_corners * sides).sum(-1) / sides.square().sum(-1).clamp_min(torch.finfo(torch.float64).tiny)
    nearest = corners + along.clamp(0, 1)[..., None] * sides
    distance = (points[:, None] - nearest).norm(dim=-1).min(-1).values
    turns = sides[:, 0] * from_corners[..., 1] - sides[:, 1] * from_corners[..., 0]
    area = sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0]
    inside = ((turns * area.sign()) >= 0).all(-1) & (area != 0)
    return distance.where(~inside, 0.0)


def contexts_tell_weights(v: Tensor) -> bool:
    """Whether contexts determine attention weights.

    They do if no value ``(n_tokens, d_v)`` lies on a line or in a plane through the others.

    >>> contexts_tell_weights(torch.eye(3)), contexts_tell_weights(torch.tensor([[0.0], [1.0], [2.0]]))
    (True, False)
    """
    from_first = v[1:].double() - v[0].double()  # relative, so that the values' own size doesn't count
    return int(torch.linalg.matrix_rank(from_first, rtol=1e-9)) == len(v) - 1


def weights_from_contexts(trace: AttentionTrace) -> Tensor:
    """Solve A V = C in float64; A's rows sum to 1.

    If there are many solutions, this is the smallest.
    """
    ones = torch.ones(len(trace.v), 1, dtype=torch.float64, device=trace.v.device)
    mixed = torch.cat([trace.context.double(), ones], -1)
    values = torch.cat([trace.v.double(), ones], -1)
    return mixed @ torch.linalg.pinv(values)


def next_token_loss(trace: AttentionTrace) -> Tensor:
    """Return the mean squared error of contexts against next tokens' X.

    Contexts must be as wide as X; with a causal mask, no token sees the answer.
    """
    return (trace.context[:-1] - trace.x[1:]).square().mean()


def training_step(scenario: Scenario, rate: float) -> Scenario:
    """Return the scenario after one step of gradient descent.

    Only W_q, W_k and W_v move, against the gradient of :func:`next_token_loss`.

    Raises ``ValueError`` for values of another width than X, and for fewer than two tokens.
    """
    if scenario.shape_of("w_v")[1] != scenario.d_in or len(scenario.tokens) < 2:
        raise ValueError(
            f"w_v has shape {scenario.shape_of('w_v')} and there are {len(scenario.tokens)} tokens, "
            f"expected ({scenario.d_in}, {scenario.d_in}) and two tokens or more"
        )
    moving = [scenario.matrix(name).clone().requires_grad_() for name in PROJECTIONS]
    given = {
        name: scenario.matrix(name)[0] if name in VECTORS else scenario.matrix(name)
        for name, stage in scenario.layer.items()
        if stage.rule is None
    }
    with torch.enable_grad():
        trace = execute(scenario.layer, given | dict(zip(PROJECTIONS, moving, strict=True)))
        gradients = torch.autograd.grad(next_token_loss(trace), moving)
    for name, w, gradient in zip(PROJECTIONS, moving, gradients, strict=True):
        scenario = edit_matrix(scenario, name, w.detach() - rate * gradient)
    return scenario


def with_matrix(scenario: Scenario, name: str, values: Tensor | str) -> Scenario:
    """Return the scenario with a matrix given, and its edits removed."""
    edits = tuple(edit for edit in scenario.edits if edit.matrix != name)
    given: dict[str, Any] = {name: values if isinstance(values, str) else tuple(map(tuple, values.tolist()))}
    return replace(scenario, edits=edits, **given)
