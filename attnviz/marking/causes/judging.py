"""Which slip explains a wrong table: better than any other, and without making anything else worse."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.stages import Stage
from attnviz.marking.causes import numbers, products, softmax
from attnviz.marking.causes.step import Candidate, Slip, Step, made_by
from attnviz.marking.hidden import DEVIATIONS
from attnviz.marking.outcome import ENTERS, Mark, MarkedTable, Marking

SLIPS: tuple[Slip, ...] = products.SLIPS + softmax.SLIPS + numbers.SLIPS
_ENOUGH = np.log(20.0)  # how much better than chance a slip has to explain what is wrong
_ALIKE = np.log(20.0)  # slips that explain it so nearly alike are both named
_MOST_OF_A_CELL = np.log(1000.0)  # that one cell counts, however many digits it has
MOST_NAMED = 2


class Cause(NamedTuple):
    """A slip that explains what is wrong in a table: its name, the stage where it was made, and what to say of it.

    `values` is the table as the slip makes it; `explained` how many wrong cells it gives; `evidence` is the logarithm
    of how much likelier the table is by it than by chance.
    """

    name: str
    stage: Stage
    places: Mapping[str, Any]
    values: np.ndarray
    explained: int
    evidence: float


@np.errstate(all="ignore")  # what overflows explains nothing
def causes_of(marking: Marking, table: MarkedTable) -> tuple[Cause, ...]:
    """Return the slips that explain the wrong cells of a table, at most two: none, where none does for certain."""
    wrong = table.at(*ENTERS)
    if not wrong.any():
        return ()
    found: dict[str, Cause] = {}
    for cause in _explaining(marking, table, wrong):
        if cause.name not in found or cause.evidence > found[cause.name].evidence + 1e-9:
            found[cause.name] = cause
    ranked = sorted(found.values(), key=lambda cause: (-cause.explained, -cause.evidence))
    if not ranked or ranked[0].evidence < _ENOUGH:
        return ()
    best = ranked[0]
    alike = [each for each in ranked if each.explained == best.explained and best.evidence - each.evidence < _ALIKE]
    return tuple(alike[:MOST_NAMED]) if len(alike) <= MOST_NAMED + 1 else ()


def _explaining(marking: Marking, table: MarkedTable, wrong: np.ndarray) -> Iterator[Cause]:
    """List the slips that give the wrong cells of a table, or most of them, and make nothing else worse."""
    worth, others = _worth(table), ~table.at(Mark.BLANK) & ~wrong
    for stage in _chain(marking, table):
        given, off = (table.given, wrong) if stage is table.stage else (None, None)
        half = float(np.median(table.windows.half))
        steps = [Step(marking, stage, _before(marking, table, tables), given, off, half)
                 for tables in (marking.before, marking.full)]  # fmt: skip
        for slip in SLIPS:
            if not steps[0].is_of(slip.where):
                continue
            for name, candidates in _made(marking, table, slip, steps).items():
                for candidate, held, values in candidates:
                    explained = int((held & wrong).sum())
                    if (others & ~held).any() or not _enough_explained(explained, int(wrong.sum())):
                        continue
                    of_cells = np.sort(worth[held & wrong])[::-1]
                    evidence = float(of_cells[candidate.fitted :].sum()) - np.log(len(candidates))
                    yield Cause(name, stage, candidate.places, values, explained, evidence)


def _made(
    marking: Marking, table: MarkedTable, slip: Slip, steps: list[Step]
) -> Mapping[str, list[tuple[Candidate, np.ndarray, np.ndarray]]]:
    """Return what a slip makes of a table, by its name, and which cells that holds: of the printed numbers before it,
    or of all their digits."""
    by_name: dict[str, list[tuple[Candidate, np.ndarray, np.ndarray]]] = {}
    ways: list[list[Candidate | None]]
    ways = [[each if isinstance(each, Candidate) else Candidate(each) for each in slip.ways(step)] for step in steps]
    if len(ways[0]) != len(ways[1]):  # they don't go together
        ways = [[*ways[0], *[None] * len(ways[1])], [*[None] * len(ways[0]), *ways[1]]]
    for together in zip_longest(*ways):
        held, values, most = np.zeros(table.given.shape, dtype=bool), None, -1
        for candidate, step in zip(together, steps, strict=True):
            made = None if candidate is None else _carried_on(marking, table, step, candidate.values)
            if made is not None and made.shape == held.shape:
                holds = _holds(table, made)
                held |= holds
                values, most = (made, holds.sum()) if holds.sum() > most else (values, most)
        chosen = together[0] or together[1]
        if values is not None and chosen is not None:
            by_name.setdefault(chosen.named or slip.name, []).append((chosen, held, values))
    return by_name


def _enough_explained(explained: int, wrong: int) -> bool:
    return explained == wrong or (explained >= 4 and explained >= 0.8 * wrong)


def _before(marking: Marking, table: MarkedTable, tables: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    names = list(marking.stages)
    return {name: tables[name] for name in names[: names.index(table.stage.name)] if name in tables}


def _chain(marking: Marking, table: MarkedTable) -> list[Stage]:
    """Return the stages from the last printed tables to this one: those at which the slip can have been made."""
    chain: list[Stage] = []
    left = [table.stage]
    while left:
        stage = left.pop()
        chain.append(stage)
        unprinted = [marking.stages[name] for name in stage.sources if name not in marking.decimals]
        left += [made for made in unprinted if made.rule and made.name in marking.before and made not in chain]
    return chain


def _carried_on(marking: Marking, table: MarkedTable, step: Step, values: np.ndarray) -> np.ndarray | None:
    """Return what a table becomes where a step before it, or its own, gives these numbers."""
    if step.own is table.stage:
        return values
    if values.shape != step.right.shape:
        return None
    tables, changed = dict(step.whole) | {step.own.name: values}, {step.own.name}
    names = list(marking.stages)
    for name in names[names.index(step.own.name) + 1 : names.index(table.stage.name)]:
        stage = marking.stages[name]
        if changed & set(stage.sources) and stage.rule is not None and name not in marking.decimals:
            changed.add(name)
            tables[name] = made_by(stage.rule, *(tables[each] for each in stage.sources))
    return made_by(table.stage.rule, *(tables[each] for each in table.stage.sources))


def _holds(table: MarkedTable, values: np.ndarray) -> np.ndarray:
    """Return which cells these numbers would be printed like."""
    spread = 0.0 if table.spread is None else DEVIATIONS * table.spread
    return table.windows.hold(values, spread + (0.0 if table.noise is None else table.noise))


def _worth(table: MarkedTable) -> np.ndarray:
    """Return how much each cell proves that a slip gives: the more numbers it could be, the more."""
    both = np.concatenate([table.given[np.isfinite(table.given)], table.followed[np.isfinite(table.followed)]])
    width = 2 * table.windows.half + (0.0 if table.spread is None else 2 * DEVIATIONS * table.spread)
    scale = float(np.abs(both).mean()) * 2 if both.size else 1.0
    return np.clip(np.log(np.maximum(scale, 10 * width) / width), 0.0, _MOST_OF_A_CELL)
