"""Codec of a training in a link: ``task.repeat*steps.300*seed.2``. What is not named is as the task has it."""

import re
from dataclasses import MISSING, fields, replace
from hashlib import blake2s
from typing import Any, NamedTuple

from attnviz.core.limits import MAX_TEXT_CHARACTERS
from attnviz.link.codecs import Codec, Raw, UnreadableError
from attnviz.training import TASKS, TrainingSettings, settings_for

MOST = 1000  # characters
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
