"""What if one matrix stood in the place of others: changes of given matrices that need no other arithmetic."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import OF_TOKENS
from attnviz.core.limits import MAX_D, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.mask_uses import ADDED, ZEROED
from attnviz.core.masks import PAINTED
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import generator_for
from attnviz.core.stages import MASK

COMPUTED = ("q", "k", "v", "scores", "attention_weights", "context")


def one_matrix(scenario: Scenario) -> Scenario | None:
    """Return the scenario with M = W_q W_kᵀ in place of W_q and the identity in place of W_k, which makes the same
    scores; None where there's no such M: with several heads or layers, biases, or rotary positions.

    >>> made = one_matrix(Scenario(d_in=3, d_out=2))
    >>> made is not None and made.shape_of("w_q")
    (3, 3)
    """
    single = scenario.n_heads == 1 and scenario.n_layers == 1 and not scenario.bias and _has_softmax(scenario)
    d_in, d_k = scenario.d_in, scenario.d_out
    temperature = scenario.temperature * (math.sqrt(d_k / d_in) if scenario.scale else 1.0)  # the same divisor
    if not single or scenario.positions == "rotary" or not MIN_TEMPERATURE <= temperature <= MAX_TEMPERATURE:
        return None
    learned = [name for name in scenario.editable if name not in OF_TOKENS]
    given: dict[str, Any] = {name: _rows(scenario.matrix(name)) for name in learned}  # else drawn after another W_q
    m = scenario.matrix("w_q").double() @ scenario.matrix("w_k").double().T
    given |= {"w_q": _rows(m), "w_k": "identity"}
    edits = tuple(edit for edit in scenario.edits if edit.matrix not in learned)
    d_v = scenario.shape_of("w_v")[1]
    if d_v > MAX_D:
        return None
    return replace(scenario, d_out=d_in, d_v=d_v, temperature=temperature, edits=edits, what_if="", **given)


def rank_of_match(scenario: Scenario) -> int:
    """Return the rank of W_q W_kᵀ.

    >>> rank_of_match(Scenario(d_in=5, d_out=2))
    2
    """
    m = scenario.matrix("w_q").double() @ scenario.matrix("w_k").double().T
    return int(torch.linalg.matrix_rank(m))


def equal_projections(scenario: Scenario) -> Scenario | None:
    """Return the scenario with W_q's numbers in W_k, which makes scores symmetric; None where W_k is narrower.

    >>> made = equal_projections(Scenario())
    >>> made is not None and bool((made.matrix("w_q") == made.matrix("w_k")).all())
    True
    """
    if scenario.kv_heads != scenario.n_heads or scenario.n_layers != 1:
        return None
    edits = tuple(edit for edit in scenario.edits if edit.matrix not in ("w_k", "b_k"))
    given: dict[str, Any] = {"w_k": _rows(scenario.matrix("w_q"))}
    if scenario.bias:
        given["b_k"] = _rows(scenario.matrix("b_q"))
    return replace(scenario, edits=edits, **given)


def times(scenario: Scenario, c: float) -> Scenario:
    """Return the scenario with X multiplied by c: the vectors of tokens, and those of places where these are added.

    >>> bool(torch.allclose(times(Scenario(), 2.0).inputs, 2 * Scenario().inputs))
    True
    """
    names = (scenario.token_matrix, "p") if scenario.adds_positions else (scenario.token_matrix,)
    given: dict[str, Any] = {name: _rows(c * scenario.matrix(name)) for name in names}
    edits = tuple(edit for edit in scenario.edits if edit.matrix not in names)
    return replace(scenario, edits=edits, **given)


def factors(before: AttentionTrace, after: AttentionTrace) -> dict[str, float | None]:
    """Return what each computed matrix was multiplied by; None where it's no one number.

    >>> from attnviz.core.scenario import traced
    >>> usual = Scenario("a b c")
    >>> {name: each and round(each, 3) for name, each in factors(traced(usual), traced(times(usual, 2.0))).items()}
    {'q': 2.0, 'k': 2.0, 'v': 2.0, 'scores': 4.0, 'attention_weights': None, 'context': None}
    """
    pairs = {name: (before.layers[0][name], after.layers[0][name]) for name in COMPUTED}
    return {name: _factor(a.double(), b.double()) for name, (a, b) in pairs.items()}


def _factor(a: Tensor, b: Tensor) -> float | None:
    size = float(a.square().sum())
    if a.shape != b.shape or not math.isfinite(size) or size == 0:
        return None
    factor = float((a * b).sum()) / size
    return factor if torch.allclose(b, factor * a, rtol=1e-4, atol=1e-4 * math.sqrt(size / a.numel())) else None


def row_plus(scenario: Scenario, row: int, c: float) -> Scenario | None:
    """Return the scenario with a number added to all scores of one query, by its mask; None where that isn't added.

    >>> from attnviz.core.scenario import traced
    >>> moved = row_plus(Scenario("a b"), 0, 5.0)
    >>> moved and bool(torch.allclose(traced(moved).attention_weights, traced(Scenario("a b")).attention_weights))
    True
    """
    if scenario.mask_use != ADDED or not _has_softmax(scenario):
        return None
    masked = scenario if MASK in scenario.editable else replace(scenario, masking=PAINTED)
    line = masked.matrix(MASK)[row].tolist()
    others = tuple(edit for edit in masked.edits if edit.matrix != MASK or edit.row != row)
    own = tuple(Edit(MASK, row, column, value + c) for column, value in enumerate(line))
    return replace(masked, edits=(*others, *own))


def dropout(scenario: Scenario, p: float, seed: int) -> Scenario | None:
    """Return the scenario with dropout on its attention weights: each is 0 with probability p, the others are divided
    by 1 − p, as one mask laid over them; None where there's a mask already, or several heads or layers.

    Source: Srivastava et al. 2014, Dropout; torch.nn.Dropout divides while it trains.

    >>> from attnviz.core.scenario import traced
    >>> made = dropout(Scenario("a b", w_q="zeros"), 0.5, 7)
    >>> made and traced(made).attention_weights.unique().tolist()
    [0.0, 1.0]
    """
    alone = scenario.n_heads == 1 and scenario.n_layers == 1 and _has_softmax(scenario)
    if MASK in scenario.editable or not alone:
        return None
    n = len(scenario.tokens)
    kept = torch.rand(n, n, generator=generator_for(seed)) >= p
    mask = torch.where(kept, -math.log1p(-p), -math.inf)
    return replace(scenario, mask=_rows(mask), mask_use=ZEROED)


def _has_softmax(scenario: Scenario) -> bool:
    return scenario.weighting == "softmax"


def _rows(matrix: Tensor) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.float().tolist()))
