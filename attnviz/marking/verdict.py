"""A marking in words: the first error with its arithmetic, and how every table stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from attnviz.explanation import Explanation, explain
from attnviz.marking.marks import Mark
from attnviz.marking.pipeline import MarkedTable, Marking
from attnviz.marking.slips import slip
from attnviz.numbers import MAX_DIGITS, MIN_DIGITS
from attnviz.printed import as_printed
from attnviz.stages import EVERY_STAGE, STAGES, VECTORS
from attnviz.tokens import visible


@dataclass(frozen=True)
class Verdict:
    """What an examiner says: the verdict in one sentence, the first error, and each table in turn.

    `first_error` is empty where nothing is wrong, and `arithmetic` with it: these are lines to stand below each other.
    `nothing_yet` is what to add where no table follows from the others, and the summary then no verdict. `rounding`
    says why numbers are right that are not what exact arithmetic rounds to. Texts of tokens are not escaped.
    """

    summary: str
    nothing_yet: str
    first_error: str
    arithmetic: tuple[str, ...]
    tables: tuple[str, ...]
    slips: tuple[str, ...]
    rounding: tuple[str, ...]


def verdict(marking: Marking, tokens: Sequence[str] = ()) -> Verdict:
    """Put a marking into words; `tokens` name the rows, as far as there are any.

    >>> from attnviz.marking.pipeline import mark_pipeline
    >>> given = {"q": [[1, 0], [0, 1]], "k": [[1, 2], [3, 4]], "scores": [[1, 3], [2, 5]]}
    >>> verdict(mark_pipeline(given, decimals=0)).first_error
    'The first error is in Scores, row 2, column 2 (counted from 1): 5 is printed, 4 is right.'
    """
    first = marking.first_wrong
    return Verdict(
        summary=_summary(marking),
        nothing_yet="" if any(table.n_cells for table in marking.tables) else _to_add(marking),
        first_error=_first_error(*first, tokens) if first else "",
        arithmetic=_arithmetic(marking, *first, tokens) if first else (),
        tables=tuple(_of_table(marking, table) for table in marking.tables if table.n_cells),
        slips=tuple(filter(None, (slip(marking, table) for table in marking.tables))),
        rounding=_rounding(marking),
    )


def _summary(marking: Marking) -> str:
    n_cells = sum(table.n_cells for table in marking.tables)
    if not n_cells:
        return "There is nothing to mark yet: no table follows from the others."
    differing = sum(table.n_differing for table in marking.tables)
    counts = {mark: sum(table.count(mark) for table in marking.tables) for mark in Mark}
    carried, shorter = counts[Mark.CARRIED] + counts[Mark.HIDDEN], counts[Mark.SHORTER]
    if not counts[Mark.WRONG] + counts[Mark.FOLLOWS]:
        all_right = "The 1 result is right" if n_cells == 1 else f"All {n_cells} results are right"
        if not differing:
            return f"{all_right}, to the last printed digit."
        parts = _counted(
            (counts[Mark.RIGHT], "{} to the last printed digit"), (carried, "{} by carried rounding"),
            (shorter, "{} with one digit fewer"),
        )  # fmt: skip
        return f"{all_right}: {parts}."
    parts = _counted(
        (counts[Mark.WRONG], "{} wrong"), (counts[Mark.FOLLOWS], "{} right given the wrong numbers before"),
        (carried, "{} right by carried rounding"), (shorter, "{} right with one digit fewer"),
    )  # fmt: skip
    verb = "differs" if differing == 1 else "differ"
    return f"{differing} of {n_cells} results {verb} from exact arithmetic: {parts}."


def _counted(*parts: tuple[int, str]) -> str:
    return ", ".join(words.format(n) for n, words in parts if n)


def _to_add(marking: Marking) -> str:
    """Say which tables, added to those that are taken as given, would give something to mark: the fewest."""
    taken = marking.taken
    groups = [(*stage.sources, stage.name) for stage in STAGES.values() if stage.sources]
    missing = [[name for name in group if name not in taken] for group in groups if set(group) & set(taken)]
    fewest = min(missing, key=len, default=["q", "k", "scores"])
    names = " and ".join(STAGES[name].title for name in fewest)
    given = f"{', '.join(EVERY_STAGE[name].symbol for name in taken)} alone" if taken else "What is typed"
    return f"{given} cannot be right or wrong. Add {names}, for example, and the result is marked."


def _rounding(marking: Marking) -> tuple[str, ...]:
    """Say why numbers are right by carried rounding: each of the two ways that there are."""
    carried, hidden = (sum(table.count(mark) for table in marking.tables) for mark in (Mark.CARRIED, Mark.HIDDEN))
    said = []
    if carried:
        n, they = _numbers(carried)
        said.append(
            f"{n} right by carried rounding: not what exact arithmetic rounds to, but exactly what arithmetic on the "
            f"printed, rounded numbers before {they} gives. That is no error."
        )
    if hidden:
        n, they = _numbers(hidden)
        before = [name for name in marking.rounded if name in marking.taken] or marking.rounded
        names = ", ".join(EVERY_STAGE[name].symbol for name in before)
        said.append(
            f"{n} right by carried rounding: {names} {'hides' if len(before) == 1 else 'hide'} the digits after those "
            f"that are printed, and these digits can move {they} in the last place. That is no error."
        )
    return tuple(said)


def _numbers(n: int) -> tuple[str, str]:
    return ("1 number is", "it") if n == 1 else (f"{n} numbers are", "them")


def place_of(table: MarkedTable, row: int, column: int, tokens: Sequence[str] = ()) -> str:
    """Name a cell for people: counted from 1, with the token of its row, and of its column where that is a key."""
    stage = table.stage
    names = [f"row {row + 1}"] if stage.name not in VECTORS else []
    names.append(f"column {column + 1}")
    of_row = _quoted(tokens, row) if stage.rows != "feature" else ""
    of_column = _quoted(tokens, column) if stage.columns == "key" else ""
    if of_row and of_column:
        names.append(f"{of_row} to {of_column}")
    elif of_row:
        names.append(of_row)
    return ", ".join(names)


def _quoted(tokens: Sequence[str], place: int) -> str:
    return f"‘{visible(tokens[place]).replace('␣', ' ')}’" if place < len(tokens) else ""


def _first_error(table: MarkedTable, row: int, column: int, tokens: Sequence[str]) -> str:
    decimals = table.decimals
    exact, followed = (as_printed(float(each[row, column]), decimals) for each in (table.exact, table.followed))
    right = f"{exact} is right"
    if exact != followed:
        right += f" (and the printed tables before it give {followed})"
    given = as_printed(float(table.given[row, column]), decimals)
    place = place_of(table, row, column, tokens)
    return f"The first error is in {table.stage.title}, {place} (counted from 1): {given} is printed, {right}."


def _arithmetic(marking: Marking, table: MarkedTable, row: int, column: int, tokens: Sequence[str]) -> tuple[str, ...]:
    explanation = explained(marking, table, row, column, tokens)
    return f"{explanation.symbols} (as Python counts, from 0)", *explanation.steps


def explained(marking: Marking, table: MarkedTable, row: int, column: int, tokens: Sequence[str] = ()) -> Explanation:
    """Explain how a result is made from the printed tables before it, or from what follows from them."""
    values: dict[str, Any] = {name: torch.from_numpy(each) for name, each in marking.before.items()}
    values[table.stage.name] = torch.from_numpy(np.ascontiguousarray(table.followed))
    for name in set(VECTORS) & set(values):
        values[name] = values[name][0]
    if table.stage.rule == "scale" and "q" not in values:
        # A divisor needs d_k; where no query is known, only the shape of one counts.
        values["q"] = torch.full((1, marking.settings.d_k or 1), torch.nan, dtype=torch.float64)
    settings = marking.settings
    shown = [marking.decimals.get(name, 0) for name in (*table.stage.sources, table.stage.name)]
    digits = min(max(*shown, MIN_DIGITS), MAX_DIGITS)
    trace: Any = SimpleNamespace(
        **dict.fromkeys(EVERY_STAGE) | values,
        causal=settings.causal, scale=settings.scale, temperature=settings.temperature, tokens=tuple(tokens),
    )  # fmt: skip
    return explain(trace, table.stage.name, row, column, digits=digits)


def _of_table(marking: Marking, table: MarkedTable) -> str:
    name, n_cells = table.stage.title, table.n_cells
    counts = {mark: table.count(mark) for mark in Mark}
    carried, shorter = counts[Mark.CARRIED] + counts[Mark.HIDDEN], counts[Mark.SHORTER]
    if counts[Mark.RIGHT] + carried + shorter == n_cells:
        of_them = _counted((carried, "{} of them by carried rounding"), (shorter, "{} with one digit fewer"))
        return f"{name}: all {n_cells} right{f', {of_them}' if of_them else ''}."
    said = [f"{counts[Mark.RIGHT]} of {n_cells} right"] if counts[Mark.RIGHT] else []
    if carried:
        said.append(f"{carried} right by carried rounding")
    if shorter:
        said.append(f"{shorter} right with one digit fewer")
    if counts[Mark.FOLLOWS]:
        said.append(
            f"{counts[Mark.FOLLOWS]} right given the wrong numbers before: what follows from the printed tables"
        )
    if counts[Mark.WRONG]:
        printed_before = any(name in marking.decimals and name not in marking.taken for name in _makers(table))
        either = ", which does not follow" if counts[Mark.WRONG] == 1 else ", which do not follow"
        also = f"{either} from the printed tables before either" if printed_before else ""
        said.append(f"{counts[Mark.WRONG]} wrong{also}")
    return f"{name}: {'; '.join(said)}."


def _makers(table: MarkedTable) -> tuple[str, ...]:
    """The tables that a result is followed from, without those that are inputs."""
    makers: list[str] = []
    for source in table.stage.sources:
        stage = EVERY_STAGE[source]
        makers += [source] if stage.sources else []
        makers += [name for name in stage.sources if EVERY_STAGE[name].sources]
    return tuple(makers)
