"""Checked numbers in a link: the page, its form, an exercise's answers."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attnviz.core.limits import MAX_D, MAX_HEADS, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.stages import ACTIVATIONS, EVERY_STAGE, attention_table
from attnviz.core.tokens import is_whole_text
from attnviz.features.check.exercises.exercise import MOST_D, MOST_TOKENS, RESULTS, Exercise, decoded, is_exercise
from attnviz.features.check.marking import CARRIED, ROUNDED_FROM
from attnviz.link.codecs import Choice, Codec, FunctionCodec, Raw, UnreadableError, pack, unpack, unreadable_part
from attnviz.link.parameter import Parameter
from attnviz.published import VARIANCES, worked_examples
from attnviz.words import say

CHECK, TABLES, ANSWERS = "check", "tables", "answers"  # the names of the parameters
EXAMPLES, EXERCISE = "examples", "exercise"
MODES = (CHECK, EXAMPLES, EXERCISE)
FIRST_EXAMPLE = "love-ai"
_FIRST_EXERCISE = Exercise()
# Eleven tables of 64 by 64 numbers with 8 decimals pack to 310 000 characters. Chromium and the app's server accept
# these, and even half a million; a longer text stays in the session only.
MOST_OF_TABLES = 400_000
MOST_UNPACKED = 2_000_000
FIRST_NAMES = tuple(attention_table(biases=()))  # tables of attention, which most readers have, come first in the form
TABLE_NAMES = (*FIRST_NAMES, *(name for name in EVERY_STAGE if name not in FIRST_NAMES))
AS_PRINTED = "as printed"  # AS_PRINTED to FOUND are values in links; the page words them for the reader
EXACT, BY_DIGITS, ROUNDED = "exact as printed", f"rounded from {ROUNDED_FROM} decimals on", "rounded"
FOUND = "found"
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {f"check.table.{name}": "" for name in TABLE_NAMES}
    | {
        "check.paste": "",  # a pasted text that names no table
        "check.scale": True,
        "check.decimals": AS_PRINTED,
        "check.tokens": "",
        "check.causal": FOUND,  # or True or False, if the reader states it
        "check.temperature": 1.0,
        "check.d_k": None,
        "check.n_heads": None,
        "check.rounded": BY_DIGITS,
        "check.carried": FOUND,
        "check.activation": "relu",
    }
)
CHOICES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "check.scale": (True, False),
        "check.causal": (FOUND, True, False),
        "check.decimals": (AS_PRINTED, *range(7)),
        "check.rounded": (BY_DIGITS, EXACT, ROUNDED),
        "check.carried": (FOUND, *CARRIED),
        "check.activation": tuple(ACTIVATIONS),
    }
)


@dataclass(frozen=True)
class PackedJson(Codec):
    """A codec for mappings, as packed JSON without their `usual` values.

    It writes an empty text if the JSON has more than `most` bytes. It also reads plain JSON, which the page writes
    until the server has packed it. `what` names the parameter in messages; `taken` returns the usable part of a mapping
    that was read, or raises an error.
    """

    what: str
    most: int
    usual: Mapping[str, Any]
    taken: Callable[[dict[str, Any]], dict[str, Any]]

    def decode(self, raw: str) -> dict[str, Any]:
        try:
            held = json.loads(raw if raw.startswith("{") else unpack(raw, self.most)) if raw else {}
        except (ValueError, RecursionError) as error:
            raise unreadable_part(error, self.what, {}) from error
        if not isinstance(held, dict):
            raise unreadable_part(ValueError(), self.what, {})
        return self.taken(held)

    def encode(self, value: Mapping[str, Any]) -> str:
        typed = {key: each for key, each in value.items() if each != self.usual.get(key)}
        text = json.dumps(typed, ensure_ascii=False, separators=(",", ":")) if typed else ""
        return pack(text) if text and len(text.encode("utf-8", "surrogatepass")) <= self.most else ""


def _form(typed: dict[str, Any]) -> dict[str, Any]:
    read = {key: value for key, value in typed.items() if key in DEFAULTS and may_be(key, value)}
    form = {key: value for key, value in read.items() if value != DEFAULTS[key]}
    if refused := [Raw(key) for key in typed if key not in read]:
        raise UnreadableError("", form, names=refused)
    return form


def may_be(key: str, value: Any) -> bool:
    """Whether a field of the form may have this value."""
    if key in CHOICES:
        return any(value is choice or (type(value) is type(choice) and value == choice) for choice in CHOICES[key])
    if key in ("check.d_k", "check.n_heads"):
        most = MAX_D if key == "check.d_k" else MAX_HEADS
        return value is None or (type(value) is int and 1 <= value <= most)
    if key == "check.temperature":
        return type(value) in (int, float) and MIN_TEMPERATURE <= value <= MAX_TEMPERATURE
    return isinstance(value, str) and is_whole_text(value)


# The form's values by the names of its fields, without defaults.
FORM_TEXT = PackedJson("tables", MOST_UNPACKED, DEFAULTS, _form)

MOST_CHARACTERS = 20  # limit for an answer
MOST_OF_ANSWERS = 4_000  # characters, packed
_LAST = max(MOST_TOKENS, MOST_D) - 1
_PLACE = re.compile(rf"(?:{'|'.join(RESULTS)})\.[0-{_LAST}]\.[0-{_LAST}]")


def _answers(typed: dict[str, Any]) -> dict[str, Any]:
    for place, text in typed.items():
        if not isinstance(text, str) or not 0 < len(text) <= MOST_CHARACTERS or not _PLACE.fullmatch(place):
            raise unreadable_part(ValueError(), "answers", {})
    return typed


# The text in each blank of an exercise, by the blank's place, such as q.0.1.
ANSWERS_TEXT = PackedJson("answers", 20_000, MappingProxyType({}), _answers)


@dataclass(frozen=True)
class Checked:
    """The contents of the page Check: own numbers, an example, an exercise.

    With `for_student`, the exercise's page doesn't offer the answers.
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
            raise UnreadableError("examples.unknown", Checked(mode), raw=Raw(detail), expected=known)
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


# Such as examples.love-ai or exercise.7.3.2.2.i.s.qksdac; a student's exercise ends with .student.
CHECK_TEXT = FunctionCodec(_checked, _checked_text, lambda: say("check.link.unknown_mode", names=", ".join(MODES)))


def rows() -> tuple[Parameter, ...]:
    """Return the rows of checking and of exercises."""
    return (
        Parameter(CHECK, Checked(), CHECK_TEXT, 128),
        Parameter(ANSWERS, {}, ANSWERS_TEXT, MOST_OF_ANSWERS, since=2),
        Parameter(TABLES, {}, FORM_TEXT, MOST_OF_TABLES, message="check.link.parts"),
    )
