"""The cause of a wrong table in words."""

import math
from collections.abc import Sequence

import numpy as np

from attnviz.core.rules import Softmax
from attnviz.core.stages import Stage
from attnviz.core.tokens import visible
from attnviz.marking.causes.judging import Cause, causes_of
from attnviz.marking.causes.step import Row, made_by
from attnviz.marking.outcome import ENTERS, MarkedTable, Marking
from attnviz.tables.printed_table import as_printed
from attnviz.words import say

_FITS = 0.05  # attention weights that are so near are taken for those of another scale
_NEAR_A_POWER = 0.2  # decades


def cause_in_words(marking: Marking, table: MarkedTable, tokens: Sequence[str] = ()) -> str:
    """Say why a table is wrong, in one sentence; an empty text where nothing explains it for certain."""
    causes = causes_of(marking, table)
    title = table.stage.title
    if not causes:
        return _other_scale(marking, table) if table.count(*ENTERS) else ""
    first, *others = (_clause(table, cause, tokens) for cause in causes)
    if not others:
        return say("marking.cause.one", title=title, cause=first)
    return say("marking.cause.either", title=title, first=first, second=others[0])


def _clause(table: MarkedTable, cause: Cause, tokens: Sequence[str]) -> str:
    places = {
        key: _row(cause.stage, place.number, tokens) if isinstance(place, Row) else place
        for key, place in cause.places.items()
    }
    said = say(f"marking.slip.{cause.name}", **places)
    if cause.explained < table.count(*ENTERS):
        said = say("marking.cause.most", cause=said, n=cause.explained, all=table.count(*ENTERS))
    return said


def _row(stage: Stage, row: int, tokens: Sequence[str]) -> str:
    token = visible(tokens[row]).replace("␣", " ") if row < len(tokens) and stage.rows != "feature" else ""
    return say("marking.cause.of_token", token=token) if token else say("marking.cause.of_row", row=row)


@np.errstate(all="ignore")  # what overflows is no scale of note
def _other_scale(marking: Marking, table: MarkedTable) -> str:
    """Say that attention weights belong to scores of another scale, by about a power of ten: no slip, for it fits only
    roughly; else an empty text.
    """
    if table.stage.kind != "softmax" or marking.settings.masked is not None:
        return ""
    given, scores = table.given, marking.before[table.stage.sources[0]]
    if scores.shape[1] < 3 or not (given > 0).all() or not np.isfinite(scores).all():
        return ""
    factor = _factor(scores, np.log(given))
    decades = math.log10(factor) if factor > 0 else 0.0
    n = abs(round(decades))
    if not 1 <= n <= 3 or abs(abs(decades) - n) > _NEAR_A_POWER or _is_a_root(marking, decades):
        return ""
    if np.abs(made_by(Softmax(), scores * factor) - given).max() > _FITS:
        return ""
    row = ", ".join(as_printed(value, table.decimals) for value in table.followed[0][:6])
    power, part = say(f"marking.power.{n}"), say(f"marking.part_of.{n}")
    if decades < 0:
        means, size = say("marking.slip.too_large", power=power), say("marking.slip.size_part", part=part)
    else:
        means, size = say("marking.slip.too_small", power=power), say("marking.slip.size_power", power=power)
    return say("marking.slip.fitted", means=means, row=row, size=size)


def _factor(scores: np.ndarray, logarithms: np.ndarray) -> float:
    """Return the factor of the scores to which the logarithms of the weights belong."""
    across, up = (each - each.mean(1, keepdims=True) for each in (scores, logarithms))
    size = float((across**2).sum())
    return float((across * up).sum() / size) if size else 0.0


def _is_a_root(marking: Marking, decades: float) -> bool:
    """Whether a factor is as near to d_k or its root as to a power of ten: √64 is 8, and not about ten."""
    d_k = marking.settings.d_head or 1
    roots = (math.sqrt(d_k), d_k) if d_k > 1 else ()
    return any(abs(abs(decades) * math.log(10) - math.log(root)) < 0.2 for root in roots)
