"""What a teacher asks of the command line: a handout marked, the sheets of a class, the kit of a study."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlencode

from attnviz.core.limits import MAX_SEED, in_short
from attnviz.core.stages import ACTIVATIONS, EVERY_STAGE
from attnviz.documents import marking_csv, marking_page
from attnviz.exercises.answer_sheet import class_sheets
from attnviz.exercises.exercise import MOST_D, MOST_TOKENS, RESULTS, RUNGS, Exercise, left_out
from attnviz.link.page_texts import CHECK_TEXT, EXERCISE, Checked
from attnviz.marking import CARRIED, Marking, mark_fitting, verdict
from attnviz.marking.handout import tables_in
from attnviz.marking.settings import symbol_of
from attnviz.study.kit import kit
from attnviz.study.results import Interval, Results, results_of
from attnviz.tables.handout import sorted_tables
from attnviz.tables.printed_table import Printed
from attnviz.tables.reading import MAX_UPLOAD_BYTES, read_upload
from attnviz.words import say
from attnviz.words.numbers import written

MOST_SHEETS = 1000
_INPUTS: Mapping[str | None, bool] = MappingProxyType({"exact": False, "rounded": True})
ADDRESS = "http://localhost:8501/check"


def _mark_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="attnviz mark",
        description="Marks the tables of a handout, which stand below their names. Of a second or a kept sentence,"
        " these are Q, K, V and what follows, without X.",
    )
    parser.add_argument("file", type=Path, help="Markdown, LaTeX, HTML, JSON, a notebook, or a print-out; - for stdin")
    parser.add_argument("--unscaled", action="store_true", help="the scores aren't divided by √d_k")
    parser.add_argument("--causal", action=argparse.BooleanOptionalAction, help="a causal mask (default: found)")
    parser.add_argument("--d-k", type=int, help="needed where no table shows it")
    parser.add_argument("--heads", type=int, help="how many (default: as many as there are tables for)")
    parser.add_argument("--temperature", type=float, default=1.0, help="of the softmax (default: 1)")
    parser.add_argument("--activation", choices=tuple(ACTIVATIONS), default="relu", help="of the feed-forward step")
    parser.add_argument("--carried", choices=CARRIED, help="how results are carried on (default: found)")
    parser.add_argument(
        "--inputs", choices=tuple(_INPUTS), help="what inputs are: with rounded digits (default: found)"
    )
    parser.add_argument("--decimals", type=int, help="how many count (default: as printed)")
    parser.add_argument("--tokens", default="", help="the names of the rows, with commas between them")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write verdict and marks as a page to print")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every mark as a line of CSV")
    return parser


def mark(arguments: Sequence[str]) -> int:
    """Mark the tables of a file; return 0 where all are right, 1 where some number isn't, 2 where nothing is marked."""
    given = _mark_parser().parse_args(arguments)
    tables, refused = _tables_of(read_upload(_read(given.file)))
    marking, misfits = mark_fitting(
        tables, scale=not given.unscaled, causal=given.causal, d_k=given.d_k, decimals=given.decimals,
        n_heads=given.heads, temperature=given.temperature, activation=given.activation, carried=given.carried,
        rounded_inputs=_INPUTS.get(given.inputs),
    )  # fmt: skip
    tokens = tuple(name.strip() for name in given.tokens.split(",") if name.strip())
    _write(given.html, marking_page(marking, tokens, given.file.name))
    _write(given.csv, marking_csv(marking, tokens))
    print("\n".join(_in_lines(marking, tokens)))
    notes = [f"{symbol_of(name)}: {told}" for name, table in tables.items() for told in table.told]
    notes += [f"{symbol_of(name)} isn't read. {why}" for name, why in refused.items()]
    notes += [f"{symbol_of(each.name)} isn't marked. {each.error} {each.cause}".rstrip() for each in misfits]
    for note in notes:
        print(f"attnviz: {note}", file=sys.stderr)
    if refused or misfits or not any(table.n_cells for table in marking.tables):
        return 2
    return 1 if marking.n_not_right else 0


def _read(file: Path) -> bytes:
    """Return what stands in a file, or comes from stdin, which may never end: one byte more than can be used, at most;
    ``ValueError`` for more."""
    with nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb") as source:
        data = source.read(MAX_UPLOAD_BYTES + 1)
    if len(data) > MAX_UPLOAD_BYTES:
        raise ValueError(f"the file goes on behind {MAX_UPLOAD_BYTES:,} bytes, expected at most as many")
    return data


def _tables_of(text: str) -> tuple[dict[str, Printed], dict[str, str]]:
    """Return the named tables of a text, and why some of them can't be read."""
    found = sorted_tables(text)
    if not found.tables:
        names = ", ".join(stage.symbol for stage in EVERY_STAGE.values())
        raise ValueError(f"the file names no table, expected a name above each: {names}, or what they stand for")
    if found.twice:
        raise ValueError(f"the file holds {', '.join(found.twice)} more than once, expected one table of each name")
    read = tables_in(found.tables)
    refused = {name: table for name, table in read.items() if isinstance(table, str)}
    return {name: table for name, table in read.items() if isinstance(table, Printed)}, refused


