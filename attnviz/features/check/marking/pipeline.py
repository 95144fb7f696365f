"""The marking of a whole computation, read in the likeliest way."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.arguments import typed
from attnviz.core.limits import RefusedError, check_choice, check_temperature, in_short
from attnviz.core.masks import CAUSAL, MASKS, NONE, Masked, mask_named
from attnviz.core.rules.bounds import BFLOAT16, FLOAT16, FLOAT32
from attnviz.core.stages import ACTIVATIONS, EVERY_STAGE
from attnviz.features.check.marking.handout import check_shapes, known_d_k
from attnviz.features.check.marking.outcome import ENTERS, NOT_RIGHT, Mark, MarkedTable, Marking, Windows, as_marks
from attnviz.features.check.marking.printing import found_mask, half_of, perhaps_masked, without_masked
from attnviz.features.check.marking.settings import (
    ALL_DIGITS,
    ROUNDED_FROM,
    Inputs,
    Reading,
    Results,
    Settings,
    apart,
    in_order,
    is_known,
    of_one_head,
    shared_out,
    symbol_of,
)
from attnviz.features.check.marking.step import computed_by
from attnviz.features.check.marking.walk import Walk
from attnviz.features.tables.printed_table import Printed
from attnviz.words import say

BEYOND_DOUBT = math.log(5000.0)  # how much likelier a reading has to be to call wrong what another calls right


def with_doubt(best: Marking, others: Iterable[Marking]) -> Marking:
    """Return the likeliest marking, with wrong cells perhaps put in doubt.

    A wrong cell is in doubt if it would be right with inputs that hide digits, and that isn't much less likely.
    """
    rights = [other for other in others if other.reading.inputs != "exact" and _excuses(other, best).any()]
    rights = [other for other in rights if other.unlikeliness - best.unlikeliness < BEYOND_DOUBT]
    if not rights or not _shown_alike(best):
        return best
    right = min(rights, key=lambda other: (other.n_not_right > 0, other.unlikeliness))
    tables = (
        replace(table, marks=as_marks(np.where(_excused(table, same), Mark.DOUBTFUL, np.array(table.marks))))
        for table, same in zip(best.tables, right.tables, strict=True)
    )
    return replace(best, tables=tuple(tables), otherwise=right)


def _excuses(other: Marking, best: Marking) -> np.ndarray:
    """Return which tables have errors that another reading marks right."""
    pairs = zip(best.tables, other.tables, strict=True)
    return np.array([bool((_excused(table, same) & table.at(*ENTERS)).any()) for table, same in pairs])


def _excused(table: MarkedTable, same: MarkedTable) -> np.ndarray:
    """Return wrong cells of a table that another reading marks without errors."""
    return table.at(*NOT_RIGHT) & ~same.at(*NOT_RIGHT) & (not same.count(*ENTERS))


def _shown_alike(marking: Marking) -> bool:
    """Whether inputs show at least as many decimals as wrong results.

    A spreadsheet shows all numbers with the same decimals, and may hide digits of the inputs. Whoever prints inputs
    with fewer decimals than the results has inputs without hidden digits.
    """
    most = max((table.decimals for table in marking.tables if table.count(*NOT_RIGHT)), default=0)
    return max((marking.decimals[name] for name in marking.taken), default=0) >= most


_SAID: Mapping[float, str] = MappingProxyType({FLOAT16: "float16", BFLOAT16: "bfloat16"})
_STAYS_WRONG = 1 / 3  # a reading clears up a table if a smaller share of its cells stays wrong
CARRIED: tuple[Results, ...] = ("rounded", "full", "cut")


@typed
def mark_pipeline(
    tables: Mapping[str, Any], *, scale: bool = True, causal: bool | None = None, mask: str | None = None,
    temperature: float = 1.0, d_k: int | None = None, decimals: int | None = None, rounded_inputs: bool | None = None,
    carried: Results | None = None, activation: str = "relu", n_heads: int | None = None,
) -> Marking:  # fmt: skip
    """Mark a computation's tables, named by their stages; any may be missing.

    `tables` are :class:`Printed`, nested sequences or arrays ``(rows, columns)``; a bias is one row. `decimals`
    overrides those that each table shows. `d_k` is needed only to scale scores where no table shows it. `activation` is
    the function between the layers of a feed-forward step, "relu" or "gelu". With tables of E and P, X is their sum.

    Several heads have their tables stacked, ``(n_heads, rows, columns)``, or one by one, by names such as
    "heads.0.scores"; Q, K, V and the context hold those of all heads side by side. `n_heads` is how many there are,
    where no table shows it; `d_k` is then that of one head.

    Three things are found from the numbers where they are None: whether there is a mask, `causal`, or another `mask`
    such as "window:3"; whether printed inputs have hidden digits, `rounded_inputs`; and how results were `carried` on
    to later steps: "rounded" as printed, in "full", or with digits "cut" off in place of rounded. The reading that
    makes the numbers likeliest is taken: see ``Marking.reading``.

    Raises ``ValueError`` for an unknown name, way or activation, shapes that don't fit, and an unknown d_k.

    >>> given = {"q": [[1, 0], [0, 1]], "k": [[1, 2], [3, 4]], "scores": [[1, 3], [2, 5]]}
    >>> mark_pipeline(given, decimals=0).first_wrong[1:]
    (1, 1)
    """
    check_temperature(temperature)
    check_choice("activation", activation, ACTIVATIONS)
    check_choice("carried", carried, (None, *CARRIED))
    if not isinstance(tables, Mapping):
        raise ValueError(f"tables is {in_short(tables)}, expected tables by the names of their stages")
    precision = _precision(tables)
    printed = {name: _as_printed(name, table, decimals) for name, table in apart(tables).items()}
    shapes = {name: table.array.shape for name, table in printed.items()}
    heads = shared_out(shapes, n_heads, d_k)
    if heads.n == 1:
        printed, shapes = of_one_head(printed), of_one_head(shapes)
    d_k = heads.d_k if heads.n > 1 else known_d_k(shapes, d_k)
    whole = Settings(scale, None, temperature, d_k, activation, heads).table(printed)
    for name in printed if heads.n > 1 else ():
        if name not in whole:
            raise RefusedError("head_tables", table=name, heads=heads.n)
    printed = in_order(printed, whole)
    check_shapes({name: shapes[name] for name in printed}, None if heads.n == 1 else whole, heads.d_v)
    said = _said_mask(causal, mask)
    found = found_mask(printed) if causal is None and mask is None else None
    settings = Settings(scale, said or found, temperature, d_k, activation, heads)
    marking = _likeliest(printed, settings, rounded_inputs, carried, precision)
    open_ = causal is None and mask is None and found is None and marking.n_not_right
    for perhaps, is_shown in perhaps_masked(printed, marking.before).items() if open_ else ():
        masked = _likeliest(printed, replace(settings, masked=perhaps), rounded_inputs, carried, precision)
        # With and without the mask, equally many cells may be wrong, for example if dropout has zeroed the one weight
        # that would show the difference; then the likelier marking is better. A mask that a row contradicts has to
        # leave at most half of the errors.
        is_better = (masked.n_not_right, masked.unlikeliness) < (marking.n_not_right, marking.unlikeliness)
        if is_better and (is_shown or masked.n_not_right <= marking.n_not_right / 2):
            marking, found = masked, perhaps
        if not marking.n_not_right:
            break
    return replace(marking, masked=found, said=_SAID.get(precision, ""))


def _said_mask(causal: bool | None, mask: str | None) -> Masked | None:
    """Return the stated mask, such as "window:3"; None without one."""
    kind, size = mask_named(CAUSAL if causal else mask or NONE)
    return None if kind == NONE else Masked(MASKS[kind], size or 0)


@np.errstate(all="ignore")  # numbers may be of any size; what overflows fits nothing
def _likeliest(
    printed: Mapping[str, Printed],
    settings: Settings,
    rounded: bool | None,
    carried: Results | None,
    precision: float,
) -> Marking:
    """Return the likeliest reading's marking; the plainest if nothing is wrong."""
    if settings.masked is not None:
        printed = without_masked(printed, settings.masked)
    plainest, *others = _readings(printed, rounded, carried)
    best = plain = Walk(printed, settings, plainest, precision).marking()
    if best.first_wrong is not None:
        best = _in_half(printed, settings, rounded, carried, best)
    tried: list[Marking] = []
    for reading in others:
        if not best.n_not_right or best.unlikeliness == -math.inf:
            break
        marking = Walk(printed, settings, reading, precision).marking()
        tried.append(marking)
        best = marking if marking.unlikeliness < best.unlikeliness and _clears(plain, marking) else best
    return with_doubt(best, tried)


