"""Tables of a shape that their computation doesn't give: each costs itself alone, and what it is instead is said."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.errors import RefusedError
from attnviz.core.stages import EVERY_STAGE
from attnviz.marking.causes.step import made_by
from attnviz.marking.outcome import Marking, Windows
from attnviz.marking.pipeline import mark_pipeline
from attnviz.marking.settings import symbol_of
from attnviz.tables.printed_table import Printed
from attnviz.words import say


class Misfit(NamedTuple):
    """A result of a wrong shape: its name, why it doesn't fit, and what was taken in place of what, if that shows."""

    name: str
    error: RefusedError
    cause: str


def mark_fitting(tables: Mapping[str, Printed], **settings: Any) -> tuple[Marking, tuple[Misfit, ...]]:
    """Mark tables as :func:`mark_pipeline` does, without the results whose shape doesn't fit the tables before them.

    Raises ``ValueError`` as it does for all else, and where it's an input that doesn't fit.
    """
    left, refused = dict(tables), dict[str, RefusedError]()
    while True:
        try:
            marking = mark_pipeline(left, **settings)
        except RefusedError as error:
            name = str(error.facts.get("table", ""))
            if error.kind != "fit_one" or name not in left or not EVERY_STAGE[name].sources or len(left) < 3:
                raise
            refused[name] = error
            del left[name]
            continue
        misfits = (Misfit(name, error, _cause(marking, name, tables[name])) for name, error in refused.items())
        return marking, tuple(misfits)


def _cause(marking: Marking, name: str, table: Printed) -> str:
    """Say which table was taken in place of which, where that gives these numbers; else an empty text."""
    windows, given = Windows.of(table.array, table.places), table.array
    for taken, due, values in _with_another(marking, name):
        if values.shape == given.shape and windows.hold(values).all():
            return say("marking.slip.other_factor", taken=symbol_of(taken), due=symbol_of(due))
    return ""


def _with_another(marking: Marking, name: str) -> Iterator[tuple[str, str, np.ndarray]]:
    stage = marking.stages[name]
    for tables in (marking.before, marking.full):
        if not all(source in tables for source in stage.sources):
            continue
        sources = [tables[source] for source in stage.sources]
        for n, due in enumerate(stage.sources):
            for taken in tables:
                try:
                    yield taken, due, made_by(stage.rule, *sources[:n], tables[taken], *sources[n + 1 :])
                except (ValueError, RuntimeError):
                    continue  # these two can't be multiplied
