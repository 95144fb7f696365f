"""Changes of given matrices to try, and the set-ups that they make."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.given import ONCE
from attnviz.core.limits import MAX_D, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.masks import ADDED, PAINTED
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario
from attnviz.core.stages import MASK, WEIGHTINGS
from attnviz.explanation.factors import computed_with, factor, of_x
from attnviz.predicting.choice_question import ChoiceQuestion, by_size
from attnviz.words import say
from attnviz.words.numbers import in_format

CHANGES = ("one_matrix", "equal", "times", "row", "dropout", "bits")
_CHOICES = ("same", "little", "much", "lost")


def has_one_matrix(scenario: Scenario) -> bool:
    """Whether one matrix M could replace W_q and W_k.

    It can't with several heads or layers, with biases or rotary positions, without a softmax, or if the temperature
    that makes up for another √d_k is beyond its limits.

    >>> has_one_matrix(Scenario()), has_one_matrix(Scenario(bias=True))
    (True, False)
    """
    single = scenario.n_heads == 1 and scenario.n_layers == 1 and not scenario.bias and _has_softmax(scenario)
    fits = MIN_TEMPERATURE <= _temperature_of_one(scenario) <= MAX_TEMPERATURE
    return single and not scenario.position.turns and fits and scenario.shape_of("w_v")[1] <= MAX_D


def _temperature_of_one(scenario: Scenario) -> float:
    """Return the temperature that gives M, with d_in columns, the same divisor."""
    return scenario.temperature * (math.sqrt(scenario.d_out / scenario.d_in) if scenario.scale else 1.0)


def one_matrix(scenario: Scenario) -> Scenario | None:
    """Return the scenario with one matrix M in place of W_q, W_k.

    W_q becomes M = W_q W_kᵀ and W_k the identity, which gives the same scores. Returns None if there's no such M.

    >>> made = one_matrix(Scenario(d_in=3, d_out=2))
    >>> made is not None and made.shape_of("w_q")
    (3, 3)
    """
    if not has_one_matrix(scenario):
        return None
    learned = [name for name in scenario.editable if name not in ONCE]
    given: dict[str, Any] = {
        name: scenario.matrix(name) for name in learned
    }  # after another W_q, they'd be drawn differently
    given |= {"w_q": _match(scenario).float(), "w_k": "identity"}
    edits = tuple(edit for edit in scenario.edits if edit.matrix not in learned)
    return replace(
        scenario, d_out=scenario.d_in, d_v=scenario.shape_of("w_v")[1], temperature=_temperature_of_one(scenario),
        edits=edits, what_if="", **given,
    )  # fmt: skip


def _match(scenario: Scenario) -> Tensor:
    return scenario.matrix("w_q").double() @ scenario.matrix("w_k").double().T


def rank_of_match(scenario: Scenario) -> int:
    """Return the rank of W_q W_kᵀ; slow for d_in of a thousand.

    >>> rank_of_match(Scenario(d_in=5, d_out=2))
    2
    """
    return int(torch.linalg.matrix_rank(_match(scenario)))


def can_be_equal(scenario: Scenario) -> bool:
    """Whether W_k could equal W_q, which makes scores symmetric.

    It can't with fewer heads of keys than of queries, with several layers, or if another sentence is read.
    """
    return scenario.kv_heads == scenario.n_heads and scenario.n_layers == 1 and not scenario.reads_others


def equal_projections(scenario: Scenario) -> Scenario | None:
    """Return the scenario with W_k = W_q and symmetric scores, or None.

    >>> made = equal_projections(Scenario())
    >>> made is not None and bool((made.matrix("w_q") == made.matrix("w_k")).all())
    True
    """
    if not can_be_equal(scenario):
        return None
    edits = tuple(edit for edit in scenario.edits if edit.matrix not in ("w_k", "b_k"))
    given: dict[str, Any] = {"w_k": scenario.matrix("w_q")}
    if scenario.bias:
        given["b_k"] = scenario.matrix("b_q")
    return replace(scenario, edits=edits, **given)


def equal_weights(trace: AttentionTrace) -> bool | None:
    """Return whether W_k = W_q makes attention weights symmetric; None for NaN.

    >>> from attnviz.core.scenario import traced
    >>> equal_weights(traced(Scenario())), equal_weights(traced(Scenario("a a")))
    (False, True)
    """
    other = {"w_k": trace.w_q} | ({} if trace.b_q is None else {"b_k": trace.b_q})
    weights = computed_with(trace, other).attention_weights
    return None if bool(weights.isnan().any()) else torch.allclose(weights, weights.mT, rtol=1e-4, atol=1e-6)


def can_add_to_row(scenario: Scenario) -> bool:
    """Whether a mask could add to scores, with a softmax after it."""
    return scenario.mask_use == ADDED and _has_softmax(scenario)


def row_plus(scenario: Scenario, row: int, c: float) -> Scenario | None:
    """Return the scenario whose mask adds c to a row, or None.

    >>> from attnviz.core.scenario import traced
    >>> moved = row_plus(Scenario("a b"), 0, 5.0)
    >>> moved and bool(torch.allclose(traced(moved).attention_weights, traced(Scenario("a b")).attention_weights))
    True
    """
    if not can_add_to_row(scenario):
        return None
    masked = scenario if MASK in scenario.editable else replace(scenario, masking=PAINTED)
    line = masked.matrix(MASK)[row].tolist()
    others = tuple(edit for edit in masked.edits if edit.matrix != MASK or edit.row != row)
    own = tuple(Edit(MASK, row, column, value + c) for column, value in enumerate(line))
    return replace(masked, edits=(*others, *own))


_GAP = 0.1  # shares that move by less move "a little"


def shares_moved(before: AttentionTrace, after: AttentionTrace) -> tuple[float, int]:
    """Return an attention weight's largest change (or NaN), and its query.

    >>> from attnviz.core.scenario import traced
    >>> shares_moved(*(traced(Scenario("a b", seed=seed)) for seed in (1, 1)))
    (0.0, 0)
    """
    moved = (before.attention_weights - after.attention_weights).abs().amax(-1)
    row = int(moved.nan_to_num(nan=math.inf).argmax())
    return float(moved[row]), row


def about_other(name: str) -> str:
    """Return the name of a change's prediction in links."""
    return f"other-{name.replace('_', '-')}"


