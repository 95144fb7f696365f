"""Codecs for single pages: picked cell, set-up A, sweep, checking."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_args

from attnviz.core.heads import as_seen, is_elsewhere
from attnviz.core.limits import MAX_SEED
from attnviz.core.scenario import Scenario
from attnviz.exercises.exercise import Exercise, decoded, is_exercise
from attnviz.explanation import shapes_of
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS
from attnviz.link.codecs import By, Choice, Number, Part, Raw, UnreadableError, Whole, pack, unpack, unreadable_part
from attnviz.link.parameter import Around, as_one
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.published import VARIANCES, worked_examples
from attnviz.scaling.arguments import MAX_DIM, MAX_DIMS, MAX_FACTOR, MAX_KEYS, MAX_TRIALS, Statistics
from attnviz.scaling.settings import (
    HEADS,
    MAX_P,
    SCALE_CHOICES,
    SweepSettings,
    decode_settings,
    encode_settings,
    text_of,
)
from attnviz.scaling.sources import SOURCES
from attnviz.words import say, thousands

Place = tuple[str, int, int]  # a matrix, a row and a column of it
CHECK, EXAMPLES, EXERCISE = "check", "examples", "exercise"
MODES = (CHECK, EXAMPLES, EXERCISE)
FIRST_EXAMPLE = "love-ai"
_FIRST_EXERCISE = Exercise()
_NUMBER = Whole(0, 99_999)


@dataclass(frozen=True)
class Counted:
    """Tokens, heads or layers: which numbers a scenario has."""

    kind: str
    count: Callable[[Scenario], int]

    def fit(self, number: int | None, around: Around) -> int | None:
        """Return a number, if the scenario has so many."""
        if number is not None and around.scenario and number >= self.count(around.scenario):
            raise UnreadableError
        return number

    def words(self, around: Around) -> dict[str, str]:
        """Return words for which numbers are possible, and the default token."""
        if around.scenario is None:
            return {}
        last = self.count(around.scenario) - 1
        if self is TOKENS:
            return {"expected": say("links.expected.token", last=last), "used": str(min(1, last))}
        return {"expected": say(f"links.expected.{'' if last else 'only_'}{self.kind}", last=last)}


TOKENS = Counted("token", lambda scenario: len(scenario.tokens))
HEADS_THERE = Counted("head", lambda scenario: scenario.n_heads)
LAYERS_THERE = Counted("layer", lambda scenario: scenario.n_layers)


def _cell(raw: str) -> Place | None:
    if not raw:
        return None
    name, *numbers = raw.rsplit(".", 2)
    if len(numbers) != 2:
        raise UnreadableError
    return name, _NUMBER.decode(numbers[0]) or 0, _NUMBER.decode(numbers[1]) or 0


# scores.1.5, of a later layer layers.1.scores.1.5, or none
CELL_TEXT = By(_cell, lambda cell: ".".join(map(str, cell or ())), lambda: say("playground.cell.expected"))


def cell_fits(cell: Place | None, around: Around) -> Place | None:
    """Return a cell, if the computation has it and shows it."""
    if cell and around.trace is not None:
        seen = as_seen(around.trace.stages, around.trace.matrices, *cell)
        if seen is None or is_elsewhere(seen[0]) or cell[1] >= shapes_of(around.trace)[seen[0]][0]:
            raise UnreadableError
    return cell


def _packed_scenario(raw: str) -> Scenario | None:
    if not raw:
        return None
    try:
        scenario, ignored = scenario_from_query(unpack(raw, MAX_CHANGES_CHARACTERS))
    except ValueError as error:
        raise unreadable_part(error, "kept", None) from error
    if ignored:
        raise UnreadableError("", scenario, parts=as_one(ignored))
    return scenario


SCENARIO_TEXT = By(  # a whole set-up with its changes, packed, or none
    _packed_scenario, lambda scenario: "" if scenario is None else pack(query_of(scenario)), str
)

_TOLD, _LONGEST_TOLD = 3, 40  # parts that are told one by one, and characters of each
# What each setting of a sweep may be, in words.
_OF_SWEEP: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "dims": lambda: say("links.sweep.dims", most=MAX_DIMS, high=thousands(MAX_DIM)),
        "trials": Whole(2, MAX_TRIALS).expected,
        "keys": Whole(2, MAX_KEYS).expected,
        "seed": Whole(0, MAX_SEED).expected,
        "source": Choice(tuple(SOURCES)).expected,
        "scales": lambda: say("links.sweep.scales", choices=", ".join(map(text_of, SCALE_CHOICES))),
        "statistics": Choice(tuple(map(text_of, get_args(Statistics)))).expected,
        "p": Number(0, int(MAX_P)).expected,
        "dim": Whole(0, MAX_DIM).expected,
        "times": Number(-int(MAX_FACTOR), int(MAX_FACTOR)).expected,
        "heads": Choice(tuple(map(str, HEADS))).expected,
    }
)


def _not_of_a_sweep(part: str, settings: SweepSettings) -> Part:
    """Say what of a sweep can't be used, and what is instead."""
    name, _, raw = part.partition(".")
    if name not in _OF_SWEEP:
        return Part("links.sweep.unknown", {"name": _short(name), "names": ", ".join(_OF_SWEEP)})
    shown = _short(raw) if raw else say("links.sweep.nothing")
    used = text_of(getattr(settings, name))
    return Part("links.sweep.value", {"name": name, "raw": shown, "expected": _OF_SWEEP[name](), "used": used})


