"""The kit of a study, written for a class, and what its results come to."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from attnviz.study.kit import kit
from attnviz.study.results import Interval, Results, results_of
from attnviz.words import say
from attnviz.words.numbers import written


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
    try:
        if given.results is not None:
            print("\n".join(_in_lines(results_of(given.results.read_text(encoding="utf-8-sig"), given.seed))))
            return 0
        files = kit(given.seed)
        given.html.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (given.html / name).write_text(text, encoding="utf-8")
    except (ValueError, OSError) as error:
        print(f"attnviz: {error}", file=sys.stderr)
        return 2
    return 0


def _in_lines(results: Results) -> Iterator[str]:
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
