"""Codecs between values and their texts in a link.

A long text is packed. For a text that can't be read, the error holds facts, from which the caller makes a sentence.
"""

import base64
import binascii
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from attnviz.words import plural, say

VERSION = 1
_PREFIX = f"z{VERSION}."


class NewerVersionError(ValueError):
    """A text that a newer version of attnviz packed."""


class TooMuchError(ValueError):
    """A packed text of more characters than are ever unpacked."""


def pack(text: str) -> str:
    """Return a text compressed, in characters that are safe in URLs."""
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 9)
    return _PREFIX + base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def is_packed(text: str) -> bool:
    """Whether a text looks packed, by this version or another."""
    return text[:1] == "z" and text[1:].partition(".")[0].isdecimal()


def unpack(packed: str, most: int) -> str:
    """Return the text that was packed.

    Raises :class:`NewerVersionError` for a newer version, :class:`TooMuchError` for more than `most` bytes of text (no
    more than these are ever unpacked), and any other ``ValueError`` for a damaged text.
    """
    if not packed.startswith(_PREFIX):
        version = packed[1:].partition(".")[0]
        newer = is_packed(packed) and version.isascii() and len(version) < 4 and int(version) > VERSION
        kind = NewerVersionError if newer else ValueError
        raise kind(f"a part of the link begins with {packed[:8]!r}, expected {_PREFIX!r} of this version")
    try:
        raw = packed.removeprefix(_PREFIX).encode("ascii")
        compressed = base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
        reader = zlib.decompressobj()
        data = reader.decompress(compressed, most + 1)
        if len(data) > most:
            raise TooMuchError(f"a part of the link holds more than {most} characters, expected at most {most}")
        if not reader.eof or reader.unused_data:
            raise ValueError("a part of the link is damaged: it ends too early or too late")
        return data.decode("utf-8", "surrogatepass")
    except (binascii.Error, zlib.error, UnicodeError) as error:
        raise ValueError("a part of the link is damaged: it cannot be unpacked") from error


class Raw(str):
    """A part of a link to be shown exactly as written."""

    __slots__ = ()


@dataclass(frozen=True)
class Part:
    """A sentence within another: its key in the catalogue, and its facts."""

    key: str
    facts: Mapping[str, object]


class UnreadableError(ValueError):
    """An error: a link's text or its value can't be used.

    `kind` is the key of its sentence in the catalogue; blank for that of its parameter. `facts` fill the places of the
    sentence: they are words, :class:`Raw` texts, or lists of :class:`Raw` or of :class:`Part`. `rest` is the value of
    the parts that could be read.
    """

    def __init__(self, kind: str = "", rest: Any = None, /, **facts: object) -> None:
        super().__init__(kind, facts)
        self.kind, self.rest, self.facts = kind, rest, facts


def unreadable_part(error: Exception, what: str, rest: Any) -> UnreadableError:
    """Return the error for a packed part, which the catalogue calls `what`.

    >>> unreadable_part(NewerVersionError(), "changes", None).kind
    'links.unreadable.newer'
    """
    known = {"newer": NewerVersionError, "too_much": TooMuchError}
    why = next((why for why, kind in known.items() if isinstance(error, kind)), "damaged")
    return UnreadableError(f"links.unreadable.{why}", rest, what=say(f"links.unreadable.{what}"))


class Codec(Protocol):
    """A conversion between values and their texts in a link."""

    def decode(self, raw: str) -> Any:
        """Return the value of a text, or raise :class:`UnreadableError`."""

    def encode(self, value: Any) -> str:
        """Return a value's text, from which :meth:`decode` makes the same value."""
        return str(value)

    def expected(self) -> str:
        """Say what the value may be; blank if its message says so."""
        return ""


@dataclass(frozen=True)
class Text(Codec):
    """Any text of at most so many characters."""

    most: int

    def decode(self, raw: str) -> str:
        if len(raw) > self.most:
            raise UnreadableError
        return raw

    def expected(self) -> str:
        return say("links.expected.text", characters=plural(self.most, "character"))


