"""Slips between scores and attention weights: the divisor, the mask, the softmax."""

import math

import numpy as np

from attnviz.core.rules import Bounded, Scale, Softmax
from attnviz.core.stages import MASK
from attnviz.marking.causes.step import Candidate, Candidates, Step


def divided_otherwise(step: Step) -> Candidates:
    """Divided by something else than √d_k."""
    rule, settings = step.rule, step.settings
    assert isinstance(rule, Scale)
    scores = step.sources[0] / rule.temperature
    mask = step.sources[1] if len(step.sources) > 1 else 0.0
    for name, divisor, places in _divisors(step, settings.d_head if settings.scale else None):
        yield Candidate(scores / divisor + mask, places, named=name)


def _divisors(step: Step, d_k: int | None) -> list[tuple[str, float, dict[str, object]]]:
    shown = step.tables["q"].shape[1] if step.has("q") else step.settings.d_head or 1
    if d_k is None:
        return [("divided", math.sqrt(shown), {"root": math.sqrt(shown)})]
    divisors: list[tuple[str, float, dict[str, object]]] = [
        ("root_forgotten", 1.0, {"root": math.sqrt(d_k)}),
        ("d_k_for_root", float(d_k), {"d_k": d_k}),
        ("multiplied", 1 / math.sqrt(d_k), {"root": math.sqrt(d_k)}),
    ]
    if step.head is not None and step.settings.d_k:
        divisors.append(("root_of_all_heads", math.sqrt(step.settings.d_k), {"all": step.settings.d_k, "d_k": d_k}))
    d_in = step.tables["x"].shape[1] if step.has("x") else d_k
    if d_in not in (d_k, step.settings.d_k):
        divisors.append(("root_d_in", math.sqrt(d_in), {"d_in": d_in}))
        divisors.append(("d_in_for_root", float(d_in), {"d_in": d_in}))
    return divisors


def mask_forgotten(step: Step) -> Candidates:
    """Scaled without the mask."""
    rule = step.rule
    assert isinstance(rule, Scale)
    if len(step.sources) > 1:
        yield Candidate(step.sources[0] / rule.divisor)


def _exponentials(step: Step) -> tuple[np.ndarray, np.ndarray]:
    scores = step.sources[0]
    with np.errstate(all="ignore"):
        return np.exp(scores), np.exp(scores - scores.max(axis=1, keepdims=True))


def mask_after(step: Step) -> Candidates:
    """The mask laid over the attention weights, or zeros in place of −∞."""
    unmasked = _unmasked(step)
    if unmasked is not None:
        hidden = step.tables[MASK] == -np.inf
        yield Candidate(np.where(hidden, 0.0, _softmax(unmasked)))
        yield Candidate(np.where(hidden, 1 / unmasked.shape[1], step.right), named="mask_as_zero")
        zeros = np.where(hidden, 0.0, unmasked)
        yield Candidate(_softmax(zeros), named="mask_as_zero")


def mask_ignored(step: Step) -> Candidates:
    """The softmax of scores without the mask."""
    unmasked = _unmasked(step)
    if unmasked is not None and "scaled_scores" in step.decimals:
        yield Candidate(_softmax(unmasked), named="mask_forgotten")


def _unmasked(step: Step) -> np.ndarray | None:
    rule = step.stages["scaled_scores"].rule
    if isinstance(rule, Scale) and step.has("scores", MASK):
        return step.tables["scores"] / rule.divisor
    return None


def _softmax(scores: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return Softmax().bounded(Bounded.exactly(scores)).value


def over_columns(step: Step) -> Candidates:
    """The softmax down each column."""
    yield Candidate(_softmax(step.sources[0].T).T)


def over_all(step: Step) -> Candidates:
    """The softmax over the whole table."""
    exponentials = np.exp(step.sources[0] - np.max(step.sources[0]))
    yield Candidate(exponentials / exponentials.sum())


def not_normalized(step: Step) -> Candidates:
    """Exponentials that are not divided by their sum."""
    plain, lowered = _exponentials(step)
    yield Candidate(plain)
    yield Candidate(lowered)


def largest_from_some(step: Step) -> Candidates:
    """The largest score subtracted above or below the fraction line only."""
    plain, lowered = _exponentials(step)
    with np.errstate(all="ignore"):
        yield Candidate(lowered / plain.sum(axis=1, keepdims=True))
        yield Candidate(plain / lowered.sum(axis=1, keepdims=True))


def shares_of_scores(step: Step) -> Candidates:
    """Scores over their sum, without exponentials."""
    with np.errstate(all="ignore"):
        yield Candidate(step.sources[0] / step.sources[0].sum(axis=1, keepdims=True))


def from_unscaled(step: Step) -> Candidates:
    """The softmax of scores before they were divided."""
    if (
        "scaled_scores" in step.decimals
        and step.has("scores")
        and step.settings.scale
        and (step.settings.d_head or 1) > 1
    ):
        scores = step.tables["scores"]
        yield Candidate(_softmax(scores + step.tables[MASK] if step.has(MASK) else scores))


def scaled_again(step: Step) -> Candidates:
    """The softmax of scores divided twice."""
    d_k = step.settings.d_head or 1
    if "scaled_scores" in step.decimals and step.settings.scale and d_k > 1:
        yield Candidate(_softmax(step.sources[0] / math.sqrt(d_k)), {"root": math.sqrt(d_k)})
