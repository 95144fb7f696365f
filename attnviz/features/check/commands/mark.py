"""The command that marks one handout, or a whole class."""

import argparse
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType

from attnviz.commands import Parser
from attnviz.core.limits import MAX_FILE_BYTES
from attnviz.core.stages import ACTIVATIONS, EVERY_STAGE
from attnviz.features.check.exercises.class_files import STUDENTS, page_names, told_of_common
from attnviz.features.check.exercises.exercise import Exercise
from attnviz.features.check.exercises.gradebook import (
    Points,
    class_page,
    gradebook_csv,
    points_of,
    read_keys,
    student_page,
)
from attnviz.features.check.exercises.hand_ins import Linked, Marked, hand_ins_of, mark_hand_in
from attnviz.features.check.marking import CARRIED, mark_fitting, verdict
from attnviz.features.check.marking.handout import tables_in
from attnviz.features.check.marking.settings import symbol_of
from attnviz.features.check.marking_page import marking_csv, marking_page
from attnviz.features.check.parameters import ANSWERS, ANSWERS_TEXT, CHECK, CHECK_TEXT, EXERCISE
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_upload, told_of_broken
from attnviz.words import say

MOST_FILES = 1000
_INPUTS: Mapping[str | None, bool] = MappingProxyType({"exact": False, "rounded": True})
# Options that can't be given with --key, because each sheet of a key has its own settings.
_OF_THE_KEY = (
    "unscaled", "causal", "d_k", "heads", "temperature", "activation", "carried", "inputs", "decimals", "tokens",
)  # fmt: skip


def _mark_parser() -> Parser:
    parser = Parser("mark")
    parser.add("file", type=Path)
    parser.add("--key", type=Path, metavar="FILE")
    parser.add("--points", default="")
    parser.add("--unscaled", action="store_true")
    parser.add("--causal", action=argparse.BooleanOptionalAction)
    parser.add("--d-k", type=int)
    parser.add("--heads", type=int)
    parser.add("--temperature", type=float, default=1.0)
    parser.add("--activation", choices=tuple(ACTIVATIONS), default="relu")
    parser.add("--carried", choices=CARRIED)
    parser.add("--inputs", choices=tuple(_INPUTS))
    parser.add("--decimals", type=int)
    parser.add("--tokens", default="")
    parser.add("--html", type=Path, metavar="FILE")
    parser.add("--csv", type=Path, metavar="FILE")
    return parser


def mark(arguments: Sequence[str]) -> int:
    """Mark a file; return 0 (all right), 1 (errors) or 2 (unmarked)."""
    given = _mark_parser().parse_args(arguments)
    _check_beside_key(given)
    if given.key is not None:
        return _mark_class(given)
    text = read_upload(read_file(given.file))
    tables, refused = _tables_of(text)
    marking, misfits = mark_fitting(
        tables, scale=not given.unscaled, causal=given.causal, d_k=given.d_k, decimals=given.decimals,
        n_heads=given.heads, temperature=given.temperature, activation=given.activation, carried=given.carried,
        rounded_inputs=_INPUTS.get(given.inputs),
    )  # fmt: skip
    tokens = tuple(name.strip() for name in given.tokens.split(",") if name.strip())
    write_text(given.html, marking_page(marking, tokens, given.file.name))
    write_text(given.csv, marking_csv(marking, tokens))
    words = verdict(marking, tokens)
    first = [words.first_error, *(f"  {line}" for line in words.arithmetic)] if words.first_error else []
    summary = f"{words.summary} {words.nothing_yet}".rstrip()
    print("\n".join([summary, *first, *words.doubt, *words.slips, *words.tables, *words.reading, *words.rounding]))
    notes = [f"{symbol_of(name)}: {told}" for name, table in tables.items() for told in table.remarks]
    notes += [f"{symbol_of(name)} isn't read. {why}" for name, why in refused.items()]
    notes += [f"{symbol_of(each.name)} isn't marked. {each.error} {each.cause}".rstrip() for each in misfits]
    for note in filter(None, [told_of_broken(text), *notes]):
        print(f"attnviz: {note}", file=sys.stderr)
    if refused or misfits or not any(table.n_cells for table in marking.tables):
        return 2
    return 1 if marking.n_not_right else 0


def _check_beside_key(given: argparse.Namespace) -> None:
    """Raise ``ValueError`` for options that --key excludes, or that need it."""
    usual = _mark_parser().parse_args(["-"])
    idle = _OF_THE_KEY if given.key is not None else ("points",)
    named = [f"--{name.replace('_', '-')}" for name in idle if getattr(given, name) != getattr(usual, name)]
    if named and given.key is not None:
        raise ValueError(f"{', '.join(named)} beside --key, expected none: the key says how each sheet is marked")
    if named:
        raise ValueError(f"{', '.join(named)} without --key, expected a key, whose results are worth points")


