"""Files and links that a class hands in, matched to sheets, marked."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np

from attnviz.core.limits import ReaderError
from attnviz.core.stages import STAGES
from attnviz.features.check.exercises.exercise import DECIMALS, RESULTS, Exercise
from attnviz.features.check.marking import ENTERS, Mark, MarkedTable, Marking, Misfit, Verdict, mark_fitting, verdict
from attnviz.features.check.marking.causes import cause_in_words, causes_of
from attnviz.features.check.marking.handout import tables_in
from attnviz.features.check.marking.settings import symbol_of
from attnviz.features.tables.grids import is_workbook, read_workbook, tables_of_workbook
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_upload, told_of_broken
from attnviz.words import plural, say

_LINK = re.compile(r"https?://[^\s\"'<>]{1,100000}")
_SHEET = re.compile(r"\bsheet\W{0,9}([0-9]{1,10})(?:\W{1,9}(?:check word\W{1,9})?([a-z]{6})\b)?")
_WORD = re.compile(r"\b[a-z]{6}\b")
_COSTS = (*ENTERS, Mark.BLANK)
MOST_LINKS = 1000
_NAMED = ("x", "w_q", "w_k", "w_v", *RESULTS)


class Linked(NamedTuple):
    """A link's exercise, and its answers by places such as q.0.1."""

    exercise: Exercise
    answers: Mapping[str, str]


ReadLink = Callable[[Mapping[str, str]], Linked | None]


@dataclass(frozen=True)
class HandIn:
    """A hand-in: its words, its tables as text, its link's exercise."""

    name: str
    words: str
    tables: Mapping[str, str]
    twice: tuple[str, ...] = ()
    exercise: Exercise | None = None


