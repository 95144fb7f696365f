"""Slips between scores and attention weights, and other designs that would give such numbers."""

import math

import numpy as np

from attnviz.core.rules import Bounded, FeatureMap, LayerNorm, Rotate, Rule, Scale, Softmax
from attnviz.core.seeding import alibi_slopes
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


def _made(rule: Rule, *sources: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return rule.bounded(*map(Bounded.exactly, sources)).value


def turned_by_place(step: Step) -> Candidates:
    """Rotary positions: queries and keys turned by their places, or the scores of such."""
    if step.stage.name not in ("q", "k", "scores"):
        return
    for rule in (Rotate(), Rotate(halves=True)):
        if step.stage.name == "scores" and step.sources[0].shape[1] % 2 == 0:
            yield Candidate(step.made(*(_made(rule, source) for source in step.sources)))
        elif step.stage.name != "scores" and step.right.shape[1] % 2 == 0:
            yield Candidate(_made(rule, step.right))


def less_by_distance(step: Step) -> Candidates:
    """Linear biases (ALiBi): a multiple of the distance of two tokens taken off their score; the multiple that fits, or
    those of the paper where the table isn't printed."""
    if step.right.shape[0] != step.right.shape[1]:
        return
    places = np.arange(len(step.right))
    distance = np.abs(places[:, None] - places)
    if step.given is not None:
        slope = _slope(step.given, step.right, distance)
        if slope > 0:
            yield Candidate(step.right - slope * distance, {"slope": slope}, fitted=1)
        return
    heads = step.settings.heads.n
    for slope in alibi_slopes(heads).tolist()[slice(step.head, None if step.head is None else step.head + 1)]:
        yield Candidate(step.right - slope * distance, {"slope": slope})


def _slope(given: np.ndarray, right: np.ndarray, distance: np.ndarray) -> float:
    """Return what each step of the distance takes off, as most cells have it; 0 where none tells."""
    with np.errstate(all="ignore"):
        each = ((right - given) / distance)[distance > 0]
    each = each[np.isfinite(each)]
    return float(np.median(each)) if each.size else 0.0


def of_features(step: Step) -> Candidates:
    """Linear attention: shares of the products of features, with no softmax."""
    if not step.has("q", "k"):
        return
    q, k = (_made(FeatureMap(), step.tables[name]) for name in ("q", "k"))
    if q.shape[1] != k.shape[1]:
        return
    products = q @ k.T
    if step.has(MASK) and products.shape == step.tables[MASK].shape:
        products = products * np.exp(step.tables[MASK])
    with np.errstate(all="ignore"):
        yield Candidate(products / products.sum(axis=1, keepdims=True))


def normed_first(step: Step) -> Candidates:
    """A layer norm with gain 1 and offset 0 before a projection, as in a block with norms before its steps, or after a
    sum."""
    if step.stage.kind == "add" and step.stage.name == "residual_1":
        yield Candidate(_normed(step.right), {"of": step.stage.symbol})
    elif step.stage.sources[0] in ("x", "residual_1") and step.sources[0].shape[1] > 1:
        first, *others = step.sources
        yield Candidate(step.made(_normed(first), *others), {"of": step.symbol(step.stage.sources[0])})


def _normed(rows: np.ndarray) -> np.ndarray:
    return _made(LayerNorm(), rows, np.ones((1, rows.shape[1])), np.zeros((1, rows.shape[1])))