def _in_lines(marking: Marking, tokens: Sequence[str]) -> list[str]:
    words = verdict(marking, tokens)
    first = [words.first_error, *(f"  {line}" for line in words.arithmetic)] if words.first_error else []
    summary = f"{words.summary} {words.nothing_yet}".rstrip()
    return [summary, *first, *words.doubt, *words.slips, *words.tables, *words.reading, *words.rounding]


def _write(file: Path | None, text: str) -> None:
    if file is not None:
        file.write_text(text, encoding="utf-8", errors="replace")


def exercise(arguments: Sequence[str]) -> int:
    """Write the sheets of a class and their keys; return 0, or 2 where that can't be."""
    parser = argparse.ArgumentParser(
        prog="attnviz exercise", description="Writes exercises for a class, another one on each sheet, and their keys."
    )
    parser.add_argument("--html", type=Path, metavar="DIR", required=True, help="for sheets.html and keys.html")
    parser.add_argument("--seed", type=int, default=1, help="of the first sheet; each other has the next (default: 1)")
    parser.add_argument("--sheets", type=int, default=1, help=f"how many, up to {MOST_SHEETS} (default: 1)")
    parser.add_argument("--tokens", type=int, default=3, help=f"2 to {MOST_TOKENS} (default: 3)")
    parser.add_argument("--d-in", type=int, default=2, help=f"1 to {MOST_D} (default: 2)")
    parser.add_argument("--d-k", type=int, default=2, help=f"1 to {MOST_D} (default: 2)")
    parser.add_argument("--decimals", action="store_true", help="inputs with a decimal, not whole numbers")
    parser.add_argument("--unscaled", action="store_true", help="don't divide the scores by √d_k")
    parser.add_argument("--blank", nargs="*", choices=RESULTS, default=Exercise().blank, help="what is left out")
    parser.add_argument("--rung", type=int, choices=RUNGS, help="of the ladder: the last so many steps are left out")
    parser.add_argument("--address", default=ADDRESS, help=f"where the app's page is opened (default: {ADDRESS})")
    given = parser.parse_args(arguments)
    sheets, keys = class_sheets(_exercises(given), lambda one: _link(given.address, one))
    given.html.mkdir(parents=True, exist_ok=True)
    _write(given.html / "sheets.html", sheets)
    _write(given.html / "keys.html", keys)
    return 0


def _exercises(given: argparse.Namespace) -> list[Exercise]:
    last = given.seed + given.sheets - 1
    if not 1 <= given.sheets <= MOST_SHEETS or not 0 <= given.seed <= last <= MAX_SEED:
        asked = f"{in_short(given.sheets)} from seed {in_short(given.seed)}"
        raise ValueError(f"sheets are {asked}, expected 1 to {MOST_SHEETS}, with seeds from 0 to {MAX_SEED}")
    blank = tuple(name for name in RESULTS if name in given.blank) if given.rung is None else left_out(given.rung)
    return [
        Exercise(seed, given.tokens, given.d_in, given.d_k, not given.decimals, not given.unscaled, blank, fair=True)
        for seed in range(given.seed, last + 1)
    ]


def _link(address: str, one: Exercise) -> str:
    text = CHECK_TEXT.encode(Checked(EXERCISE, exercise=one, for_student=True))
    return f"{address.rstrip('/?')}?{urlencode({'check': text})}"


def study(arguments: Sequence[str]) -> int:
    """Write the kit of a study, or say what its results come to; return 0, or 2 where that can't be."""
    parser = argparse.ArgumentParser(
        prog="attnviz study",
        description="Writes tests for before, after and a week later, their key, a questionnaire, a protocol and a CSV"
        " for the results; or tells what results come to. docs/STUDY.md says what may be concluded.",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all items; results need the same (default: 1)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--html", type=Path, metavar="DIR", help="for the pages and results.csv")
    what.add_argument("--results", type=Path, metavar="FILE", help="results.csv, filled in")
    given = parser.parse_args(arguments)
    if given.results is not None:
        print("\n".join(_said_of(results_of(read_upload(_read(given.results)), given.seed))))
        return 0
    given.html.mkdir(parents=True, exist_ok=True)
    for name, text in kit(given.seed).items():
        (given.html / name).write_text(text, encoding="utf-8")
    return 0


def _said_of(results: Results) -> Iterator[str]:
    if not results.changes:
        yield say("study.result.nothing")
    for form, change in results.changes.items():
        before, after = written(change.before, 1), written(change.after, 1)
        yield say("study.result.change", form=say(f"study.result.form.{form}"), before=before, after=after, n=change.n)
        yield say("study.result.gain", **_places(change.gain, 1))
        yield say("study.result.effect", **_places(change.effect, 2))
    if results.usability:
        yield say("study.result.usability", **_places(results.usability, 1))


def _places(interval: Interval, digits: int) -> dict[str, str]:
    return {name: written(value, digits) for name, value in interval._asdict().items()}


COMMANDS: Mapping[str, Callable[[Sequence[str]], int]] = MappingProxyType(
    {"mark": mark, "exercise": exercise, "study": study}
)
