"""Slips between scores and attention weights, and other designs of attention."""

import math
from collections.abc import Iterator

import numpy as np

from attnviz.core.rules import FeatureMap, LayerNorm, Rotate, Share, Softmax, scaling_of
from attnviz.core.rules.rows import COLUMNS, ROWS, WHOLE
from attnviz.core.seeding import alibi_slopes
from attnviz.core.stages import MASK
from attnviz.features.check.marking.step import (
    ADD,
    PRODUCT,
    SCALE,
    SOFTMAX,
    Candidate,
    Candidates,
    Slip,
    Step,
    computed_by,
)
from attnviz.words.numbers import written


def _softmax(scores: np.ndarray, over: str = ROWS) -> np.ndarray:
    return computed_by(Softmax(axis=over), scores)


def _exponentials(step: Step) -> tuple[np.ndarray, np.ndarray]:
    scores = step.sources[0]
    return np.exp(scores), np.exp(scores - scores.max(axis=1, keepdims=True))


def _of_row(values: np.ndarray) -> np.ndarray:
    return values.sum(axis=1, keepdims=True)


def _divided_otherwise(step: Step) -> Candidates:
    """Yield scores divided by something other than √d_k."""
    rule, settings = scaling_of(step.rule), step.settings
    assert rule is not None
    scores = step.sources[0] / rule.temperature
    mask = step.sources[1] if len(step.sources) > 1 else 0.0
    for name, divisor, places in _divisors(step, settings.d_head if settings.scale else None):
        yield Candidate(scores / divisor + mask, places, named=name)


def _divisors(step: Step, d_k: int | None) -> Iterator[tuple[str, float, dict[str, object]]]:
    if d_k is None:
        root = math.sqrt(step.tables["q"].shape[1] if step.has("q") else step.settings.d_head or 1)
        yield "divided", root, {"root": written(root, 3)}
        return
    root = math.sqrt(d_k)
    yield "root_forgotten", 1.0, {"root": written(root, 3)}
    yield "d_k_for_root", float(d_k), {"d_k": d_k}
    yield "multiplied", 1 / root, {"root": written(root, 3)}
    if step.head is not None and step.settings.d_k:
        yield "root_of_all_heads", math.sqrt(step.settings.d_k), {"all": step.settings.d_k, "d_k": d_k}
    d_in = step.tables["x"].shape[1] if step.has("x") else d_k
    if d_in not in (d_k, step.settings.d_k):
        yield "root_d_in", math.sqrt(d_in), {"d_in": d_in}
        yield "d_in_for_root", float(d_in), {"d_in": d_in}


def _mask_forgotten(step: Step) -> Candidates:
    """Yield scaled scores without the mask."""
    scaling = scaling_of(step.rule)
    if len(step.sources) > 1 and scaling:
        yield step.sources[0] / scaling.divisor


def _mask_ignored(step: Step) -> Candidates:
    """Yield the softmax of unmasked scores, if scaled scores are printed."""
    unmasked = _unmasked(step)
    if unmasked is not None and "scaled_scores" in step.decimals:
        yield _softmax(unmasked)


def _mask_after(step: Step) -> Candidates:
    """Yield weights masked after softmax, or with zeros for −∞."""
    unmasked = _unmasked(step)
    if unmasked is not None:
        hidden = step.tables[MASK] == -np.inf
        yield np.where(hidden, 0.0, _softmax(unmasked))
        yield Candidate(np.where(hidden, 1 / unmasked.shape[1], step.right), named="mask_as_zero")
        yield Candidate(_softmax(np.where(hidden, 0.0, unmasked)), named="mask_as_zero")


def _unmasked(step: Step) -> np.ndarray | None:
    rule = step.stages["scaled_scores"].rule
    by = scaling_of(rule)
    return step.tables["scores"] / by.divisor if by and step.has("scores", MASK) else None


def _from_unscaled(step: Step) -> Candidates:
    """Yield the softmax of scores before they were divided."""
    if step.has("scores") and _root(step) > 1:
        scores = step.tables["scores"]
        yield _softmax(scores + step.tables[MASK] if step.has(MASK) else scores)


def _scaled_again(step: Step) -> Candidates:
    """Yield the softmax of scores divided twice."""
    if (root := _root(step)) > 1:
        yield Candidate(_softmax(step.sources[0] / root), {"root": written(root, 3)})


def _root(step: Step) -> float:
    """Return the divisor of printed scaled scores; 1 if there are none."""
    divided = step.settings.scale and "scaled_scores" in step.decimals
    return math.sqrt(step.settings.d_head or 1) if divided else 1.0


def _to_base_two(step: Step) -> Candidates:
    """Yield the softmax with powers of 2 in place of e."""
    yield _softmax(step.sources[0] * math.log(2))