def is_made(name: str, before: Scenario, after: Scenario) -> bool:
    """Whether this change turns the first set-up into the second.

    >>> from attnviz.explanation.factors import times
    >>> is_made("times", Scenario(), times(Scenario(), 2.0)), is_made("row", Scenario(), times(Scenario(), 2.0))
    (True, False)
    """
    match name:
        case "one_matrix":
            return after == one_matrix(before)
        case "equal":
            return after == equal_projections(before)
        case "bits":
            return after == before
    own = {"times": of_x(before), "row": ("masking",), "dropout": ("mask", "mask_use")}[name]
    edits = [tuple(edit for edit in each.edits if edit.matrix not in (*own, MASK)) for each in (before, after)]
    others = replace(before, edits=after.edits, **{each: getattr(after, each) for each in own})
    if before == after or edits[0] != edits[1] or others != after:
        return False
    if name == "times":
        return all(factor(before.matrix(each).double(), after.matrix(each).double()) is not None for each in own)
    return True


def of_other(name: str, gap: float) -> ChoiceQuestion:
    """Return the question of how far attention weights move, here by `gap`.

    >>> of_other("row", 0.004).right, of_other("times", 0.097).right, of_other("bits", math.nan).right
    ('same', 'much', 'lost')
    """
    moved = round(gap, 2)
    right = "lost" if math.isnan(gap) else "same" if not moved else "little" if moved < _GAP else "much"
    place, about = "what_if.replaced.predict", about_other(name)
    choices = by_size(about, _CHOICES)
    return ChoiceQuestion(
        about, say(f"{place}.act.{name}"), say(f"{place}.asks"),
        {each: say(f"{place}.choice.{each}", most=_GAP) for each in choices}, right,
        say(f"{place}.happened{'_lost' if right == 'lost' else ''}", gap=in_format(gap, ".2f")),
        {each: say(f"{place}.wrong.{each}") for each in choices if each != right}, (say(f"{place}.why.{name}"),),
    )  # fmt: skip


def _has_softmax(scenario: Scenario) -> bool:
    return WEIGHTINGS[scenario.weighting].exponential
