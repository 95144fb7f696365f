"""Numbers that are no slip but another design of attention, which the marking doesn't know a handout to ask for."""

import numpy as np

from attnviz.core.rules import Bounded, FeatureMap, LayerNorm, Rotate, Rule
from attnviz.core.seeding import alibi_slopes
from attnviz.core.stages import MASK
from attnviz.marking.causes.step import Candidate, Candidates, Step


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
