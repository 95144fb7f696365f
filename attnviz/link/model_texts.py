"""Codecs for links to the pages Language model and Watch it learn."""

import re
from dataclasses import dataclass, fields, replace
from hashlib import blake2s
from typing import Any, NamedTuple

from attnviz.core.limits import MAX_TEMPERATURE, MAX_TEXT_CHARACTERS, MIN_TEMPERATURE
from attnviz.link.codecs import By, Choice, Codec, Number, Parts, Raw, UnreadableError, Whole
from attnviz.models import offered
from attnviz.models.edits import as_edits
from attnviz.training import TASKS, TrainingSettings, settings_for
from attnviz.words import say

BY_LAYERS = "layers"
ORDERS = (BY_LAYERS, "before", "after", "itself", "first", "same", "special", "entropy")  # measured figures, all others
MOST_ABOVE, MOST_TOP = 99, 50
TOP = 10  # words are drawn from, unless another number is chosen
_MOST_WRITTEN = 500  # tokens of seven digits, with points between them, have 4000 characters
_NUMBER, _TOKEN = Whole(0, 999), Whole(0, 9_999_999)


HEAD, SENTENCE, MODEL, BEFORE = "head", "sentence", "model", "before"


@dataclass(frozen=True)
class Compared:
    """What a head is compared with; a blank `kind` means nothing.

    Another `head`, another sentence, another model by its `name`, or the model without its changes.
    """

    kind: str = ""
    head: tuple[int, int] | None = None
    name: str = ""


def _model(raw: str) -> str:
    """Return an offered model's short name."""
    if raw not in offered():
        raise UnreadableError
    return raw


def _names() -> str:
    return ", ".join(offered())


def _compared(raw: str) -> Compared:
    kind, _, rest = raw.partition(".")
    if kind == HEAD:
        return Compared(HEAD, HEAD_TEXT.decode(rest) if rest else None)
    if kind == MODEL:
        return Compared(MODEL, name=_model(rest) if rest else "")
    if raw not in ("", SENTENCE, BEFORE):
        raise UnreadableError
    return Compared(raw)


def _compared_text(value: Compared) -> str:
    rest = value.name if value.head is None else HEAD_TEXT.encode(value.head)
    return f"{value.kind}.{rest}" if rest else value.kind


def _tokens(raw: str) -> tuple[int, ...]:
    numbers = raw.split(".") if raw else []
    if len(numbers) > _MOST_WRITTEN:
        raise UnreadableError
    return tuple(_TOKEN.decode(each) or 0 for each in numbers)


MODEL_TEXT = By(_model, str, lambda: say("links.expected.choice", choices=_names()))  # by its short name
HEAD_TEXT = Parts((_NUMBER, _NUMBER), ".", lambda: say("models.page.expected"))  # 3.1: a layer, and a head in it
EDITS_TEXT = By(  # changes of a model: 3.1.off*2.even*3.1.q.10.0=2.5
    lambda raw: as_edits(raw.split("*")) if raw else (),
    lambda edits: "*".join(map(str, edits)),
    lambda: say("models.change.expected"),
)
ORDER_TEXT = Parts(  # before.30: the order of a model's heads, and above which percent of it they are shown
    (Choice(ORDERS), Whole(0, MOST_ABOVE)),
    ".",
    lambda: say("models.page.order_expected", orders=", ".join(ORDERS)),
    rest="0",
)
NEXT_TEXT = Parts(  # 0.7*10: the temperature at which the next token is drawn, and of how many tokens
    (Number(MIN_TEMPERATURE, MAX_TEMPERATURE), Whole(1, MOST_TOP)),
    "*",
    lambda: say("models.use.expected", low=MIN_TEMPERATURE, high=MAX_TEMPERATURE, most=MOST_TOP),
)
WRITTEN_TEXT = By(_tokens, lambda ids: ".".join(map(str, ids)), lambda: say("write.expected"))  # 12.7.9
COMPARED_TEXT = By(  # head.5.11, sentence, model.gpt2 or before
    _compared, _compared_text, lambda: say("models.compare.expected", models=_names())
)


MOST_OF_TRAINING = 1000  # characters
MOST_OF_LEARNED = 4_000  # characters of a text of one's own; of a longer one a link only says how it is known again
_LONG_TEXT = re.compile(r"(?:^|\*)text\.([0-9]{1,5})(?:-([0-9a-f]{12}))?(?=\*|$)")
_BETWEEN, _LONGEST_TOLD = ",", 40
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
        waiting = [each for each in parts if each[0] != "task"]
        for _ in range(2):  # what doesn't fit yet may fit what comes later, as a d_k the number of heads
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
    """A text too long for its link, by length and any digest."""

    n_characters: int
    digest: str

    def is_that(self, text: str) -> bool:
        """Whether a text is the one that was meant.

        >>> LongText(3, "").is_that("cat"), LongText(3, _digest("cat")).is_that("dog")
        (True, False)
        """
        return len(text) == self.n_characters and self.digest in ("", _digest(text))


def long_text(raw: str) -> LongText | None:
    """Return the text that a link only names; None if it's whole.

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
    """Return settings with one changed; None if its text is unreadable."""
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
