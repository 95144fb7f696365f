"""Commands for teachers: exercises of a class, a study's kit."""

import argparse
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlencode

from attnviz.commands import Parser
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
    parser = Parser("exercise", sheets=MOST_SHEETS, tokens=MOST_TOKENS, d=MOST_D, secret=SECRET)
    parser.add("--html", type=Path, metavar="DIR", required=True)
    for flag, default in (("seed", 1), ("sheets", 1), ("tokens", 3), ("d-in", 2), ("d-k", 2)):
        parser.add(f"--{flag}", type=int, default=default)
    parser.add("--decimals", action="store_true")
    parser.add("--unscaled", action="store_true")
    parser.add("--blank", nargs="*", choices=RESULTS, default=Exercise().blank)
    parser.add("--rung", type=int, choices=RUNGS)
    parser.add("--address", default=ADDRESS)
    parser.add("--hand-in", action="store_true")
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
    parser = Parser("study")
    parser.add("--seed", type=int, default=1)
    what = parser.add_mutually_exclusive_group(required=True)
    parser.add("--html", what, type=Path, metavar="DIR")
    parser.add("--results", what, type=Path, metavar="FILE")
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
