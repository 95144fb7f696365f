"""Which slip explains a wrong table: better than any other, and without making anything else worse."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.rules import Bounded
from attnviz.core.stages import Stage
from attnviz.marking.causes import numbers, products, softmax
from attnviz.marking.causes.step import Candidate, Candidates, Step
from attnviz.marking.hidden import DEVIATIONS
from attnviz.marking.outcome import ENTERS, Mark, MarkedTable, Marking, Windows


class Slip(NamedTuple):
    """A known slip: its name, which is also that of its sentence; the kinds of stages where it can be made; and what a
    table becomes by it, in each of the ways that there are.
    """

    name: str
    kinds: frozenset[str]
    ways: Callable[[Step], Candidates]


_ANY = frozenset({"product", "scale", "softmax", "add", "relu", "gelu", "concatenate", "slice"})
_OF_HEADS = frozenset({"product", "slice"})
_PRODUCT, _SCALE, _SOFTMAX, _ADD = (frozenset({kind}) for kind in ("product", "scale", "softmax", "add"))

SLIPS: tuple[Slip, ...] = (
    Slip("heads_cut", _OF_HEADS, products.cut_otherwise),
    Slip("heads_joined", frozenset({"concatenate"}), products.joined_otherwise),
    Slip("one_head", _PRODUCT, products.one_head),
    Slip("of_another_head", _ANY, products.of_another_head),
    Slip("output_forgotten", _PRODUCT, products.output_forgotten),
    Slip("not_transposed", _PRODUCT, products.not_transposed),
    Slip("w_transposed", _PRODUCT, products.w_transposed),
    Slip("other_factor", _PRODUCT, products.other_factor),
    Slip("from_the_left", _PRODUCT, products.from_the_left),
    Slip("weights_turned", _PRODUCT, products.weights_turned),
    Slip("scaled_early", _PRODUCT, products.scaled_early),
    Slip("bias_forgotten", _PRODUCT, products.bias_forgotten),
    Slip("bias_forgotten", _ADD, products.summand_forgotten),
    Slip("other_factor", _ADD, products.other_summand),
    Slip("residual_added", _PRODUCT, products.residual_added),
    Slip("divided_otherwise", _SCALE, softmax.divided_otherwise),
    Slip("mask_forgotten", _SCALE, softmax.mask_forgotten),
    Slip("mask_forgotten", _SOFTMAX, softmax.mask_ignored),
    Slip("mask_after", _SOFTMAX, softmax.mask_after),
    Slip("unscaled", _SOFTMAX, softmax.from_unscaled),
    Slip("scaled_again", _SOFTMAX, softmax.scaled_again),
    Slip("over_columns", _SOFTMAX, softmax.over_columns),
    Slip("over_all", _SOFTMAX, softmax.over_all),
    Slip("not_normalized", _SOFTMAX, softmax.not_normalized),
    Slip("largest_from_some", _SOFTMAX, softmax.largest_from_some),
    Slip("shares_of_scores", _SOFTMAX, softmax.shares_of_scores),
    Slip("turned_by_place", _PRODUCT, softmax.turned_by_place),
    Slip("less_by_distance", _SCALE, softmax.less_by_distance),
    Slip("of_features", _SOFTMAX, softmax.of_features),
    Slip("normed_first", _PRODUCT | _ADD, softmax.normed_first),
    Slip("other_activation", frozenset({"relu", "gelu"}), numbers.other_activation),
    Slip("left_as_it_was", _ANY, products.left_as_it_was),
    Slip("turned", _ANY, numbers.turned),
    Slip("rows_shifted", _ANY, numbers.rows_shifted),
    Slip("columns_shifted", _ANY, numbers.columns_shifted),
    Slip("columns_swapped", _ANY, numbers.columns_swapped),
    Slip("rows_swapped", _ANY, numbers.rows_swapped),
    Slip("row_of_another", _ANY, numbers.row_of_another),
    Slip("power_of_ten", _ANY, numbers.power_of_ten),
    Slip("sign_of_all", _ANY, numbers.sign_of_all),
    Slip("written_wrongly", _ANY, numbers.written_wrongly),
    Slip("misread", _PRODUCT, numbers.misread),
    Slip("rounded_early", _ANY, numbers.rounded_early),
)


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
    worth = _worth(table)
    ways = tuple(_steps_to(marking, table, wrong, tables) for tables in (marking.before, marking.full))
    for printed, in_full in zip(*ways, strict=True):
        for slip in SLIPS:
            if printed.stage.kind in slip.kinds:
                yield from _judged(marking, table, slip, printed, in_full, wrong, worth)


def _judged(
    marking: Marking, table: MarkedTable, slip: Slip, printed: Step, in_full: Step, wrong: np.ndarray, worth: np.ndarray
) -> Iterator[Cause]:
    by_name: dict[str, list[tuple[Candidate, np.ndarray, np.ndarray]]] = {}
    for of_printed, of_full in _together(slip, printed, in_full):
        held = np.zeros(wrong.shape, dtype=bool)
        values = None
        for candidate, step in ((of_printed, printed), (of_full, in_full)):
            if candidate is None:
                continue
            made = _carried_on(marking, table, step, candidate.values)
            if made is None or made.shape != wrong.shape:
                continue
            holds = _holds(table, made)
            held |= holds
            values = made if values is None or holds.sum() > _holds(table, values).sum() else values
        chosen = of_printed or of_full
        if values is not None and chosen is not None:
            by_name.setdefault(chosen.named or slip.name, []).append((chosen, held, values))
    for name, candidates in by_name.items():
        there = ~table.at(Mark.BLANK)
        for candidate, held, values in candidates:
            explained = int((held & wrong).sum())
            if (there & ~wrong & ~held).any() or not _enough_explained(explained, int(wrong.sum())):
                continue
            of_cells = np.sort(worth[held & wrong])[::-1]
            evidence = float(of_cells[candidate.fitted :].sum()) - np.log(len(candidates))
            yield Cause(name, printed.own, candidate.places, values, explained, evidence)


def _enough_explained(explained: int, wrong: int) -> bool:
    return explained == wrong or (explained >= 4 and explained >= 0.8 * wrong)


def _together(slip: Slip, printed: Step, in_full: Step) -> Iterator[tuple[Candidate | None, Candidate | None]]:
    """Pair what a slip makes of the printed numbers with what it makes of all their digits."""
    first = list(slip.ways(printed))
    second = list(slip.ways(in_full))
    if len(first) == len(second):
        yield from zip(first, second, strict=True)
        return
    yield from ((each, None) for each in first)
    yield from ((None, each) for each in second)


def _steps_to(
    marking: Marking, table: MarkedTable, wrong: np.ndarray, tables: Mapping[str, np.ndarray]
) -> tuple[Step, ...]:
    """Return the steps from the last printed tables to this one: those at which the slip can have been made."""
    names = list(marking.stages)
    until = names.index(table.stage.name)
    before = {name: values for name, values in tables.items() if names.index(name) < until}
    chain: list[Stage] = []
    left = [table.stage]
    while left:
        stage = left.pop()
        chain.append(stage)
        printed = {name for name in stage.sources if name in marking.decimals}
        left += [
            made for name in stage.sources
            if name not in printed and (made := marking.stages[name]).rule is not None and name in before
            and made not in chain
        ]  # fmt: skip
    half = float(np.median(table.windows.half))
    return tuple(
        Step(
            stage, before, marking.settings, marking.stages, marking.decimals,
            table.given if stage is table.stage else None, wrong if stage is table.stage else None, half,
        )
        for stage in chain
    )  # fmt: skip


def _carried_on(marking: Marking, table: MarkedTable, step: Step, values: np.ndarray) -> np.ndarray | None:
    """Return what a table becomes where a step before it, or its own, gives these numbers."""
    if step.own is table.stage:
        return values
    if values.shape != step.right.shape:
        return None
    tables = dict(step.whole) | {step.own.name: values}
    changed = {step.own.name}
    names = list(marking.stages)
    for name in names[names.index(step.own.name) + 1 : names.index(table.stage.name) + 1]:
        stage = marking.stages[name]
        if changed & set(stage.sources) and stage.rule is not None and name not in marking.decimals:
            changed.add(name)
            with np.errstate(all="ignore"):
                tables[name] = stage.rule.bounded(*(Bounded.exactly(tables[each]) for each in stage.sources)).value
    stage = table.stage
    assert stage.rule is not None
    with np.errstate(all="ignore"):
        return stage.rule.bounded(*(Bounded.exactly(tables[each]) for each in stage.sources)).value


def _holds(table: MarkedTable, values: np.ndarray) -> np.ndarray:
    """Return which cells these numbers would be printed like."""
    spread = 0.0 if table.spread is None else DEVIATIONS * table.spread
    return table.windows.hold(values, spread + (0.0 if table.noise is None else table.noise))


def _worth(table: MarkedTable) -> np.ndarray:
    """Return how much each cell proves that a slip gives: the more numbers it could be, the more."""
    both = np.concatenate([table.given[np.isfinite(table.given)], table.followed[np.isfinite(table.followed)]])
    windows: Windows = table.windows
    width = 2 * windows.half + (0.0 if table.spread is None else 2 * DEVIATIONS * table.spread)
    scale = float(np.abs(both).mean()) * 2 if both.size else 1.0
    with np.errstate(all="ignore"):
        return np.clip(np.log(np.maximum(scale, 10 * width) / width), 0.0, _MOST_OF_A_CELL)
