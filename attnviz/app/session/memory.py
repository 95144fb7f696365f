"""A session's record of its page: its query, result and offered changes."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx
from attnviz.link.parameter_table import once, texts
from attnviz.link.set_up import EXAMPLE, PUBLISHED, parameters
from attnviz.link.state import as_the_app_opens, read_query


@dataclass
class Offer:
    """A button's change, applied once; `path` is the page it leads to."""

    id: str
    patch: dict[str, str | None] = field(default_factory=dict)
    path: str | None = None
    file: str = ""  # of that page
    drawn: int = 0  # how often it was
    left: bool = False  # by Back or a link: where the page hasn't taken it, it does so with the next drawing

    def sent(self) -> dict[str, Any]:
        """Return what the page is sent of it."""
        led = {} if self.path is None else {"path": self.path}
        return {"id": self.id, "patch": self.patch} | led


@dataclass
class Memory:
    """A session's record of its page: its query, texts and offers."""

    asked: dict[str, str] = field(default_factory=dict)
    came: str = ""
    page: str | None = None
    said: Any = None
    texts: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)  # texts that came with a link and that no page has read yet
    forgotten: set[str] = field(default_factory=set)  # parameters that the app has none of, to leave the address
    corrected: dict[str, tuple[str, str]] = field(default_factory=dict)  # texts that can't be had, and those in place
    offers: list[Offer] = field(default_factory=list)
    offering: Offer | None = None  # what this run adds to
    back: bool = False  # whether the page was open already, before another server or session
    became: dict[str, str] = field(default_factory=dict)  # what the last run made of it
    opening: dict[str, str] = field(default_factory=lambda: as_the_app_opens({}))  # what a bare query stands for
    turned: str | None = None  # the last query of a run of our own
    turning: str | None = None  # the query of a run that turns controls
    whole: bool = True  # whether the controls were set by what was asked for, and not moved since


def _halves(text: str) -> bytes:  # of UTF-16, by which JavaScript sorts
    return text.encode("utf-16-be", "surrogatepass")


def mark_of(query: Mapping[str, str]) -> str:
    """Return what tells a query from others, as address.js has it.

    >>> mark_of({"seed": "7"}), mark_of({"b": "1", "a": "é"}) == mark_of({"a": "é", "b": "1"})
    ('6.4241862541', True)
    """
    text = "\n".join(f"{name}={query[name]}" for name in sorted(query, key=_halves))
    data = text.encode("utf-8", "replace")
    return f"{len(data)}.{crc32(data)}"


def memory() -> Memory:
    """Return what is known of this session's page; nothing without one."""
    return this_session().address or Memory()


def written(query: Mapping[str, str]) -> str:
    """Return a query as an address has it."""
    return urlencode(query, errors="surrogatepass")


def lay(query: dict[str, str], patch: Mapping[str, str | None]) -> None:
    """Apply a change to a query; None removes a parameter."""
    for name, text in patch.items():
        if text is None:
            query.pop(name, None)
        else:
            query[name] = text


def value_of(name: str, text: str | None) -> Any:
    """Return a control's value from its text; the default for None."""
    row = parameters()[name]
    return row.default if text is None else row.read(text)[0]


def pages() -> list[Any]:
    """Return Streamlit's record of each page: file, hash and address."""
    context = get_script_run_ctx()
    return [] if context is None else list(context.pages_manager.get_pages().values())


def place_of_now() -> tuple[str, str]:
    """Return the address's end and query of the last page drawn."""
    now = memory()
    page = next((each.get("url_pathname", "") for each in pages() if each["page_script_hash"] == now.page), "")
    return str(page), written(now.became)


def came_back() -> bool:
    """Whether this is the first run for an already open page."""
    return memory().back


def asked() -> dict[str, str]:
    """Return what is asked for, as texts, where the page is opened."""
    now = memory()
    return read_query(now.turning) if now.turning else now.asked


def controls_are_quiet() -> bool:
    """Whether the page reports what bound controls were moved to.

    It can then get numbers first, and rerun once for several changes.
    """
    return bool(memory().became)


def controls(now: Memory) -> dict[str, str]:
    """Return the controls that differ from their defaults, as texts."""
    came = read_query(now.came)
    found, session = {}, this_session()
    for name, row in parameters().items():
        value = session.get(name, row.default)
        if value != row.default:
            written = (now.asked.get(name), came.get(name))
            same = (text for text in written if text is not None and row.read(text) == (value, None))
            found[name] = next(same, row.codec.encode(value))
    return found


def asked_of(now: Memory) -> dict[str, str]:
    """Return this run's query, with later changes of the controls."""
    asked = dict(now.asked)
    if now.whole:
        return asked
    set_up, session = controls(now), this_session()
    for name, row in parameters().items():
        if value_of(name, asked.get(name)) != session.get(name, row.default):
            lay(asked, {name: set_up.get(name)})
    return asked


def mark_of_now() -> str:
    """Return the mark of this run's query."""
    return mark_of(asked_of(memory()))


def becomes(
    asked: Mapping[str, str], set_up: Mapping[str, str], held: Mapping[str, str], forgotten: Set[str]
) -> dict[str, str]:
    """Return the query after a run, with parameters of others kept."""
    ours = {*parameters(), *texts(), *once(), *forgotten}
    found = {name: text for name, text in asked.items() if name not in ours} | dict(set_up) | dict(held)
    found.pop(EXAMPLE, None)
    if not any(name in ours for name in found):  # bare, it would open another example
        found[EXAMPLE] = PUBLISHED
    return found


def patch_of(asked: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str | None]:
    """Return the change between two queries; None for a removed parameter."""
    return {name: now.get(name) for name in sorted(asked.keys() | now.keys()) if asked.get(name) != now.get(name)}
