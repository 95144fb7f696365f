"""Cells of a table as text, and what surrounds a number there."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from attnviz.core.limits import MAX_TOKENS, ReaderError
from attnviz.core.tokens import visible
from attnviz.typed_numbers import MINUS_SIGNS, NoNumberError, TypedNumber, read_number, usual_number
from attnviz.words import plural, say, thousands

MAX_ROWS = MAX_COLUMNS = MAX_TOKENS
MOST_SHOWN = 40


class RawCell(NamedTuple):
    """A cell's text, and its line, counted from 1."""

    text: str
    line: int


class RawTable(NamedTuple):
    """A table's cells by row; with `by_lines`, each row is one line.

    `semicolons` says whether semicolons separate the cells, as they do if commas begin decimals; `ruled`, whether there
    is a rule below the first row, as below the head of a Markdown table; `may_have_names`, whether the format allows
    names of rows and columns beside the numbers.
    """

    rows: list[list[RawCell]]
    by_lines: bool = False
    semicolons: bool = False
    ruled: bool = False
    may_have_names: bool = False


class Lines:
    """The lines of a text, found by position."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\r\n|[\r\n]", text))]

    def of(self, position: int) -> int:
        """Return the line, counted from 1."""
        return bisect_right(self.starts, position)


def refuse(key: str, line: int, text: str = "", **places: str) -> NoReturn:
    """Raise an error that names a line and quotes its text."""
    raise ReaderError(say(f"tables.{key}", line=line, text=quoted(text), **places))


def check_counts(lines: Sequence[int], n_columns: int) -> None:
    """Raise an error for too many rows (given by line) or columns."""
    if len(lines) > MAX_ROWS:
        rows = plural(len(lines), "row")
        raise ReaderError(say("tables.too_many_rows", rows=rows, most=thousands(MAX_ROWS), line=lines[MAX_ROWS]))
    if n_columns > MAX_COLUMNS:
        numbers = plural(n_columns, "number")
        raise ReaderError(say("tables.too_many_columns", numbers=numbers, most=thousands(MAX_COLUMNS), line=lines[0]))


def quoted(text: str) -> str:
    """Return a cell's text in quotes, cut short, its invisible characters shown."""
    cut = text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
    return f"“{' '.join(map(visible, cut.split(' ')))}”"


def levels(text: str, start: int = 0) -> Iterator[tuple[int, bool, int]]:
    """Yield each bracket: its position, whether it opens, and its depth.

    >>> list(levels("[[1]]"))
    [(0, True, 1), (1, True, 2), (3, False, 2), (4, False, 1)]
    """
    depth = 0
    for sign in _BRACKET.finditer(text, start):
        depth += sign[0] == "["
        yield sign.start(), sign[0] == "[", depth
        depth -= sign[0] == "]"


MOST_DRESSED = 160  # characters of a cell; a longer text isn't a number, whatever surrounds that

_BRACKET = re.compile(r"[\[\]]")
_BARE = re.compile(f"[-+{MINUS_SIGNS}]?[0-9.,]+(?:[eE][-+]?[0-9]+|/[0-9]+)?(?:[ \u00a0]?%)?")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|`|\$|\"|')([^*_`$\"']+)\1")
_TAGS = re.compile(r"</?(?:b|i|em|strong|u|span|code|mark)(?:\s[^<>]{0,100})?>|<(su[pb]|small)>[^<>]{0,20}</\1>")
_FOOTNOTE = re.compile(
    r"(?<=[0-9.,%*)])[ \u00a0]?(?:[*†‡§¶⁎∗]{1,3}|\^\{?[a-z*†‡]\}?|\[\^?[a-z0-9]{1,3}\]|\([a-z]\)|[ᵃᵇᶜᵈᵉᶠᵍʰ])\Z"
)
# A raised number after decimals is a footnote mark: the only powers in tables are those of ten.
_RAISED = re.compile(r"(?<=[0-9])(?<!10)[¹²³⁴⁵⁶⁷⁸⁹]{1,2}\Z")
_DIGITS = r"[0-9]{1,20}(?:[.,][0-9]{0,20})?"
_MARGIN = re.compile(rf"[ \u00a0\u2009]{{0,3}}(?:±|\\pm(?![a-z])|\+/[-−]|\+-)[ \u00a0\u2009]{{0,3}}{_DIGITS}")
_MARGIN_IN_DIGITS = re.compile(r"(?<=[0-9])\([0-9]{1,4}\)")
_SUFFIX = re.compile(r"(?<=[0-9.])[fFL]\Z")
_LONG_UNITS = (
    "bits?|nats?|pts?|px|cm|mm|km|nm|µm|kg|mg|ms|µs|ns|min|mV|kV|mA|Hz|kHz|MHz|GHz|dB|rad|deg|°C|°F|°|€|£|EUR|USD"
)
_UNIT = re.compile(rf"(?<=[0-9.,])[ \u00a0\u202f]?({_LONG_UNITS}|[mscgKVAJNW])\Z")
_BEFORE_UNIT = re.compile(rf"(?<=[0-9.,])[ \u00a0\u202f]{{1,3}}(?=\\?%|(?:{_LONG_UNITS})(?=\s|$))")
_AROUND_MARGIN = re.compile(
    r"(?<=[0-9.,])[ \u00a0\u2009]{0,3}(±|\\pm(?![a-z])|\+/[-−]|\+-)[ \u00a0\u2009]{0,3}(?=[0-9])"
)