def _clears(before: Marking, after: Marking) -> bool:
    """Whether a reading leaves few wrong cells in a table it improves."""
    return any(
        table.count(*ENTERS) < same.count(*ENTERS) and table.count(*ENTERS) < _STAYS_WRONG * table.n_cells
        for same, table in zip(before.tables, after.tables, strict=True)
    )


def _in_half(
    printed: Mapping[str, Printed], settings: Settings, rounded: bool | None, carried: Results | None, best: Marking
) -> Marking:
    """Return the marking in half precision, if that leaves fewer cells wrong."""
    half = half_of(printed)
    if half is None:
        return best
    reading = Reading("rounded" if rounded else "exact" if rounded is False else "long", carried or "either")
    marking = Walk(printed, settings, reading, half.precision, half).marking()
    # This many numbers in half precision leave no doubt; -inf lets `_likeliest` try no other reading.
    return replace(marking, unlikeliness=-math.inf) if marking.n_not_right < best.n_not_right else best


def _readings(printed: Mapping[str, Printed], rounded: bool | None, carried: Results | None) -> Iterator[Reading]:
    """List the ways to read these tables, the plainest first."""
    ways: tuple[Results, ...] = ("either", "full", "cut") if carried is None else (carried,)
    inputs: tuple[Inputs, ...]
    if rounded is not None:
        inputs = ("rounded",) if rounded else ("exact",)
    else:
        counts = {table.decimals for table in printed.values()}
        inputs = ("exact",)
        inputs += ("long",) if any(ROUNDED_FROM <= count < ALL_DIGITS for count in counts) else ()
        inputs += ("rounded",) if any(0 < count < ROUNDED_FROM for count in counts) else ()
    return (
        Reading(each, way)
        for way in ways
        for each in inputs
        if carried or each == "exact" or way != "full"  # if inputs hide digits, "either" computes in full, too
    )


