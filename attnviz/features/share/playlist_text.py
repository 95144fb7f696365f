"""A playlist in a link: its moments, packed."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from attnviz.link.codecs import FunctionCodec, Raw, UnreadableError, is_packed, pack, unpack, unreadable_part
from attnviz.words import say

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
    r"""Return a playlist's moments: each line has a link and a text.

    The text is what the speaker says. Blank lines and those that begin with # are ignored; so is everything before a
    link's last /. `pages` are the known pages; None allows any name.

    Raises :class:`UnreadableError`, which names the line.

    >>> moments_of("/lesson?step=softmax  Rows sum to 1\n# a remark\nhttp://localhost:8501/?seed=7&playlist=x")
    (Moment(page='lesson', query='step=softmax', said='Rows sum to 1'), Moment(page='', query='seed=7', said=''))
    """
    moments = []
    for n, line in enumerate(text.splitlines(), 1):
        link, _, words = line.strip().partition(" ")
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
        moments.append(Moment(page, urlencode(pairs, safe="*.~"), words.strip()))
    if len(moments) > MOST_MOMENTS:
        raise UnreadableError("share.playlist.too_many", most=MOST_MOMENTS)
    return tuple(moments)


def read_lines(text: str, pages: Sequence[str]) -> tuple[tuple[Moment, ...], UnreadableError | None]:
    """Return a playlist's moments, or none and the error."""
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


PLAYLIST_TEXT = FunctionCodec(_decoded, lambda moments: pack(text_of(moments)), lambda: say("share.playlist.expected"))
