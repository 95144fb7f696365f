"""The cause of a wrong table in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.core.stages import EVERY_STAGE, Stage
from attnviz.core.tokens import visible
from attnviz.marking.causes.judging import Cause, causes_of
from attnviz.marking.causes.softmax_of_others import other_scale
from attnviz.marking.heads import path_of
from attnviz.marking.marks import ENTERS
from attnviz.marking.outcome import MarkedTable, Marking
from attnviz.tables.printed_table import as_printed
from attnviz.words import say
from attnviz.words.numbers import written

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