def _precision(tables: Mapping[str, Any]) -> float:
    """Return the coarsest precision of the tables' dtypes; by default float32.

    Digits beyond it prove nothing.
    """
    said = {str(getattr(table, "dtype", "")).removeprefix("torch.") for table in tables.values()}
    return BFLOAT16 if "bfloat16" in said else FLOAT16 if "float16" in said else FLOAT32


def _as_printed(name: str, table: Any, decimals: int | None) -> Printed:
    if not isinstance(name, str) or not is_known(name):
        raise ValueError(f"{name!r} is no table of the computation, expected one of {', '.join(EVERY_STAGE)}")
    if not isinstance(table, Printed):
        return Printed.of(table, decimals, name=name)
    return table if decimals is None else table.with_decimals(decimals)


class Misfit(NamedTuple):
    """A result of a wrong shape, why, and its cause if known."""

    name: str
    error: RefusedError
    cause: str


@typed
def mark_fitting(tables: Mapping[str, Printed], **settings: Any) -> tuple[Marking, tuple[Misfit, ...]]:
    """Mark tables like :func:`mark_pipeline`, leaving out results whose shapes don't fit.

    Raises ``ValueError`` as it does for all else, and for inputs that don't fit.
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
    """Return which table was taken for which; empty if none fits."""
    windows, given = Windows.of(table.array, table.places), table.array
    for taken, due, values in _with_another(marking, name):
        if values.shape == given.shape and windows.hold(values).all():
            return say("marking.slip.other_factor", taken=symbol_of(taken), due=symbol_of(due))
    return ""


def _with_another(marking: Marking, name: str) -> Iterator[tuple[str, str, np.ndarray]]:
    stage = marking.stages.get(name)
    for tables in (marking.before, marking.full):
        if stage is None or not all(source in tables for source in stage.sources):
            continue
        sources = [tables[source] for source in stage.sources]
        for n, due in enumerate(stage.sources):
            for taken in tables:
                try:
                    yield taken, due, computed_by(stage.rule, *sources[:n], tables[taken], *sources[n + 1 :])
                except (ValueError, RuntimeError):
                    continue  # these two can't be multiplied
