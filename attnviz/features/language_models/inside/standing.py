"""Heads that stand in for others that are switched off."""

from collections.abc import Collection
from dataclasses import dataclass

from attnviz.features.language_models.inside.logit_attribution import Why


@dataclass(frozen=True)
class StoodIn:
    """The change of a word's score when heads are switched off.

    `score` and `score_off` are the word's score before and after, and `lost` is what these heads gave to it. `layer`
    and `head` name the head whose part grows most, from `before` to `after`; both are None if no head's part grows.
    `fed` is how much the parts of all feed-forward layers grow together.
    """

    score: float
    score_off: float
    lost: float
    layer: int | None
    head: int | None
    before: float
    after: float
    fed: float


def stood_in(before: Why, after: Why, off: Collection[tuple[int, int]]) -> StoodIn:
    """Return which head gives a word's score more since others are `off`.

    `before` and `after` explain the same word of the same text; `off` are ``(layer, head)``. Each score is a sum of
    parts, so that each head's gain can be read from it. That the last norm divides by another number changes the parts,
    too.

    Source: McGrath et al. 2023, The Hydra Effect: Emergent Self-repair in Language Model Computations, section 3.
    """
    given, gives = (
        {(part.layer, part.head): part.value for part in each.parts if part.kind == "head"} for each in (before, after)
    )
    gains = {place: gives[place] - given[place] for place in gives if place not in off}
    place = max(gains, key=gains.__getitem__, default=None)
    fed = sum(
        sign * part.value
        for each, sign in ((after, 1), (before, -1))
        for part in each.parts
        if part.kind == "feed_forward"
    )
    lost = sum(given[each] for each in off)
    if place is None or gains[place] <= 0:
        return StoodIn(before.logit, after.logit, lost, None, None, 0.0, 0.0, fed)
    return StoodIn(before.logit, after.logit, lost, *place, given[place], gives[place], fed)
