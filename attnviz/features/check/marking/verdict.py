"""A marking in words: the first error, its arithmetic, and each table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from attnviz.core.arguments import typed
from attnviz.core.limits import MAX_D, MAX_TOKENS, check_whole
from attnviz.core.masks import CAUSAL
from attnviz.core.stages import EVERY_STAGE, VECTORS, Stage
from attnviz.core.trace import Trace
from attnviz.explanation import Explanation, explain
from attnviz.features.check.marking.causes import cause_in_words
from attnviz.features.check.marking.outcome import Mark, MarkedTable, Marking
from attnviz.features.check.marking.settings import base_of, shown_token, symbol_of
from attnviz.features.tables.printed_table import as_printed
from attnviz.words import listed, plural, say
from attnviz.words.numbers import MAX_DIGITS, MIN_DIGITS

_SUM, _RESULT = re.compile(r"[=≈] ?[-0-9.e +()]+"), re.compile(r"[=≈] ?(-?[0-9.]+(?:e-?[0-9]+)?)")
_TERM = re.compile(r"([-+ (]*)([0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?)")
_MOST = 4 * max(MAX_TOKENS, MAX_D) * 16 - 1  # largest row or column: 16 heads side by side, and 4 times that
_DIGITS_OF_HALF = {"float16": 3, "bfloat16": 2}  # decimal digits that the type keeps of every number


@dataclass(frozen=True)
class Verdict:
    """The verdict on a handout: one sentence, the first error, each table.

    `first_error` and `arithmetic`, which explains it line by line, are empty if nothing is wrong. `doubt` says what
    numbers in doubt are in each of two readings. If no table follows from the others, `nothing_yet` says which tables
    to add, and `summary` is no verdict. `rounding` says why numbers count as right though exact ones round otherwise,
    and `reading` how the handout was read, if that isn't the plainest way. Texts of tokens aren't escaped.
    """

    summary: str
    nothing_yet: str
    first_error: str
    arithmetic: tuple[str, ...]
    tables: tuple[str, ...]
    slips: tuple[str, ...]
    rounding: tuple[str, ...]
    reading: tuple[str, ...]
    doubt: tuple[str, ...]


@typed
def verdict(marking: Marking, tokens: Sequence[str] = ()) -> Verdict:
    """Return a marking in words; `tokens` name the rows, if any.

    >>> from attnviz.features.check.marking.pipeline import mark_pipeline
    >>> given = {"q": [[1, 0], [0, 1]], "k": [[1, 2], [3, 4]], "scores": [[1, 3], [2, 5]]}
    >>> verdict(mark_pipeline(given, decimals=0)).first_error
    'The first error is S[1, 1]: 5 should be 4.'
    """
    first = marking.first_wrong
    made = explained(marking, *first, tokens) if first else None
    return Verdict(
        summary=_summary(marking),
        nothing_yet="" if any(table.n_cells for table in marking.tables) else _to_add(marking),
        first_error=_first_error(*first, tokens) if first else "",
        arithmetic=(made.symbols, *made.steps) if made else (),
        tables=tuple(_of_table(marking, table) for table in marking.tables if table.n_cells),
        slips=tuple(filter(None, (cause_in_words(marking, table, tokens) for table in marking.tables))),
        reading=reading_in_words(marking),
        rounding=_rounding(marking),
        doubt=_doubt(marking, tokens),
    )


def in_a_sentence(marking: Marking) -> str:
    """Return a marking's result, its first error and the likely cause.

    >>> from attnviz.features.check.marking.pipeline import mark_pipeline
    >>> str(mark_pipeline({"q": [[1, 0]], "k": [[1, 2]], "scores": [[1]]}, decimals=0))
    'The one result is right, to the last printed digit.'
    """
    words = verdict(marking)
    return " ".join(filter(None, (words.summary, words.nothing_yet, words.first_error, *words.doubt, *words.slips)))


def _summary(marking: Marking) -> str:
    n_cells = sum(table.n_cells for table in marking.tables)
    if not n_cells:
        return say("marking.summary.nothing")
    differing = sum(table.n_differing for table in marking.tables)
    counts = {mark: sum(table.count(mark) for table in marking.tables) for mark in Mark}
    carried, cut = counts[Mark.CARRIED] + counts[Mark.HIDDEN], counts[Mark.CUT]
    if not differing:
        return say("marking.summary.exact", n=n_cells)
    if not marking.n_not_right and not counts[Mark.DOUBTFUL]:
        parts = _parts(exact=counts[Mark.RIGHT], rounded=carried, cut=cut)
        return say("marking.summary.right", n=n_cells, parts=parts)
    parts = _parts(
        wrong=counts[Mark.WRONG], unlikely=counts[Mark.UNLIKELY], doubtful=counts[Mark.DOUBTFUL],
        follow=counts[Mark.FOLLOWS], rounded_too=carried, cut_too=cut,
    )  # fmt: skip
    return say("marking.summary.differ", n=differing, results=plural(n_cells, "result"), parts=parts)


def _parts(between: str = ", ", **counts: int) -> str:
    """Return how many cells have each mark, by catalogue keys, without zeros."""
    return between.join(say(f"marking.part.{key}", n=n) for key, n in counts.items() if n)


def _to_add(marking: Marking) -> str:
    """Return the fewest tables to add so that something can be marked."""
    taken = marking.taken
    # The stages have a bias of attention only if the handout has it.
    groups = [(*stage.sources, stage.name) for stage in marking.stages.values() if stage.sources]
    missing = [[name for name in group if name not in taken] for group in groups if set(group) & set(taken)]
    fewest = [
        marking.stages.get(name, EVERY_STAGE[base_of(name)]).title
        for name in min(missing, key=len, default=["q", "k", "scores"])
    ]
    names = listed(fewest)
    if not taken:
        return say("marking.add.nothing", missing=names)
    return say("marking.add.alone", names=_symbols(taken), missing=names)


def _symbols(names: Sequence[str]) -> str:
    return listed([*map(symbol_of, names)])


def _rounding(marking: Marking) -> tuple[str, ...]:
    """Say why numbers count as right though exact ones round otherwise."""
    carried, hidden = (sum(table.count(mark) for table in marking.tables) for mark in (Mark.CARRIED, Mark.HIDDEN))
    said = []
    if half := marking.half:
        digits = str(_DIGITS_OF_HALF[half.dtype])
        said.append(say("marking.rounding.half", names=_symbols(half.tables), dtype=half.dtype, digits=digits))
    if carried:
        said.append(say("marking.rounding.carried", n=carried))
    before = _hiding(marking)
    if hidden and before:
        said.append(say("marking.rounding.hidden", n=hidden, names=_symbols(before)))
    return tuple(said)


def _hiding(marking: Marking) -> Sequence[str]:
    """Return which tables hide digits: inputs, or else any."""
    taken = [name for name in marking.rounded if name in marking.taken]
    return taken or marking.rounded or (marking.half.tables if marking.half else ())


def reading_in_words(marking: Marking) -> tuple[str, ...]:
    """Say how a handout was read, if unusual or shown by numbers."""
    reading, said = marking.reading, []
    if marking.masked is not None and (kind := marking.masked.kind):
        of = say(f"explanation.of_mask.{kind.words}", tokens=plural(marking.masked.size, "token"))
        said.append(say("marking.reading.masked") if kind.name == CAUSAL else say("marking.reading.hidden", of=of))
    for table in marking.tables:
        if table.unit > 1:
            said.append(say(f"marking.reading.{'percent' if table.unit == 100 else 'parts'}", title=table.stage.title))
    if marking.otherwise is not None:
        return tuple(said)  # the reading itself is in doubt
    if marking.said:
        return (*said, say("marking.reading.half", dtype=marking.said, digits=str(_DIGITS_OF_HALF[marking.said])))
    if reading.inputs == "rounded":
        most = max((marking.decimals[name] for name in marking.rounded), default=0)
        said.append(say("marking.reading.inputs", decimals=plural(most, "decimal")))
    elif reading.inputs == "long" and marking.half is None:
        said.append(say("marking.reading.long", names=_symbols(_hiding(marking))))
    if reading.results == "cut":
        said.append(say("marking.reading.cut", n=marking.count(Mark.CUT)))
    elif reading.inputs == "exact":
        said += _carried_in_words(marking)
    return tuple(said)


def _carried_in_words(marking: Marking) -> list[str]:
    """Say how results were carried on, if their numbers show it."""
    rounded = marking.count(Mark.CARRIED)
    full = sum(int((table.at(Mark.RIGHT) & ~table.windows.hold(table.followed)).sum()) for table in marking.tables)
    if marking.reading.results == "full" or (full and not rounded):
        return [say("marking.reading.full")]
    if rounded:
        return [say(f"marking.reading.{'both' if full else 'rounded'}")]
    return []


@typed
def place_of(stage: Stage, row: int, column: int, tokens: Sequence[str] = ()) -> str:
    """Return a cell's name: its row's and key's tokens, then its indices."""
    row, column = check_whole("row", row, 0, _MOST), check_whole("column", column, 0, _MOST)
    name = stage.at(row, column)
    of_row = shown_token(tokens, row) if stage.rows != "feature" else ""
    of_column = shown_token(tokens, column) if stage.columns == "key" else ""
    if of_row and of_column:
        what = say(f"marking.cell.{base_of(stage.name)}")
        return say("marking.cell.pair", what=what, row=of_row, column=of_column, name=name)
    return say("marking.cell.of_row", row=of_row, name=name) if of_row else say("marking.cell.bare", name=name)