@dataclass(frozen=True)
class Choice(Codec):
    """One of a few names."""

    choices: tuple[str, ...]

    def decode(self, raw: str) -> str:
        if raw not in self.choices:
            raise UnreadableError
        return raw

    def expected(self) -> str:
        named = ", ".join(choices := list(filter(None, self.choices)))
        return say("links.expected.choice", choices=named) if len(choices) > 1 else named


@dataclass(frozen=True)
class Whole:
    """A whole number between two limits; None is blank, if allowed."""

    low: int
    high: int
    may_be_blank: bool = False

    def decode(self, raw: str) -> int | None:
        if raw == "" and self.may_be_blank:
            return None
        if not (raw.isascii() and raw.isdigit() and len(raw) < 20 and self.low <= int(raw) <= self.high):
            raise UnreadableError
        return int(raw)

    def encode(self, value: int | None) -> str:
        return "" if value is None else str(value)

    def expected(self) -> str:
        return say("links.expected.whole", low=self.low, high=self.high)


@dataclass(frozen=True)
class Number:
    """A number between two limits; None is blank, if allowed."""

    low: float
    high: float
    may_be_blank: bool = False

    def decode(self, raw: str) -> float | None:
        if raw == "" and self.may_be_blank:
            return None
        try:
            number = float(raw)
        except ValueError:
            raise UnreadableError from None
        if not self.low <= number <= self.high:
            raise UnreadableError
        return number

    def encode(self, value: float | None) -> str:
        if value is None:
            return ""
        whole = float(value).is_integer() and abs(value) < 1e15
        return str(int(value)) if whole else repr(float(value)).replace("+", "")  # in a link, a plus sign means a blank

    def expected(self) -> str:
        return say("links.expected.number", low=self.encode(self.low), high=self.encode(self.high))


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def decode(self, raw: str) -> bool:
        if raw.lower() not in ("true", "false"):
            raise UnreadableError
        return raw.lower() == "true"

    def encode(self, value: bool) -> str:
        return str(value).lower()

    def expected(self) -> str:
        return say("links.expected.flag")


@dataclass(frozen=True)
class FunctionCodec:
    """A codec made of functions; `read` may raise ``ValueError``."""

    read: Callable[[str], Any]
    encode: Callable[[Any], str]
    expected: Callable[[], str]

    def decode(self, raw: str) -> Any:
        try:
            return self.read(raw)
        except UnreadableError:
            raise
        except ValueError:
            raise UnreadableError from None


@dataclass(frozen=True)
class Parts:
    """Values separated by a sign; a last one like `rest` is omitted."""

    codecs: tuple[Codec, ...]
    sign: str
    expected: Callable[[], str]
    rest: str = ""

    def decode(self, raw: str) -> tuple[Any, ...]:
        texts = raw.split(self.sign)
        texts += [""] * bool(self.rest and len(texts) < len(self.codecs))
        if len(texts) != len(self.codecs):
            raise UnreadableError
        *first, last = texts
        return tuple(codec.decode(text) for codec, text in zip(self.codecs, (*first, last or self.rest), strict=True))

    def encode(self, value: tuple[Any, ...]) -> str:
        *first, last = (codec.encode(each) for codec, each in zip(self.codecs, value, strict=True))
        return self.sign.join(first if last == self.rest else (*first, last))


@dataclass(frozen=True)
class Names:
    """Some of a few names, separated by dots."""

    choices: tuple[str, ...]

    def decode(self, raw: str) -> tuple[str, ...]:
        named = raw.split(".") if raw else []
        known = tuple(name for name in self.choices if name in named)
        unknown = [Raw(name) for name in named if name not in self.choices]
        if unknown:
            raise UnreadableError("", known, names=unknown)
        return known

    def encode(self, value: Iterable[str]) -> str:
        return ".".join(value)

    def expected(self) -> str:
        return say("links.expected.choice", choices=", ".join(self.choices))


_NUMBER = Whole(0, 999)
# 3.1: a layer, and a head in it
HEAD_TEXT = Parts((_NUMBER, _NUMBER), ".", lambda: say("links.expected.head_of_layer"))
