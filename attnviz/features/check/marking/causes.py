"""Why a table is wrong: the known slips that explain its numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.rules import Softmax
from attnviz.core.stages import Stage
from attnviz.features.check.marking import slips_of_numbers, slips_of_products, slips_of_softmax
from attnviz.features.check.marking.hidden import DEVIATIONS
from attnviz.features.check.marking.outcome import ENTERS, Mark, MarkedTable, Marking
from attnviz.features.check.marking.settings import shown_token
from attnviz.features.check.marking.step import Candidate, Row, Slip, Step, computed_by
from attnviz.features.tables.printed_table import as_printed
from attnviz.words import say

SLIPS: tuple[Slip, ...] = slips_of_products.SLIPS + slips_of_softmax.SLIPS + slips_of_numbers.SLIPS
_ENOUGH = np.log(20.0)  # a slip with less evidence isn't named
_ALIKE = np.log(20.0)  # slips whose evidence differs by less explain a table equally well
_MOST_OF_A_CELL = np.log(1000.0)  # a single cell gives no more evidence, however many digits it has
MOST_NAMED = 3  # if more slips explain a table equally well, none is named


class Cause(NamedTuple):
    """A slip that explains a table's wrong cells, and where it happened.

    `values` is the table as the slip would make it, `explained` the number of wrong cells that agree with it, and
    `evidence` the logarithm of how much likelier the table is with the slip than by chance.
    """

    name: str
    stage: Stage
    places: Mapping[str, Any]
    values: np.ndarray
    explained: int
    evidence: float


@np.errstate(all="ignore")  # numbers that overflow explain nothing
def causes_of(marking: Marking, table: MarkedTable) -> tuple[Cause, ...]:
    """Return the slips that explain a table equally well; none if uncertain."""
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
    return tuple(alike) if len(alike) <= MOST_NAMED else ()


def _explaining(marking: Marking, table: MarkedTable, wrong: np.ndarray) -> Iterator[Cause]:
    """Yield slips that explain most wrong cells and make none worse."""
    both = np.concatenate([table.given[np.isfinite(table.given)], table.followed[np.isfinite(table.followed)]])
    width = 2 * table.windows.half + (0.0 if table.spread is None else 2 * DEVIATIONS * table.spread)
    scale = float(np.abs(both).mean()) * 2 if both.size else 1.0
    # The evidence that each cell gives: the more digits it has, the more.
    worth = np.clip(np.log(np.maximum(scale, 10 * width) / width), 0.0, _MOST_OF_A_CELL)
    others = ~table.at(Mark.BLANK) & ~wrong
    names = list(marking.stages)
    earlier = names[: names.index(table.stage.name)]
    before = [{each: tables[each] for each in earlier if each in tables} for tables in (marking.before, marking.full)]
    for stage in _chain(marking, table):
        given, off = (table.given, wrong) if stage is table.stage else (None, None)
        half = float(np.median(table.windows.half))
        steps = [Step(marking, stage, tables, given, off, half) for tables in before]
        for slip in SLIPS:
            if not slip.may_be(stage.rule, steps[0].stage.name):
                continue
            for name, candidates in _made(marking, table, slip, steps).items():
                for candidate, held, values in candidates:
                    explained, n = int((held & wrong).sum()), int(wrong.sum())
                    if (others & ~held).any() or not (explained == n or (explained >= 4 and explained >= 0.8 * n)):
                        continue
                    of_cells = np.sort(worth[held & wrong])[::-1]
                    evidence = float(of_cells[candidate.fitted :].sum()) - np.log(max(len(candidates), candidate.among))
                    yield Cause(name, stage, candidate.places, values, explained, evidence)


def _made(
    marking: Marking, table: MarkedTable, slip: Slip, steps: list[Step]
) -> Mapping[str, list[tuple[Candidate, np.ndarray, np.ndarray]]]:
    """Return a slip's candidates by name, with cells where they hold."""
    by_name: dict[str, list[tuple[Candidate, np.ndarray, np.ndarray]]] = {}
    ways: list[list[Candidate | None]]
    ways = [[*slip.candidates(step)] for step in steps]
    if len(ways[0]) != len(ways[1]):  # the candidates of the two steps can't be paired
        ways = [[*ways[0], *[None] * len(ways[1])], [*[None] * len(ways[0]), *ways[1]]]
    for together in zip_longest(*ways):
        held, values, most = np.zeros(table.given.shape, dtype=bool), None, -1
        for candidate, step in zip(together, steps, strict=True):
            made = None if candidate is None else _carried_on(marking, table, step, candidate.values)
            if made is not None and made.shape == held.shape:
                spread = 0.0 if table.spread is None else DEVIATIONS * table.spread
                holds = table.windows.hold(made, spread + (0.0 if table.noise is None else table.noise))
                held |= holds
                values, most = (made, holds.sum()) if holds.sum() > most else (values, most)
        chosen = together[0] or together[1]
        if values is not None and chosen is not None:
            by_name.setdefault(chosen.named or slip.name, []).append((chosen, held, values))
    return by_name