def _doubt(marking: Marking, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return what is doubtful, and how everything would be right."""
    first, otherwise = marking.first_doubtful, marking.otherwise
    if first is None or otherwise is None:
        return ()
    table, row, column = first
    given, right = (
        as_printed(float(each[row, column]), table.decimals_at(row, column)) for each in (table.given, table.exact)
    )
    most = max((marking.decimals[name] for name in otherwise.rounded), default=0)
    cell = place_of(table.stage, row, column, tokens)
    return (
        say("marking.doubt.exact", cell=cell, given=given, right=right),
        say(f"marking.doubt.{'some' if otherwise.n_not_right else 'otherwise'}", decimals=plural(most, "decimal")),
    )


def _first_error(table: MarkedTable, row: int, column: int, tokens: Sequence[str]) -> str:
    given, exact, followed = (
        as_printed(float(each[row, column]), table.decimals_at(row, column))
        for each in (table.given, table.exact, table.followed)
    )
    places = {"cell": place_of(table.stage, row, column, tokens), "given": given, "right": exact}
    if table.marks[row][column] == Mark.UNLIKELY:
        return say("marking.first.unlikely", **places)
    if exact == followed:
        return say("marking.first.error", **places)
    return say("marking.first.error_two", followed=followed, **places)


def explained(marking: Marking, table: MarkedTable, row: int, column: int, tokens: Sequence[str] = ()) -> Explanation:
    """Return how a result follows from the tables before it."""
    values: dict[str, Any] = {name: torch.from_numpy(each) for name, each in marking.before.items()}
    values[table.stage.name] = torch.from_numpy(np.ascontiguousarray(table.followed))
    for name in set(VECTORS) & set(values):
        values[name] = values[name][0]
    shown = [marking.decimals.get(name, 0) for name in (*table.stage.sources, table.stage.name)]
    least = min(max(*shown, MIN_DIGITS), MAX_DIGITS)
    trace = Trace(marking.stages, values, tokens)
    said = [explain(trace, table.stage.name, row, column, digits=digits) for digits in range(least, MAX_DIGITS + 1)]
    return next((each for each in said if _adds_up(each.steps)), said[0])


def _adds_up(steps: Sequence[str]) -> bool:
    """Whether each sum's rounded terms add up to the number below.

    >>> _adds_up(("= 0.49 + 0.24 + 0.12", "= 0.86")), _adds_up(("= 0.494 − 0.240", "= 0.254"))
    (False, True)
    """
    for first, then in pairwise(step.replace("−", "-") for step in steps):
        result = _RESULT.fullmatch(then)
        if result and _SUM.fullmatch(first):
            terms = [Decimal(digits) * (-1) ** signs.count("-") for signs, digits in _TERM.findall(first)]
            if sum(terms) != Decimal(result[1]):
                return False
    return True


def _of_table(marking: Marking, table: MarkedTable) -> str:
    title, n_cells = table.stage.title, table.n_cells
    counts = {mark: table.count(mark) for mark in Mark}
    right, carried, cut = counts[Mark.RIGHT], counts[Mark.CARRIED] + counts[Mark.HIDDEN], counts[Mark.CUT]
    if right == n_cells:
        return say("marking.table.right", n=n_cells, title=title)
    if right + carried + cut == n_cells:
        parts = [say("marking.table.rounded", n=carried)] if carried and n_cells > 1 else []
        parts += [_parts(rounded=carried if n_cells == 1 else 0, cut=cut)] if cut or n_cells == 1 else []
        return say("marking.table.right_but", n=n_cells, title=title, parts=", ".join(parts))
    said = [say("marking.part.right", n=right, all=n_cells)] if right else []
    printed_before = any(name in marking.decimals and name not in marking.taken for name in _makers(marking, table))
    wrong = {"wrong_anyway" if printed_before else "wrong": counts[Mark.WRONG]}
    said.append(
        _parts(
            "; ", rounded_too=carried, cut_too=cut, unlikely=counts[Mark.UNLIKELY], doubtful=counts[Mark.DOUBTFUL],
            follow=counts[Mark.FOLLOWS], **wrong,
        )
    )  # fmt: skip
    return say("marking.table.some", title=title, parts="; ".join(said))


def _makers(marking: Marking, table: MarkedTable) -> tuple[str, ...]:
    """Return the tables that a result follows from, except inputs."""
    makers: list[str] = []
    for source in table.stage.sources:
        stage = marking.stages[source]
        makers += [source] if stage.sources else []
        makers += [name for name in stage.sources if marking.stages[name].sources]
    return tuple(makers)
