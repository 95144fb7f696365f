"""Packed URL texts: the form of Check my numbers, answers, playlists."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from attnviz.core.limits import MAX_D, MAX_HEADS, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.stages import ACTIVATIONS, EVERY_STAGE, attention_table
from attnviz.core.tokens import is_whole_text
from attnviz.exercises.exercise import MOST_D, MOST_TOKENS, RESULTS
from attnviz.link.codecs import By, Codec, Raw, UnreadableError, is_packed, pack, unpack, unreadable_part
from attnviz.marking import CARRIED, ROUNDED_FROM
from attnviz.words import say

MOST_UNPACKED = 2_000_000
FIRST_NAMES = tuple(attention_table(biases=()))  # what most readers have; the form folds the others
TABLE_NAMES = (*FIRST_NAMES, *(name for name in EVERY_STAGE if name not in FIRST_NAMES))
AS_PRINTED = "as printed"  # these stand in links, and are worded for the reader by the page
EXACT, BY_DIGITS, ROUNDED = "exact as printed", f"rounded from {ROUNDED_FROM} decimals on", "rounded"
FOUND = "found"
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {f"check.table.{name}": "" for name in TABLE_NAMES}
    | {
        "check.paste": "",  # what named no table
        "check.scale": True,
        "check.decimals": AS_PRINTED,
        "check.tokens": "",
        "check.causal": FOUND,  # or True or False, where it is stated
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
    """Values other than the `usual` as packed JSON; blank if too many.

    `what` names it in the catalogue; `taken` returns what can be used of one that was read, or refuses it.
    """

    what: str
    most: int
    usual: Mapping[str, Any]
    taken: Callable[[dict[str, Any]], dict[str, Any]]

    def decode(self, raw: str) -> dict[str, Any]:
        try:
            held = json.loads(unpack(raw, self.most)) if raw else {}
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


# What the form holds, by the names of its fields, without those at their defaults.
FORM_TEXT = PackedJson("tables", MOST_UNPACKED, DEFAULTS, _form)

MOST_CHARACTERS = 20  # of an answer
MOST_OF_ANSWERS = 4_000  # characters, packed
_LAST = max(MOST_TOKENS, MOST_D) - 1
_PLACE = re.compile(rf"(?:{'|'.join(RESULTS)})\.[0-{_LAST}]\.[0-{_LAST}]")


def _answers(typed: dict[str, Any]) -> dict[str, Any]:
    for place, text in typed.items():
        if not isinstance(text, str) or not 0 < len(text) <= MOST_CHARACTERS or not _PLACE.fullmatch(place):
            raise unreadable_part(ValueError(), "answers", {})
    return typed


# What stands in each blank of an exercise, by its place: q.0.1.
ANSWERS_TEXT = PackedJson("answers", 20_000, MappingProxyType({}), _answers)


PLAYLIST, MOMENT = "playlist", "moment"
MOST_MOMENTS = 60
MOST_OF_PLAYLIST = 30_000  # characters, packed
_MOST_UNPACKED = 200_000
_PAGE = re.compile(r"[a-z]*")


class Moment(NamedTuple):
    """A page's name, its query, and the speaker's line."""

    page: str
    query: str
    said: str = ""


def moments_of(text: str, pages: Sequence[str] | None = None) -> tuple[Moment, ...]:
    r"""Return a playlist's moments: on each line a link, then what's said.

    Blank lines and those beginning with # are left out, as may be all before a link's last /. `pages` are known ones.

    Raises :class:`UnreadableError`, which names the line.

    >>> moments_of("/lesson?step=softmax  Rows sum to 1\n# a remark\nhttp://localhost:8501/?seed=7&playlist=x")
    (Moment(page='lesson', query='step=softmax', said='Rows sum to 1'), Moment(page='', query='seed=7', said=''))
    """
    found = []
    for n, line in enumerate(text.splitlines(), 1):
        link, _, said = line.strip().partition(" ")
        if not link or link.startswith("#"):
            continue
        try:
            parts = urlsplit(link)
        except ValueError:
            raise UnreadableError("share.playlist.no_link", n=n, raw=Raw(link[:80])) from None
        page = parts.path.rpartition("/")[2]
        known = _PAGE.fullmatch(page) if pages is None else page in pages
        if not known or not ("/" in link or "?" in link):
            raise UnreadableError("share.playlist.no_link", n=n, raw=Raw(link[:80]))
        pairs = [each for each in parse_qsl(parts.query, keep_blank_values=True) if each[0] not in (PLAYLIST, MOMENT)]
        found.append(Moment(page, urlencode(pairs, safe="*.~"), said.strip()))
    if len(found) > MOST_MOMENTS:
        raise UnreadableError("share.playlist.too_many", most=MOST_MOMENTS)
    return tuple(found)


def read_lines(text: str, pages: Sequence[str]) -> tuple[tuple[Moment, ...], UnreadableError | None]:
    """Return a playlist's moments, or none and why it's unreadable."""
    try:
        return moments_of(text, pages), None
    except UnreadableError as error:
        return (), error


def text_of(moments: Sequence[Moment]) -> str:
    """Return moments as a text, a line for each."""
    return "".join(f"/{each.page}?{each.query}".rstrip("?") + f"  {each.said}".rstrip() + "\n" for each in moments)


def _decoded(raw: str) -> tuple[Moment, ...]:
    if not is_packed(raw):
        raise UnreadableError
    try:
        return moments_of(unpack(raw, _MOST_UNPACKED))
    except UnreadableError:
        raise
    except ValueError as error:
        raise unreadable_part(error, "playlist", ()) from None


PLAYLIST_TEXT = By(_decoded, lambda moments: pack(text_of(moments)), lambda: say("share.playlist.expected"))