def read_file(file: Path) -> bytes:
    """Return a file's or stdin's bytes; ``ValueError`` if unusable or too large."""
    if str(file) != "-":
        _check_file(file)
    with nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb") as source:
        data = source.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        most = MAX_FILE_BYTES // 2**20
        raise ValueError(f"{file} is larger than {most} MB, expected a file of at most {MAX_FILE_BYTES:,} bytes")
    return data


def _check_file(file: Path) -> None:
    """Refuse a folder, and a named pipe, which may never send anything.

    A shell's ``<(command)`` is a pipe below ``/dev``, and is accepted because the command writes into it.
    """
    mode = file.stat().st_mode
    if stat.S_ISDIR(mode):
        raise ValueError(f"{file} is a folder, expected a file; of a class, --key keys.json says what to mark it by")
    if stat.S_ISFIFO(mode) and file.parts[:2] != ("/", "dev"):
        raise ValueError(f"{file} is a pipe, expected a file, or - for what is piped in")


def _tables_of(text: str) -> tuple[dict[str, Printed], dict[str, str]]:
    """Return a text's named tables, and why others can't be read."""
    found = sorted_tables(text)
    if not found.tables:
        names = ", ".join(stage.symbol for stage in EVERY_STAGE.values())
        also = "or a word for one of these in English, German or French"
        raise ValueError(f"the file names no table, expected a name above each: {names}, {also}")
    if found.twice:
        raise ValueError(f"the file holds {', '.join(found.twice)} more than once, expected one table of each name")
    read = tables_in(found.tables)
    refused = {name: table for name, table in read.items() if isinstance(table, str)}
    return {name: table for name, table in read.items() if isinstance(table, Printed)}, refused


def write_text(file: Path | None, text: str) -> None:
    """Write a text into a file, if one is named."""
    if file is not None:
        file.write_text(text, encoding="utf-8", errors="replace")


# A class


def _mark_class(given: argparse.Namespace) -> int:
    """Mark all hand-ins of a class; return 2 if some couldn't be."""
    keys = read_keys(read_file(given.key).decode("utf-8", "replace"))
    points = Points(points_of(given.points), keys.values())
    marked = [each for file, name in _files_of(given.file) for each in _marked(file, name, keys)]
    write_text(given.csv, gradebook_csv(marked, points))
    if given.html is not None:
        (given.html / STUDENTS).mkdir(parents=True, exist_ok=True)
        write_text(given.html / "class.html", class_page(marked, points))
        for each, page in zip(marked, page_names(marked), strict=True):
            write_text(given.html / page, student_page(each, points))
    left = [each for each in marked if each.marking is None]
    print(say("exercises.class.summary", n=len(marked) - len(left), all=len(marked)))
    for told in told_of_common(marked):
        print(f"attnviz: {told}", file=sys.stderr)
    for each in left:
        print(f"attnviz: {each.name}: {' '.join(each.remarks)}", file=sys.stderr)
    return 2 if left or not marked else 0


def _files_of(folder: Path) -> list[tuple[Path, str]]:
    """Return all files of a folder with names; ``ValueError`` for too many."""
    if not folder.is_dir():
        return [(folder, folder.name)]
    found: list[tuple[Path, str]] = []
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        found += [(Path(path, each), Path(path, each).relative_to(folder).as_posix())
                  for each in sorted(files) if not each.startswith(".")]  # fmt: skip
        if len(found) > MOST_FILES:
            raise ValueError(f"{folder} holds more than {MOST_FILES} files, expected at most as many")
    return found


def _marked(file: Path, name: str, keys: Mapping[int, Exercise]) -> Iterator[Marked]:
    """Yield a file's marked hand-ins; an error is reported in its place."""
    try:
        if file.is_symlink() or not file.is_file():
            raise ValueError(say("exercises.class.no_file"))
        for hand_in in hand_ins_of(name, read_file(file), _linked):
            try:
                yield mark_hand_in(hand_in, keys)
            except Exception as error:
                yield Marked(hand_in.name, remarks=(_why(error),))
    except Exception as error:
        yield Marked(name, remarks=(_why(error),))


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, (ValueError, OSError)) else say("exercises.class.broken", error=repr(error))


def _linked(query: Mapping[str, str]) -> Linked | None:
    """Return the exercise and answers of a link's query, or None."""
    if ANSWERS not in query or CHECK not in query:
        return None
    checked = CHECK_TEXT.decode(query[CHECK])
    return Linked(checked.exercise, ANSWERS_TEXT.decode(query[ANSWERS])) if checked.mode == EXERCISE else None
