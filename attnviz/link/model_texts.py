"""Codecs of what the pages of models keep in a link: those that people use, and those that are trained."""

import re
from dataclasses import MISSING, dataclass, fields, replace
from hashlib import blake2s
from typing import Any, NamedTuple

from attnviz.core.limits import MAX_TEMPERATURE, MAX_TEXT_CHARACTERS, MIN_TEMPERATURE
from attnviz.link.codecs import Codec, Number, Raw, UnreadableError, Whole
from attnviz.models import ModelEdit, offered
from attnviz.models.edits import as_edits
from attnviz.models.offering import short_of
from attnviz.training import TASKS, TrainingSettings, settings_for
from attnviz.words import say

BY_LAYERS = "layers"
ORDERS = (BY_LAYERS, "before", "after", "itself", "first", "same", "special", "entropy")  # measured figures, all others
MOST_ABOVE, MOST_TOP = 99, 50
_MOST_WRITTEN = 500  # tokens of seven digits, with points between them, have 4000 characters
_ABOVE, _TOP, _TEMPERATURE = Whole(0, MOST_ABOVE), Whole(1, MOST_TOP), Number(MIN_TEMPERATURE, MAX_TEMPERATURE)


class ModelText:
    """A model by its short name; links of before have a folder's whole path, which opens where it is offered still."""

    def decode(self, raw: str) -> str:
        if (name := short_of(raw)) is None:
            raise UnreadableError
        return name

    def encode(self, value: str) -> str:
        return value

    def expected(self) -> str:
        return say("links.expected.choice", choices=", ".join(offered()))


class HeadText:
    """A head of a model as ``3.1``: its layer and its number there."""

    def decode(self, raw: str) -> tuple[int, int]:
        numbers = raw.split(".")
        if len(numbers) != 2 or not all(n.isascii() and n.isdigit() and len(n) < 4 for n in numbers):
            raise UnreadableError
        return int(numbers[0]), int(numbers[1])

    def encode(self, value: tuple[int, int]) -> str:
        return ".".join(map(str, value))

    def expected(self) -> str:
        return say("models.page.expected")


class ModelEditsText:
    """Changes of a model as ``3.1.off*2.even*3.1.q.10.0=2.5``."""

    def decode(self, raw: str) -> tuple[ModelEdit, ...]:
        try:
            return as_edits(raw.split("*")) if raw else ()
        except ValueError:
            raise UnreadableError from None

    def encode(self, value: tuple[ModelEdit, ...]) -> str:
        return "*".join(map(str, value))

    def expected(self) -> str:
        return say("models.change.expected")


class OrderText:
    """The order of a model's heads, and above which percent of it they are shown, as ``before.30``."""

    def decode(self, raw: str) -> tuple[str, int]:
        order, _, above = raw.partition(".")
        if order not in ORDERS:
            raise UnreadableError
        return order, _ABOVE.decode(above or "0") or 0

    def encode(self, value: tuple[str, int]) -> str:
        order, above = value
        return f"{order}.{above}" if above else order

    def expected(self) -> str:
        return say("models.page.order_expected", orders=", ".join(ORDERS))


class NextText:
    """How the next token is drawn: the temperature, and of how many tokens, as ``0.7*10``."""

    def decode(self, raw: str) -> tuple[float, int]:
        temperature, _, top = raw.partition("*")
        return float(_TEMPERATURE.decode(temperature)), _TOP.decode(top) or 1

    def encode(self, value: tuple[float, int]) -> str:
        temperature, top = value
        return f"{_TEMPERATURE.encode(temperature)}*{top}"

    def expected(self) -> str:
        return say("models.use.expected", low=MIN_TEMPERATURE, high=MAX_TEMPERATURE, most=MOST_TOP)


class WrittenText:
    """The tokens that a model wrote, by their numbers, as ``12.7.9``."""

    def decode(self, raw: str) -> tuple[int, ...]:
        numbers = raw.split(".") if raw else []
        if not all(n.isascii() and n.isdigit() and len(n) < 8 for n in numbers) or len(numbers) > _MOST_WRITTEN:
            raise UnreadableError
        return tuple(map(int, numbers))

    def encode(self, value: tuple[int, ...]) -> str:
        return ".".join(map(str, value))

    def expected(self) -> str:
        return say("write.expected")


HEAD, SENTENCE, MODEL, BEFORE = "head", "sentence", "model", "before"


@dataclass(frozen=True)
class Compared:
    """What a head is compared with: another `head` of the model, another sentence, another model by its `name`, or the
    model without its changes; blank for nothing."""

    kind: str = ""
    head: tuple[int, int] | None = None
    name: str = ""


