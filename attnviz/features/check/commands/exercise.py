"""The command that writes exercises for a class."""

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from attnviz.commands import Parser
from attnviz.core.limits import MAX_SEED, in_short
from attnviz.features.check.commands.mark import write_text
from attnviz.features.check.exercises.answer_sheet import class_sheets
from attnviz.features.check.exercises.exercise import MOST_D, MOST_TOKENS, RESULTS, RUNGS, Exercise, left_out
from attnviz.features.check.exercises.gradebook import MOST_KEYS, keys_json, sheet_to_hand_in
from attnviz.features.check.parameters import CHECK_TEXT, EXERCISE, Checked
from attnviz.words import say

MOST_SHEETS = MOST_KEYS
SECRET = "ATTNVIZ_SECRET"


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
    parser.add("--address", default="", metavar="URL")
    parser.add("--hand-in", action="store_true")
    given = parser.parse_args(arguments)
    exercises, secret = _exercises(given), ""
    if given.hand_in:
        secret = os.environ.get(SECRET) or secrets.token_urlsafe(16)
        exercises = [sheet_to_hand_in(each, secret.encode()) for each in exercises]
    if not given.address:
        print(f"attnviz: {say('commands.exercise.no_address')}", file=sys.stderr)
    sheets, keys = class_sheets(exercises, lambda one: _link(given.address, one) if given.address else "")
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
        Exercise(
            seed, given.tokens, given.d_in, given.d_k, not given.decimals, not given.unscaled, blank, fair=True,
            distinct=True,
        )
        for seed in range(given.seed, last + 1)
    ]  # fmt: skip


def _link(address: str, one: Exercise) -> str:
    text = CHECK_TEXT.encode(Checked(EXERCISE, exercise=one, for_student=True))
    return f"{address.rstrip('/?')}?{urlencode({'check': text})}"