def _dropped_out(step: Step) -> Candidates:
    """Yield weights with dropout: some are 0, all others larger."""
    if step.given is None:
        return
    kept = (step.given > 0) & (step.right > 0)
    dropped = (step.given == 0) & (step.right > 2 * step.half)
    if kept.sum() < 2 or not dropped.any():
        return
    factor = float((step.given[kept] * step.right[kept]).sum() / (step.right[kept] ** 2).sum())
    p = round(20 * (1 - 1 / factor)) / 20 if factor > 1 else 0.0  # people choose multiples of 0.05
    if 0 < p < 1:
        values = np.where(step.given == 0, 0.0, step.right / (1 - p))
        yield Candidate(values, {"p": written(p, 2)}, fitted=1)


def _largest_from_some(step: Step) -> Candidates:
    """Yield weights whose numerator or denominator alone subtracts the largest score."""
    plain, lowered = _exponentials(step)
    yield lowered / _of_row(plain)
    yield plain / _of_row(lowered)


# Other designs of attention; marking doesn't know whether the handout asks for one


def _turned_by_place(step: Step) -> Candidates:
    """Yield queries, keys or scores with rotary positions."""
    for rule in (Rotate(), Rotate(halves=True)):
        if step.stage.name == "scores" and step.sources[0].shape[1] % 2 == 0:
            yield step.computed(*(computed_by(rule, source) for source in step.sources))
        elif step.stage.name in ("q", "k") and step.right.shape[1] % 2 == 0:
            yield computed_by(rule, step.right)


def _less_by_distance(step: Step) -> Candidates:
    """Yield scores with linear biases (ALiBi), fitted or the paper's own."""
    if step.right.shape[0] != step.right.shape[1]:
        return
    places = np.arange(len(step.right))
    distance = np.abs(places[:, None] - places)
    head = slice(step.head, None if step.head is None else step.head + 1)
    slopes = alibi_slopes(step.settings.heads.n).tolist()[head]
    if step.given is not None:
        each = ((step.right - step.given) / distance)[distance > 0]
        each = each[np.isfinite(each)]
        slopes = [float(np.median(each))] if each.size else []
    for slope in slopes:
        if slope > 0:
            fitted = int(step.given is not None)
            yield Candidate(step.right - slope * distance, {"slope": written(slope, 3)}, fitted)


def _of_features(step: Step) -> Candidates:
    """Yield weights of linear attention: shares of feature products, without softmax."""
    if not step.has("q", "k"):
        return
    q, k = (computed_by(FeatureMap(), step.tables[name]) for name in ("q", "k"))
    products, mask = q @ k.T, step.tables[MASK] if step.has(MASK) else None
    yield computed_by(Share(), products, *([] if mask is None or mask.shape != products.shape else [mask]))


def _normed_first(step: Step) -> Candidates:
    """Yield results with layer norm before a projection or after a sum.

    The norm's gain is 1 and its offset 0.
    """
    if step.stage.name == "residual_1":
        yield Candidate(_normed(step.right), {"of": step.stage.symbol})
    elif step.stage.sources[0] in ("x", "residual_1") and step.sources[0].shape[1] > 1:
        yield Candidate(step.computed_with(0, _normed(step.sources[0])), {"of": step.symbol(step.stage.sources[0])})


def _normed(rows: np.ndarray) -> np.ndarray:
    return computed_by(LayerNorm(), rows, np.ones((1, rows.shape[1])), np.zeros((1, rows.shape[1])))


SLIPS = (
    Slip("divided_otherwise", SCALE, _divided_otherwise),
    Slip("mask_forgotten", SCALE, _mask_forgotten),
    Slip("mask_forgotten", SOFTMAX, _mask_ignored),
    Slip("mask_after", SOFTMAX, _mask_after),
    Slip("unscaled", SOFTMAX, _from_unscaled),
    Slip("scaled_again", SOFTMAX, _scaled_again),
    Slip("base_two", SOFTMAX, _to_base_two),
    Slip("dropped_out", SOFTMAX, _dropped_out),
    Slip("over_columns", SOFTMAX, lambda step: [_softmax(step.sources[0], COLUMNS)]),
    Slip("over_all", SOFTMAX, lambda step: [_softmax(step.sources[0], WHOLE)]),
    Slip("not_normalized", SOFTMAX, _exponentials),
    Slip("largest_from_some", SOFTMAX, _largest_from_some),
    Slip("shares_of_scores", SOFTMAX, lambda step: [step.sources[0] / _of_row(step.sources[0])]),
    Slip("turned_by_place", PRODUCT, _turned_by_place),
    Slip("less_by_distance", SCALE, _less_by_distance),
    Slip("of_features", SOFTMAX, _of_features),
    Slip("normed_first", PRODUCT + ADD, _normed_first),
)