def _short(text: str) -> Raw:
    return Raw(text if len(text) <= _LONGEST_TOLD else text[:_LONGEST_TOLD] + "…")


def _sweep(raw: str) -> SweepSettings:
    settings, ignored = decode_settings(raw)
    if ignored:
        parts = [_not_of_a_sweep(part, settings) for part in ignored[:_TOLD]]
        if (more := len(ignored) - _TOLD) > 0:
            parts.append(Part("links.sweep.more", {"n": more}))
        raise UnreadableError("", settings, parts=parts)
    return settings


SWEEP_TEXT = By(_sweep, encode_settings, str)


@dataclass(frozen=True)
class Checked:
    """What the page Check my numbers shows: checking, an example or exercise.

    `for_student` is an exercise whose page doesn't offer the answers.
    """

    mode: str = CHECK
    example: str = FIRST_EXAMPLE
    exercise: Exercise = _FIRST_EXERCISE
    for_student: bool = False


def published_names() -> tuple[str, ...]:
    """Return the names of the worked examples and of the variance table."""
    return (*worked_examples(), VARIANCES)


_FOR_STUDENT = ".student"


def _checked(raw: str) -> Checked:
    mode, _, detail = raw.partition(".")
    if mode == EXAMPLES:
        if detail and detail not in published_names():
            known = Choice(published_names()).expected()
            raise UnreadableError("check.examples.unknown", Checked(mode), raw=Raw(detail), expected=known)
        return Checked(mode, detail or FIRST_EXAMPLE)
    if mode == EXERCISE:
        named = detail.removesuffix(_FOR_STUDENT)
        exercise = decoded(named)
        read = Checked(mode, exercise=exercise, for_student=named != detail)
        if not is_exercise(named):
            raise UnreadableError("exercises.unknown", read, exercise=Raw(detail), shown=exercise.encoded())
        return read
    if raw not in ("", CHECK):
        raise UnreadableError("", None, raw=Raw(mode))
    return Checked()


def _checked_text(value: Checked) -> str:
    if value == Checked(value.mode):
        return value.mode
    if value.mode == EXAMPLES:
        return f"{value.mode}.{value.example}"
    return f"{value.mode}.{value.exercise.encoded()}{_FOR_STUDENT if value.for_student else ''}"


# examples.love-ai, or exercise.7.3.2.2.i.s.qksdac, for a student with .student
CHECK_TEXT = By(_checked, _checked_text, lambda: say("check.link.unknown_mode", names=", ".join(MODES)))
