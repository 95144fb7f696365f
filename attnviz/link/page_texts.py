"""Codecs of what single pages keep in a link: the picked cell, the set-up kept as A, a sweep, what is checked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import get_args

from attnviz.core.heads import as_seen, is_elsewhere
from attnviz.core.limits import MAX_SEED
from attnviz.core.scenario import Scenario
from attnviz.exercises.exercise import Exercise, decoded, is_exercise
from attnviz.explanation import shapes_of
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS
from attnviz.link.codecs import Choice, Codec, Number, Part, Raw, UnreadableError, Whole, pack, unpack, unreadable_part
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
from attnviz.words import say

Place = tuple[str, int, int]  # a matrix, a row and a column of it
CHECK, EXAMPLES, EXERCISE = "check", "examples", "exercise"
MODES = (CHECK, EXAMPLES, EXERCISE)
FIRST_EXAMPLE = "love-ai"
_FIRST_EXERCISE = Exercise()


def token_fits(position: int | None, around: Around) -> int | None:
    """Return the place of a token, if the sentence has it."""
    if position is not None and around.scenario and position >= len(around.scenario.tokens):
        raise UnreadableError
    return position


def places_of_tokens(around: Around) -> dict[str, str]:
    """Say which places there are, and which is taken where none is named."""
    if around.scenario is None:
        return {}
    last = len(around.scenario.tokens) - 1
    return {"expected": say("links.expected.token", last=last), "used": str(min(1, last))}


def layer_fits(layer: int, around: Around) -> int:
    """Return the number of a layer, if there are so many."""
    if around.scenario is not None and layer >= around.scenario.n_layers:
        raise UnreadableError
    return layer


def numbers_of_layers(around: Around) -> dict[str, str]:
    """Say which layers there are."""
    if around.scenario is None:
        return {}
    last = around.scenario.n_layers - 1
    return {"expected": say("links.expected.layer", last=last) if last else say("links.expected.only_layer")}


def head_fits(head: int, around: Around) -> int:
    """Return the number of a head, if there are so many."""
    if around.scenario is not None and head >= around.scenario.n_heads:
        raise UnreadableError
    return head


def numbers_of_heads(around: Around) -> dict[str, str]:
    """Say which heads there are."""
    if around.scenario is None:
        return {}
    last = around.scenario.n_heads - 1
    return {"expected": say("links.expected.head", last=last) if last else say("links.expected.only_head")}


class CellText:
    """A cell as ``scores.1.5``, of a later layer as ``layers.1.scores.1.5``, or none."""

    def decode(self, raw: str) -> Place | None:
        name, *numbers = raw.rsplit(".", 2)
        if raw and not (len(numbers) == 2 and all(n.isascii() and n.isdigit() and len(n) < 6 for n in numbers)):
            raise UnreadableError
        return (name, int(numbers[0]), int(numbers[1])) if raw else None

    def encode(self, value: Place | None) -> str:
        return ".".join(map(str, value or ()))

    def expected(self) -> str:
        return say("playground.cell.expected")


def cell_fits(cell: Place | None, around: Around) -> Place | None:
    """Return a cell, if the computation has it and shows it."""
    if cell and around.trace is not None:
        seen = as_seen(around.trace.stages, around.trace.matrices, *cell)
        if seen is None or is_elsewhere(seen[0]) or cell[1] >= shapes_of(around.trace)[seen[0]][0]:
            raise UnreadableError
    return cell


class PackedScenario(Codec):
    """A whole set-up with its changes, packed, or none."""

    def decode(self, raw: str) -> Scenario | None:
        if not raw:
            return None
        try:
            scenario, ignored = scenario_from_query(unpack(raw, MAX_CHANGES_CHARACTERS))
        except ValueError as error:
            raise unreadable_part(error, "kept", None) from error
        if ignored:
            raise UnreadableError("", scenario, parts=as_one(ignored))
        return scenario

    def encode(self, value: Scenario | None) -> str:
        return "" if value is None else pack(query_of(value))


_TOLD, _LONGEST_TOLD = 3, 40  # parts that are told one by one, and characters of each
# What each setting of a sweep may be.
_OF_SWEEP: Mapping[str, Codec] = MappingProxyType(
    {
        "trials": Whole(2, MAX_TRIALS),
        "keys": Whole(2, MAX_KEYS),
        "seed": Whole(0, MAX_SEED),
        "dim": Whole(0, MAX_DIM),
        "heads": Choice(tuple(map(str, HEADS))),
        "p": Number(0, int(MAX_P)),
        "times": Number(-int(MAX_FACTOR), int(MAX_FACTOR)),
        "source": Choice(tuple(SOURCES)),
        "statistics": Choice(tuple(each.replace(" ", "_") for each in get_args(Statistics))),
    }
)


def _not_of_a_sweep(part: str, settings: SweepSettings) -> Part:
    """Say of a part of a sweep's text what is not possible there, what is, and what is used."""
    name, _, raw = part.partition(".")
    names = [field.name for field in fields(SweepSettings)]
    if name not in names:
        return Part("links.sweep.unknown", {"name": _short(name), "names": ", ".join(names)})
    if name == "dims":
        expected = say("links.sweep.dims", most=MAX_DIMS, high=f"{MAX_DIM:,}")
    elif name == "scales":
        choices = ", ".join(each.replace(" ", "_") for each in SCALE_CHOICES)
        expected = say("links.sweep.scales", choices=choices)
    else:
        expected = _OF_SWEEP[name].expected()
    used = text_of(getattr(settings, name))
    shown = _short(raw) if raw else say("links.sweep.nothing")
    return Part("links.sweep.value", {"name": name, "raw": shown, "expected": expected, "used": used})


def _short(text: str) -> Raw:
    return Raw(text if len(text) <= _LONGEST_TOLD else text[:_LONGEST_TOLD] + "…")


class SweepText(Codec):
    """The settings of a sweep."""

    def decode(self, raw: str) -> SweepSettings:
        settings, ignored = decode_settings(raw)
        if ignored:
            parts = [_not_of_a_sweep(part, settings) for part in ignored[:_TOLD]]
            if more := len(ignored) - _TOLD:
                parts += [Part("links.sweep.more", {"n": more})] * (more > 0)
            raise UnreadableError("", settings, parts=parts)
        return settings

    def encode(self, value: SweepSettings) -> str:
        return encode_settings(value)


@dataclass(frozen=True)
class Checked:
    """What the page Check my numbers does: check, show a published example, or set an exercise.

    `for_student` is an exercise whose page doesn't offer the answers.
    """

    mode: str = CHECK
    example: str = FIRST_EXAMPLE
    exercise: Exercise = _FIRST_EXERCISE
    for_student: bool = False


def published_names() -> tuple[str, ...]:
    """Return the names of all that is published: the worked examples, and the table of variances."""
    return (*worked_examples(), VARIANCES)


_FOR_STUDENT = ".student"


class CheckText:
    """What is checked, as ``examples.love-ai`` or ``exercise.7.3.2.2.i.s.qksdac``, for a student with ``.student``."""

    def decode(self, raw: str) -> Checked:
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

    def encode(self, value: Checked) -> str:
        if value == Checked(value.mode):
            return value.mode
        if value.mode == EXAMPLES:
            return f"{value.mode}.{value.example}"
        return f"{value.mode}.{value.exercise.encoded()}{_FOR_STUDENT if value.for_student else ''}"

    def expected(self) -> str:
        return say("check.link.unknown_mode", names=", ".join(MODES))
