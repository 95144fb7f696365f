"""A training in a link: its settings, its text, the step shown."""

import re
from dataclasses import fields, replace
from hashlib import blake2s
from typing import Any, NamedTuple

from attnviz.core.limits import MAX_TEXT_CHARACTERS
from attnviz.features.learn.training import TASKS, TrainingSettings, settings_for
from attnviz.features.learn.training.settings import MAX_LAYERS, MAX_MODEL_HEADS, MAX_STEPS
from attnviz.link.codecs import HEAD_TEXT, Codec, Names, Raw, Text, UnreadableError, Whole
from attnviz.link.parameter import Parameter

LEARN, LEARN_TEXT, LEARN_STEP = "learn", "learn_text", "learn_step"
LEARN_SENTENCE, LEARN_HEAD, LEARN_OFF = "learn_sentence", "learn_head", "learn_off"
LEARN_QUERY = "learn_query"
MOST_OF_LEARNED_SENTENCE = 300
MOST_OF_TRAINING = 1000  # characters
MOST_OF_LEARNED = 4_000  # characters of the reader's own text; a link has only length and digest of a longer one
_LONG_TEXT = re.compile(r"(?:^|\*)text\.([0-9]{1,5})(?:-([0-9a-f]{12}))?(?=\*|$)")
_BETWEEN, _LONGEST_TOLD = ",", 40
_APART = ("task", "text")  # the task determines the others' defaults; the text has its own parameter


class TrainingText(Codec):
    """The codec for a training's settings, without the text it learns."""

    def decode(self, raw: str) -> TrainingSettings:
        parts = [part.partition(".")[::2] for part in raw.split("*") if part]
        task = next((value for name, value in parts if name == "task"), "agreement")
        if long_text(raw):
            parts = [each for each in parts if each[0] != "text"]
        unread = [] if task in TASKS else [f"task.{task}"]
        settings = settings_for(TASKS[task if task in TASKS else "agreement"])
        waiting = [each for each in parts if each[0] != "task"]
        for _ in range(2):  # a value may fit only once a later one is set, such as d_k and the number of heads
            asked, waiting = waiting, []
            for name, value in asked:
                changed = _changed(settings, name, value)
                settings = changed or settings
                waiting += [] if changed else [(name, value)]
        unread += [f"{name}.{value}" for name, value in waiting]
        if unread:
            raise UnreadableError("", settings, parts=[Raw(part[:_LONGEST_TOLD]) for part in unread])
        return settings

    def encode(self, value: TrainingSettings) -> str:
        usual = settings_for(TASKS[value.task])
        own = {each.name: getattr(value, each.name) for each in fields(TrainingSettings) if each.name not in _APART}
        changed = (f"{name}.{_written(each)}" for name, each in own.items() if each != getattr(usual, name))
        parts = [f"task.{value.task}", *changed]
        if len(value.text) > MOST_OF_LEARNED:
            parts.append(f"text.{len(value.text)}-{_digest(value.text)}")
        return "*".join(parts)


class LongText(NamedTuple):
    """A text too long for its link: its length and, perhaps, digest."""

    n_characters: int
    digest: str

    def is_that(self, text: str) -> bool:
        """Whether a text is the one that the link names.

        >>> LongText(3, "").is_that("cat"), LongText(3, _digest("cat")).is_that("dog")
        (True, False)
        """
        return len(text) == self.n_characters and self.digest in ("", _digest(text))


def long_text(raw: str) -> LongText | None:
    """Return the text that a link only names; None otherwise.

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
    """Return the settings with one changed; None if it's unreadable."""
    usual = {each.name: each.default for each in fields(TrainingSettings) if each.name not in _APART}
    if name not in usual:
        return None
    try:
        changed: dict[str, Any] = {name: _read(name, value, usual[name])}
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


def rows() -> tuple[Parameter, ...]:
    """Return the rows of a training."""
    heads_off = (f"{layer}-{head}" for layer in range(MAX_LAYERS) for head in range(MAX_MODEL_HEADS))
    return (
        Parameter(
            LEARN,
            settings_for(TASKS["agreement"], seed=5),  # seed 5: the untrained head isn't right by chance
            TrainingText(),
            MOST_OF_TRAINING,
            2,
            message="learn.link.parts",
            used="learn.link.used",
        ),
        Parameter(LEARN_TEXT, "", Text(MOST_OF_LEARNED), MOST_OF_LEARNED, 2),
        Parameter(LEARN_STEP, None, Whole(0, MAX_STEPS, may_be_blank=True), 20, 2, used="learn.link.last"),
        Parameter(LEARN_SENTENCE, "", Text(MOST_OF_LEARNED_SENTENCE), MOST_OF_LEARNED_SENTENCE, 2),
        Parameter(LEARN_HEAD, (0, 0), HEAD_TEXT, 20, 2),
        Parameter(LEARN_QUERY, None, Whole(0, 99_999, may_be_blank=True), 20, 2),
        Parameter(LEARN_OFF, (), Names(tuple(heads_off)), 60, 2, message="learn.link.off"),
    )
