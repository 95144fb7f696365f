"""One parameter of a link: a row of the table of parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.link.codecs import Codec, Part, Raw, UnreadableError
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import DEFAULT_DIGITS

Show = Callable[[str], str]  # quotes or escapes a text from a link, so that it can be shown
_LISTED = 3


@dataclass(frozen=True)
class ReadContext:
    """What a value must fit: the scenario, if any, and other values."""

    scenario: Scenario | None = None
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    digits: int = DEFAULT_DIGITS
    just_arrived: bool = True  # whether a link brought the value, not the app itself
    computed: AttentionTrace | None = None

    @cached_property
    def trace(self) -> AttentionTrace | None:
        """The scenario's computation, seen from the head and layer in view."""
        if self.computed is None and self.scenario:
            return traced(self.scenario).for_head(self.values.get("head") or 0, self.values.get("layer") or 0)
        return self.computed


@dataclass(frozen=True)
class Read:
    """A text as read: its value, corrected text, and what was ignored."""

    value: Any
    text: str
    message: str = ""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a link: its name, codec and default.

    - `most`: how many characters its text may have.
    - `since`: the first form of links that has it (see :mod:`attnviz.link.parameter_table`).
    - `message`: the key of the sentence for a text that can't be used; `used`: the key of the words for what is used
      instead, if that isn't the default as links write it.
    - `fit`: returns a value that fits the rest of the link, or raises :class:`UnreadableError`; `words`: returns words
      of the sentence that depend on the rest of the link, too.
    - `of_scenario`: whether it can only be read once there is a scenario.
    """

    name: str
    default: Any
    codec: Codec
    most: int = 40
    since: int = 1
    message: str = "links.value"
    used: str = ""
    fit: Callable[[Any, ReadContext], Any] = lambda value, _: value
    words: Callable[[ReadContext], Mapping[str, str]] = lambda _: MappingProxyType({})
    of_scenario: bool = False

    def read(self, raw: str, around: ReadContext | None = None) -> tuple[Any, UnreadableError | None]:
        """Return a text's value, and an error if not all is usable."""
        try:
            if error := self.too_long(raw):
                raise error
            value = self.codec.decode(raw)
            return (self.fit(value, around) if around else value), None
        except UnreadableError as error:
            return (self.default if error.rest is None else error.rest), error

    def taken(self, raw: str, around: ReadContext, show: Show) -> Read:
        """Read a link's text, as far as it's usable; blank means default."""
        if not raw:
            return Read(self.default, "")
        value, error = self.read(raw, around)
        if error:
            return Read(value, self.write(value), self.refusal(raw, error, show, around))
        return Read(value, raw)

    def too_long(self, raw: str) -> UnreadableError | None:
        """Return an error for a text that is too long, else None."""
        if len(raw) <= self.most:
            return None
        characters = plural(len(raw), "character")
        return UnreadableError("links.too_long", parameter=self.name, characters=characters, most=thousands(self.most))

    def write(self, value: Any) -> str:
        """Return a value as text for a link; blank for the default."""
        return "" if value == self.default else self.codec.encode(value)

    def refusal(self, raw: str, error: UnreadableError, show: Show, around: ReadContext | None = None) -> str:
        """Say which text can't be used, why, and what is used instead."""
        facts = {name: _shown(fact, show) for name, fact in error.facts.items()}
        used = say(self.used) if self.used else self.codec.encode(self.default) or say("links.used.none")
        own = {"name": self.name, "raw": show(raw), "expected": self.codec.expected(), "used": used}
        own |= self.words(around) if around else {}
        return say(error.kind or self.message, **(own | facts))


def _shown(fact: object, show: Show) -> object:
    if isinstance(fact, Raw):
        return show(fact)
    if isinstance(fact, list) and all(isinstance(each, Part) for each in fact):
        return "; ".join(say(e.key, **{name: _shown(one, show) for name, one in e.facts.items()}) for e in fact)
    return listed(fact, show) if isinstance(fact, list) else fact


def as_one(sentences: Sequence[str]) -> str:
    """Return several sentences as one, to stand within another.

    >>> as_one(["d_in can't be 0.", "the change 'x' can't be read."])
    "d_in can't be 0; the change 'x' can't be read."
    """
    *others, last = sentences
    return "; ".join([*(each.removesuffix(".") for each in others), last])


def listed(names: Sequence[str], show: Show) -> str:
    """Return the first few texts in one line, and how many follow.

    >>> listed(["a", "b"], repr), listed(["a", "b", "c", "d", "e"], repr)
    ("'a', 'b'", "'a', 'b', 'c' and 2 more")
    """
    first = ", ".join(show(name) for name in names[:_LISTED])
    return first if len(names) <= _LISTED else say("links.and_more", listed=first, n=len(names) - _LISTED)