def joined_to_numbers(line: str) -> str:
    """Join numbers to their percent signs, units and margins.

    >>> joined_to_numbers("25 %  0.43 ± 0.02  3 bits")
    '25%  0.43±0.02  3bits'
    """
    return _BEFORE_UNIT.sub("", _AROUND_MARGIN.sub(r"\1", line))


def undressed(text: str) -> tuple[str, frozenset[str]]:
    """Return a cell's bare text, and what was removed, as "unit:cm".

    >>> undressed("**0.43***"), undressed("0.43 ± 0.02")[0], undressed("0.43cm")
    (('0.43', frozenset()), '0.43', ('0.43', frozenset({'unit:cm'})))
    """
    if _BARE.fullmatch(text) or not text or len(text) > MOST_DRESSED or not _HAS_DIGIT.search(text):
        return text, frozenset()
    taken: set[str] = set()
    for take_off in FORMS:
        text = take_off(text, taken).strip()
    return text, frozenset(taken)


_QUOTES = ("*", "_", "`", "$", '"', "'")
_HAS_DIGIT = re.compile("[0-9¼-¾⅐-⅞]|inf|∞", re.IGNORECASE)


def _emphasis(text: str, _: set[str]) -> str:
    if text[:1] not in _QUOTES:
        return text
    while found := _EMPHASIS.fullmatch(text):
        text = found[2].strip()
    return _EMPHASIS.sub(r"\2", text) if text[:1] in ("*", "`") else text


def _tags(text: str, _: set[str]) -> str:
    if "&" in text:
        text = html.unescape(text)
    return _TAGS.sub("", text) if "<" in text else text


def _margin(text: str, taken: set[str]) -> str:
    if "±" not in text and "+" not in text and "pm" not in text and "(" not in text:
        return text
    bare, n = _MARGIN.subn("", text)
    inside, n_inside = _MARGIN_IN_DIGITS.subn("", bare)
    taken |= {"margin"} if n or n_inside else set()
    return inside


def _footnote(text: str, _: set[str]) -> str:
    return _FOOTNOTE.sub("", text)


def _raised(text: str, taken: set[str]) -> str:
    found = _RAISED.search(text) if "." in text or "," in text else None
    taken |= {"raised"} if found else set()
    return text[: found.start()] if found else text


def _suffix(text: str, _: set[str]) -> str:
    return _SUFFIX.sub("", text)


def _unit(text: str, taken: set[str]) -> str:
    found = _UNIT.search(text)
    taken |= {f"unit:{found[1]}"} if found else set()
    return text[: found.start()] if found else text


# Functions that remove what may surround a number, in this order. Emphasis comes twice, because it may contain a mark.
FORMS: tuple[Callable[[str, set[str]], str], ...] = (
    _tags, _emphasis, _footnote, _emphasis, _raised, _margin, _unit, _suffix,
)  # fmt: skip


_NO_DRESS: frozenset[str] = frozenset()


class ReadCell(NamedTuple):
    """A cell's bare text and its number, or why it has none."""

    text: str
    dress: frozenset[str]
    number: TypedNumber | None
    reason: str = ""


class CellReader:
    """A reader of cells, which reads equal texts only once."""

    def __init__(self) -> None:
        self.known: dict[str, ReadCell] = {}

    def __call__(self, text: str) -> ReadCell:
        """Return a cell as read; ``TypedNumber.either`` marks an ambiguous number."""
        read = self.known.get(text)
        if read is None:
            read = self.known[text] = self._read(text)
        return read

    def _read(self, text: str) -> ReadCell:
        if number := usual_number(text):
            return ReadCell(text, _NO_DRESS, number)
        bare, dress = undressed(text)
        try:
            return ReadCell(bare, dress, read_number(bare, decimal_sign=""))
        except NoNumberError as error:
            return ReadCell(bare, dress, None, error.reason)