class ComparedText:
    """What a head of a model is compared with, as ``head.5.11``, ``sentence``, ``model.gpt2`` or ``before``."""

    def decode(self, raw: str) -> Compared:
        kind, _, rest = raw.partition(".")
        if kind == HEAD:
            return Compared(HEAD, HeadText().decode(rest) if rest else None)
        if kind == MODEL:
            return Compared(MODEL, name=ModelText().decode(rest) if rest else "")
        if raw not in ("", SENTENCE, BEFORE):
            raise UnreadableError
        return Compared(raw)

    def encode(self, value: Compared) -> str:
        rest = value.name if value.head is None else HeadText().encode(value.head)
        return f"{value.kind}.{rest}" if rest else value.kind

    def expected(self) -> str:
        return say("models.compare.expected", models=", ".join(offered()))


MOST_OF_TRAINING = 1000  # characters
MOST_OF_LEARNED = 4_000  # characters of a text of one's own; of a longer one a link only says how it is known again
_LONG_TEXT = re.compile(r"(?:^|\*)text\.([0-9]{1,5})(?:-([0-9a-f]{12}))?(?=\*|$)")
_BETWEEN, _LONGEST_TOLD, _TOLD = ",", 40, 3
_APART = ("task", "text")  # the task says what the others are by default; a text has a parameter of its own


class TrainingText(Codec):
    """The settings of a training, but for the text that it learns."""

    def decode(self, raw: str) -> TrainingSettings:
        parts = [part.partition(".")[::2] for part in raw.split("*") if part]
        task = next((value for name, value in parts if name == "task"), "agreement")
        if long_text(raw):
            parts = [each for each in parts if each[0] != "text"]
        unread = [] if task in TASKS else [f"task.{task}"]
        settings = settings_for(TASKS[task if task in TASKS else "agreement"])
        late: list[tuple[str, str]] = []
        for name, value in [each for each in parts if each[0] != "task"]:
            changed = _changed(settings, name, value)
            if changed is None:
                late.append((name, value))  # may fit what comes later, as a d_k the number of heads
            else:
                settings = changed
        for name, value in late:
            changed = _changed(settings, name, value)
            if changed is None:
                unread.append(f"{name}.{value}")
            settings = changed or settings
        if unread:
            raise UnreadableError("", settings, parts=[Raw(part[:_LONGEST_TOLD]) for part in unread])
        return settings

    def encode(self, value: TrainingSettings) -> str:
        usual = settings_for(TASKS[value.task])
        parts = [f"task.{value.task}"]
        for field in fields(TrainingSettings):
            own = getattr(value, field.name)
            if field.name not in _APART and own != getattr(usual, field.name):
                parts.append(f"{field.name}.{_written(own)}")
        if len(value.text) > MOST_OF_LEARNED:
            parts.append(f"text.{len(value.text)}-{_digest(value.text)}")
        return "*".join(parts)


class LongText(NamedTuple):
    """What a link says of a text that it can't hold: how many characters it has, and by which digest it is known
    again, which links of before don't have."""

    n_characters: int
    digest: str

    def is_that(self, text: str) -> bool:
        """Whether a text is the one that was meant.

        >>> LongText(3, "").is_that("cat"), LongText(3, _digest("cat")).is_that("dog")
        (True, False)
        """
        return len(text) == self.n_characters and self.digest in ("", _digest(text))


def long_text(raw: str) -> LongText | None:
    """Return which text it is that a link names but can't hold; None where it holds all.

    >>> long_text("task.text*text.5000"), long_text("task.text*text.12"), long_text("task.text")
    (LongText(n_characters=5000, digest=''), None, None)
    """
    found = _LONG_TEXT.search(raw)
    if found is None or "task.text" not in raw.split("*"):
        return None
    n = int(found[1])
    return LongText(n, found[2] or "") if MOST_OF_LEARNED < n <= MAX_TEXT_CHARACTERS else None


def _digest(text: str) -> str:
    return blake2s(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _changed(settings: TrainingSettings, name: str, value: str) -> TrainingSettings | None:
    """Return settings with one of them changed; None where that can't be read."""
    kinds = {field.name: field for field in fields(TrainingSettings) if field.name not in _APART}
    if name not in kinds:
        return None
    given = kinds[name].default
    assert given is not MISSING
    try:
        changed: dict[str, Any] = {name: _read(name, value, given)}
        return replace(settings, **changed)
    except (ValueError, OverflowError):
        return None


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return _BETWEEN.join(each if isinstance(each, str) else f"{each[0]}:{each[1]!r}" for each in value)
    return "none" if value is None else repr(value) if isinstance(value, float) else str(value)


def _read(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(text, text)
    if name == "frozen":
        return tuple(text.split(_BETWEEN)) if text else ()
    if name == "rates":
        pairs = [each.split(":") for each in text.split(_BETWEEN) if each]
        return tuple((int(step), float(rate)) for step, rate in pairs)
    if name in ("d_ff", "until"):
        return None if text == "none" else int(text)
    if isinstance(default, int):
        return int(text)
    return float(text) if isinstance(default, float) else text
