"""The cause of a wrong table in words."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.core.rules import Bounded, Softmax
from attnviz.core.stages import EVERY_STAGE, Stage
from attnviz.core.tokens import visible
from attnviz.marking.causes.judging import Cause, causes_of
from attnviz.marking.outcome import ENTERS, MarkedTable, Marking
from attnviz.marking.settings import path_of
from attnviz.tables.printed_table import as_printed
from attnviz.words import say
from attnviz.words.numbers import written

FITS = 0.05  # attention weights that are so near are taken for those of another scale
NEAR_A_POWER = 0.2  # decades
_POWERS = (1, 2, 3)


@np.errstate(all="ignore")  # what overflows is no scale of note
def other_scale(marking: Marking, table: MarkedTable) -> str:
    """Say that the scores are about a power of ten too large or too small for their weights; else an empty text."""
    if table.stage.kind != "softmax" or marking.settings.causal:
        return ""
    given, scores = table.given, marking.before[table.stage.sources[0]]
    if scores.shape[1] < 3 or np.isnan(given).any() or (given <= 0).any() or not np.isfinite(scores).all():
        return ""
    factor = _slope(scores, np.log(given))
    if factor <= 0:
        return ""
    power = round(math.log10(factor))
    if abs(power) not in _POWERS or abs(math.log10(factor) - power) > NEAR_A_POWER or _is_a_root(marking, factor):
        return ""
    if np.abs(Softmax().bounded(Bounded.exactly(scores * factor)).value - given).max() > FITS:
        return ""
    row = ", ".join(as_printed(value, table.decimals) for value in table.followed[0][:6])
    n = abs(power)
    if power < 0:
        means = say("marking.slip.too_large", power=say(f"marking.power.{n}"))
        size = say("marking.slip.size_part", part=say(f"marking.part_of.{n}"))
    else:
        means = say("marking.slip.too_small", power=say(f"marking.power.{n}"))
        size = say("marking.slip.size_power", power=say(f"marking.power.{n}"))
    return say("marking.slip.fitted", means=means, row=row, size=size)


def _slope(scores: np.ndarray, logarithms: np.ndarray) -> float:
    """Return the factor of the scores to which the logarithms of the weights belong."""
    across = scores - scores.mean(1, keepdims=True)
    up = logarithms - logarithms.mean(1, keepdims=True)
    size = float((across**2).sum())
    return float((across * up).sum() / size) if size else 0.0


def _is_a_root(marking: Marking, factor: float) -> bool:
    """Whether a factor is as near to d_k or its root as to a power of ten: √64 is 8, and not about ten."""
    d_k = marking.settings.d_head or 1
    roots = (math.sqrt(d_k), d_k) if d_k > 1 else ()
    return any(abs(math.log(max(factor, 1 / factor) / root)) < 0.2 for root in roots)


_NUMBERS = ("right", "read", "due")  # as the table prints them


def cause_in_words(marking: Marking, table: MarkedTable, tokens: Sequence[str] = ()) -> str:
    """Say why a table is wrong, in one sentence; an empty text where nothing explains it for certain."""
    causes = causes_of(marking, table)
    title = table.stage.title
    if not causes:
        return other_scale(marking, table) if table.count(*ENTERS) else ""
    first = _clause(marking, table, causes[0], tokens)
    if len(causes) == 1:
        return say("marking.cause.one", title=title, cause=first)
    second = _clause(marking, table, causes[1], tokens)
    return say("marking.cause.either", title=title, first=first, second=second)


def _clause(marking: Marking, table: MarkedTable, cause: Cause, tokens: Sequence[str]) -> str:
    places: dict[str, Any] = {"symbol": cause.stage.symbol, **cause.places}
    places |= {
        key: _number(marking, cause, key, value)
        for key, value in cause.places.items()
        if key in _NUMBERS and isinstance(value, float)
    }
    places |= {key: written(float(places[key]), 3) for key in ("root", "slope") if key in places}
    if cause.name in ("times_ten", "tenth"):
        n = int(places["n"])
        places |= {"power": say(f"marking.power.{n}"), "part": say(f"marking.part_of.{n}")}
    if cause.name == "columns_swapped":
        places |= {key: str(places[key]) for key in ("first", "second")}
    elif cause.name == "rows_swapped":
        places |= {key: _row(cause.stage, places[key], tokens) for key in ("first", "second")}
    elif cause.name == "row_of_another":
        places |= {key: _row(cause.stage, places[key], tokens) for key in ("row", "other")}
    elif cause.name in ("misread", "sign_read", "digits_read"):
        of = str(places["of"])
        stage = marking.stages.get(path_of(cause.stage.name) + of, EVERY_STAGE[of])
        places["cell"] = stage.at(int(places["row"]), int(places["column"]))
    elif "row" in places:
        places["cell"] = cause.stage.at(int(places["row"]), int(places["column"]))
    said = say(f"marking.slip.{cause.name}", **places)
    if cause.explained < table.count(*ENTERS):
        said = say("marking.cause.most", cause=said, n=cause.explained, all=table.count(*ENTERS))
    return said


def _number(marking: Marking, cause: Cause, key: str, value: float) -> str:
    name = str(cause.places.get("of", cause.stage.name)) if key != "right" else cause.stage.name
    decimals = marking.decimals.get(name if name in marking.decimals else cause.stage.name, 2)
    return as_printed(float(np.float64(value)), decimals)


def _row(stage: Stage, row: int, tokens: Sequence[str]) -> str:
    token = visible(tokens[row]).replace("␣", " ") if row < len(tokens) and stage.rows != "feature" else ""
    return say("marking.cause.of_token", token=token) if token else say("marking.cause.of_row", row=row)