@dataclass(frozen=True, eq=False)
class Marked:
    """A marked hand-in: sheet, marks, results of wrong shapes, and remarks.

    Without a marking, nothing could be marked, and `remarks` says why.
    """

    name: str
    exercise: Exercise | None = None
    marking: Marking | None = None
    misfits: tuple[Misfit, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def sheet(self) -> str:
        """The name of the hand-in's sheet, or empty."""
        return f"{self.exercise.seed} {self.exercise.check_word}" if self.exercise else ""

    def shares(self) -> dict[str, float]:
        """Return each result's credit, 0 to 1; follow-on errors count as right."""
        marked = {table.stage.name: table for table in self.marking.tables} if self.marking else {}
        return {name: _share(marked.get(name)) for name in (self.exercise.blank if self.exercise else ())}

    @cached_property
    def verdict(self) -> Verdict | None:
        """The verdict in words."""
        return verdict(self.marking, self.exercise.tokens) if self.marking and self.exercise else None

    @cached_property
    def causes(self) -> tuple[tuple[str, str], ...]:
        """The errors: each as (table and name of the slip, sentence)."""
        if not self.marking or not self.exercise:
            return ()
        misfits = [each for each in self.misfits if each.cause]
        found = [(f"{each.name} {each.error.kind}", f"{STAGES[each.name].title}: {each.cause}") for each in misfits]
        for table in self.marking.tables:
            if table.count(*ENTERS) and (said := cause_in_words(self.marking, table, self.exercise.tokens)):
                names = " ".join(cause.name for cause in causes_of(self.marking, table))
                found.append((f"{table.stage.name} {names}", said.removesuffix(".")))
        return tuple(found)


def _share(table: MarkedTable | None) -> float:
    return 1 - table.count(*_COSTS) / table.given.size if table is not None else 0.0


# Reading


def hand_ins_of(name: str, data: bytes, read_link: ReadLink) -> Iterator[HandIn]:
    """Yield a file's hand-ins; ``ValueError`` without tables or links."""
    if is_workbook(data):
        sheets = read_workbook(data)
        words = "\n".join("\t".join(row) for grid in sheets.values() for row in grid)
        text = tables_of_workbook(sheets)
    else:
        words = text = read_upload(data)
    links = [*_linked(name, words, read_link)]
    if links:
        yield from links
        return
    found = sorted_tables(text)
    if not found.tables:
        raise ReaderError(say("exercises.class.no_table", symbols=", ".join(map(symbol_of, _NAMED))))
    yield HandIn(name, words, found.tables, found.twice)


def _linked(name: str, text: str, read_link: ReadLink) -> Iterator[HandIn]:
    """Yield a hand-in for each link, named by its line."""
    lines = [(n, found) for n, line in enumerate(text.splitlines(), 1) if (found := _LINK.search(line))]
    several = len(lines) > 1
    for n, found in lines[:MOST_LINKS]:
        query = {key: each[-1] for key, each in parse_qs(urlsplit(html.unescape(found[0])).query).items()}
        linked = read_link(query)
        if linked is None or not linked.answers:
            continue
        label = found.string[: found.start()].strip(" \t,;:|\"'") or str(n)
        yield HandIn(f"{name}: {label}" if several else name, "", _tables(linked), exercise=linked.exercise)


def _tables(linked: Linked) -> dict[str, str]:
    tables = {}
    for name in linked.exercise.blank:
        rows, columns = linked.exercise.table(name).shape
        cells = [
            [linked.answers.get(f"{name}.{i}.{j}", "?").strip() or "?" for j in range(columns)] for i in range(rows)
        ]
        if any(cell != "?" for row in cells for cell in row):
            tables[name] = "\n".join("\t".join(row) for row in cells)
    return tables


# Whose sheet it is


def _sheet_of(hand_in: HandIn, inputs: Mapping[str, Printed], keys: Mapping[int, Exercise]) -> tuple[Exercise, str]:
    """Return the sheet of a hand-in, and a remark on that.

    Raises ``ValueError`` if it belongs to no sheet, or if it names one that has other inputs than its own.
    """
    if hand_in.exercise is not None:
        sheet = keys.get(hand_in.exercise.seed)
        if sheet != hand_in.exercise:
            raise ReaderError(say("exercises.class.other_link", number=hand_in.exercise.seed))
        return sheet, ""
    stated = _stated(hand_in, keys)
    fitting = [sheet for sheet in keys.values() if inputs and _has(sheet, inputs)]
    if stated is None:
        if len(fitting) != 1:
            raise ReaderError(say("exercises.class.no_sheet"))
        return fitting[0], say("exercises.class.by_inputs", number=fitting[0].seed)
    if fitting and stated not in fitting:
        raise ReaderError(say("exercises.class.others_inputs", number=stated.seed, other=fitting[0].seed))
    if "x" in inputs and not fitting and not _has(stated, inputs):
        return stated, say("exercises.class.inputs_differ", number=stated.seed)
    return stated, ""


def _stated(hand_in: HandIn, keys: Mapping[int, Exercise]) -> Exercise | None:
    """Return the sheet that a hand-in, or its file's name, states."""
    words = f"{hand_in.name.replace('_', ' ')}\n{hand_in.words}".lower()
    told = set(_WORD.findall(words))
    by_word = [sheet for sheet in keys.values() if sheet.check_word in told]
    if len(by_word) == 1:
        return by_word[0]
    for number, word in _SHEET.findall(words):
        sheet = keys.get(int(number))
        if sheet is None or (word and sheet.check_word not in told):
            raise ReaderError(say("exercises.class.other_word", number=number))
        return sheet
    return None


def _has(sheet: Exercise, inputs: Mapping[str, Printed]) -> bool:
    """Whether all given inputs are those of a sheet."""
    return all(np.array_equal(table.array, sheet.table(name)) for name, table in inputs.items())


# Marking


def mark_hand_in(hand_in: HandIn, keys: Mapping[int, Exercise]) -> Marked:
    """Mark a hand-in against its sheet; say what can't be marked."""
    read = tables_in(hand_in.tables)
    told = [say("exercises.class.unread", symbol=symbol_of(name), why=why)
            for name, why in read.items() if isinstance(why, str)]  # fmt: skip
    told += filter(None, [told_of_broken(hand_in.words)])
    told += [say("exercises.class.twice", symbol=symbol_of(name)) for name in hand_in.twice]
    tables = {name: table for name, table in read.items() if isinstance(table, Printed)}
    inputs = {name: table for name, table in tables.items() if name in ("x", "w_q", "w_k", "w_v")}
    try:
        sheet, of_sheet = _sheet_of(hand_in, inputs, keys)
    except ReaderError as error:
        return Marked(hand_in.name, remarks=(str(error), *told))
    given = {name: Printed.of(sheet.table(name), DECIMALS) for name in sheet.printed}
    answers = {name: table.with_decimals(DECIMALS) for name, table in tables.items() if name in sheet.blank}
    missing = [symbol_of(name) for name in sheet.blank if name not in read]
    told += [say("exercises.class.missing", symbols=", ".join(missing))] if missing else []
    settings: dict[str, Any] = {"scale": sheet.scale, "causal": False, "d_k": sheet.d_k, "rounded_inputs": False}
    # After a wrong number, some students go on with what they wrote, and some with all digits. Neither costs points.
    marking, misfits = mark_fitting(given | answers, **settings)
    if marking.count(*ENTERS):
        other, others = mark_fitting(given | answers, carried="full", **settings)
        if other.count(*ENTERS) < marking.count(*ENTERS):
            marking, misfits = other, others
    marking = replace(marking, tables=tuple(table for table in marking.tables if table.stage.name in sheet.blank))
    told += [_misfit(sheet, misfit.name, tables[misfit.name]) for misfit in misfits]
    return Marked(hand_in.name, sheet, marking, misfits, tuple(filter(None, (of_sheet, *told))))


def _misfit(sheet: Exercise, name: str, table: Printed) -> str:
    """Say which shape a wrongly shaped result should have."""
    shapes = {"has": table.shape, "asked": sheet.table(name).shape}
    counts = {
        key: say("exercises.class.shape", rows=plural(shape[0], "row"), columns=plural(shape[1], "column"))
        for key, shape in shapes.items()
    }
    return say("exercises.class.misfit", symbol=symbol_of(name), **counts)


def results_of(sheets: Iterable[Exercise]) -> tuple[str, ...]:
    """Return the results that a class's sheets ask for, in order."""
    asked = {name for sheet in sheets for name in sheet.blank}
    return tuple(name for name in RESULTS if name in asked)
