"""Commands for teachers: exercises of a class, a study's kit."""

import argparse
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlencode

from attnviz.commands.marking import mark, read_file, write_text
from attnviz.core.limits import MAX_SEED, in_short
from attnviz.exercises.answer_sheet import class_sheets
from attnviz.exercises.exercise import MOST_D, MOST_TOKENS, RESULTS, RUNGS, Exercise, left_out
from attnviz.exercises.gradebook import MOST_KEYS, keys_json, sheet_to_hand_in
from attnviz.link.page_texts import CHECK_TEXT, EXERCISE, Checked
from attnviz.study.kit import kit
from attnviz.study.results import Interval, Results, results_of
from attnviz.tables.reading import read_upload
from attnviz.words import say
from attnviz.words.numbers import written

MOST_SHEETS = MOST_KEYS
SECRET = "ATTNVIZ_SECRET"
ADDRESS = "http://localhost:8501/check"


def exercise(arguments: Sequence[str]) -> int:
    """Write exercise sheets and their keys; return 0, or 2 on failure."""
    parser = argparse.ArgumentParser(
        prog="attnviz exercise", description="Writes exercises for a class, another one on each sheet, and their keys."
    )
    parser.add_argument("--html", type=Path, metavar="DIR", required=True, help="for sheets.html, keys.html, keys.json")
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
    parser.add_argument(
        "--hand-in", action="store_true",
        help=f"sheets that are marked later, whose numbers nobody can tell: the secret is in {SECRET} and keys.json",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    exercises, secret = _exercises(given), ""
    if given.hand_in:
        secret = os.environ.get(SECRET) or secrets.token_urlsafe(16)
        exercises = [sheet_to_hand_in(each, secret.encode()) for each in exercises]
    sheets, keys = class_sheets(exercises, lambda one: _link(given.address, one))
    given.html.mkdir(parents=True, exist_ok=True)
    write_text(given.html / "sheets.html", sheets)
    write_text(given.html / "keys.html", keys)
    write_text(given.html / "keys.json", keys_json(exercises, secret))
    (given.html / "keys.json").chmod(0o600)
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
    """Write a study's kit or evaluate its results; return 0 or 2."""
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
        print("\n".join(_said_of(results_of(read_upload(read_file(given.results)), given.seed))))
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