def _chain(marking: Marking, table: MarkedTable) -> list[Stage]:
    """Return a table's stage, and the unprinted stages that lead to it."""
    chain: list[Stage] = []
    left = [table.stage]
    while left:
        stage = left.pop()
        chain.append(stage)
        unprinted = [marking.stages[name] for name in stage.sources if name not in marking.decimals]
        left += [made for made in unprinted if made.rule and made.name in marking.before and made not in chain]
    return chain


def _carried_on(marking: Marking, table: MarkedTable, step: Step, values: np.ndarray) -> np.ndarray | None:
    """Return the table that results if a step gives these numbers."""
    if step.whole_stage is table.stage:
        return values
    if values.shape != step.right.shape:
        return None
    tables, changed = dict(step.whole) | {step.whole_stage.name: values}, {step.whole_stage.name}
    names = list(marking.stages)
    for name in names[names.index(step.whole_stage.name) + 1 : names.index(table.stage.name)]:
        stage = marking.stages[name]
        if changed & set(stage.sources) and stage.rule is not None and name not in marking.decimals:
            changed.add(name)
            tables[name] = computed_by(stage.rule, *(tables[each] for each in stage.sources))
    return computed_by(table.stage.rule, *(tables[each] for each in table.stage.sources))


_FITS = 0.05  # the weights of rescaled scores may differ by this much from the printed ones
_NEAR_A_POWER = 0.2  # a factor may differ by this much from a power of ten, in decades


def cause_in_words(marking: Marking, table: MarkedTable, tokens: Sequence[str] = ()) -> str:
    """Return why a table is wrong, in one sentence; empty if uncertain."""
    causes = causes_of(marking, table)
    title = table.stage.title
    if not causes:
        return _other_scale(marking, table) if table.count(*ENTERS) else ""
    said = [_clause(table, cause, tokens) for cause in causes]
    return say(f"marking.cause.{len(said)}", title=title, **dict(zip(("first", "second", "third"), said, strict=False)))


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
    token = shown_token(tokens, row) if stage.rows != "feature" else ""
    return say("marking.cause.of_token", token=token) if token else say("marking.cause.of_row", row=row)


@np.errstate(all="ignore")  # numbers that overflow fit no scale
def _other_scale(marking: Marking, table: MarkedTable) -> str:
    """Return a hint if scores are off by a power of ten."""
    if table.stage.kind != Softmax.name or marking.settings.masked is not None:
        return ""
    given, scores = table.given, marking.before[table.stage.sources[0]]
    if scores.shape[1] < 3 or not (given > 0).all() or not np.isfinite(scores).all():
        return ""
    factor = _factor(scores, np.log(given))
    decades = math.log10(factor) if factor > 0 else 0.0
    n = abs(round(decades))
    if not 1 <= n <= 3 or abs(abs(decades) - n) > _NEAR_A_POWER or _is_a_root(marking, decades):
        return ""
    if np.abs(computed_by(Softmax(), scores * factor) - given).max() > _FITS:
        return ""
    row = ", ".join(as_printed(value, table.decimals) for value in table.followed[0][:6])
    power, part = say(f"marking.power.{n}"), say(f"marking.part_of.{n}")
    if decades < 0:
        means, size = say("marking.slip.too_large", power=power), say("marking.slip.size_part", part=part)
    else:
        means, size = say("marking.slip.too_small", power=power), say("marking.slip.size_power", power=power)
    return say("marking.slip.fitted", means=means, row=row, size=size)


def _factor(scores: np.ndarray, logarithms: np.ndarray) -> float:
    """Return the factor of the scores that fits the weights' logarithms best."""
    across, up = (each - each.mean(1, keepdims=True) for each in (scores, logarithms))
    size = float((across**2).sum())
    return float((across * up).sum() / size) if size else 0.0


def _is_a_root(marking: Marking, decades: float) -> bool:
    """Whether a factor is near d_k or its root: √64 is 8."""
    d_k = marking.settings.d_head or 1
    roots = (math.sqrt(d_k), d_k) if d_k > 1 else ()
    return any(abs(abs(decades) * math.log(10) - math.log(root)) < 0.2 for root in roots)
