"""A session's record of its page: its query, result and offered changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx
from attnviz.link.parameter_table import texts
from attnviz.link.set_up import EXAMPLE, parameters
from attnviz.link.state import is_of_others, naming_its_example, read_query


@dataclass
class Offer:
    """A button's change of the query, and the page that it opens."""

    id: str
    patch: dict[str, str | None] = field(default_factory=dict)
    path: str | None = None
    last_sent: tuple[dict[str, str | None], str | None] | None = None  # the patch and path that were last sent
    drawn: bool = False
    superseded: bool = False  # by Back or a link; the page may still apply it at the next drawing

    def sent(self) -> dict[str, Any]:
        """Return the message for the page, and remember what it says."""
        self.last_sent = dict(self.patch), self.path
        return {"id": self.id, "patch": self.patch, "path": self.path}


@dataclass
class PageRecord:
    """A session's record of its page: its query, texts and offers."""

    query: dict[str, str] = field(default_factory=dict)  # the query that is to be drawn, or that was drawn last
    # Recent queries. A control that differs from all of them was moved by the reader.
    recent: tuple[Mapping[str, str], ...] = ()
    pending: bool = True  # whether `query` is still to be drawn and reported
    message: Any = None  # the latest of the page
    texts: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=lambda: set(texts()))  # texts from a link that no run has read yet
    corrected: dict[tuple[str, str], str] = field(default_factory=dict)  # (name, unusable text) -> its replacement
    offers: list[Offer] = field(default_factory=list)
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)  # parameter -> its fields; see fields.py
    reconnected: bool = False  # whether an earlier server or session drew the page
    rerun_query: str | None = None  # the query of a rerun that the server started


def mark_of(query: Mapping[str, str]) -> str:
    """Return a checksum of a query, the same as in address.js.

    >>> mark_of({"seed": "7"}), mark_of({"b": "1", "a": "é"}) == mark_of({"a": "é", "b": "1"})
    ('6.4241862541', True)
    """
    names = sorted(query, key=lambda name: name.encode("utf-16-be", "surrogatepass"))  # JavaScript's order
    text = "\n".join(f"{name}={query[name]}" for name in names)
    data = text.encode("utf-8", "replace")
    return f"{len(data)}.{crc32(data)}"


def this_page() -> PageRecord:
    """Return the session's record of its page, an empty one at first."""
    return this_session().address or PageRecord()


def written(query: Mapping[str, str]) -> str:
    """Return a query as an address writes it."""
    return urlencode(query, errors="surrogatepass")


def apply_patch(query: dict[str, str], patch: Mapping[str, str | None]) -> None:
    """Apply a change to a query; None removes a parameter."""
    for name, text in patch.items():
        if text is None:
            query.pop(name, None)
        else:
            query[name] = text


def pages() -> dict[str, str]:
    """Return the address of each of Streamlit's pages, by its hash."""
    context = get_script_run_ctx()
    by_hash = {} if context is None else context.pages_manager.get_pages()
    return {key: page.get("url_pathname", "") for key, page in by_hash.items()}


def current_place() -> tuple[str, str]:
    """Return the page's path and query."""
    context = get_script_run_ctx()
    return "" if context is None else pages().get(context.page_script_hash, ""), written(this_page().query)


def came_back() -> bool:
    """Whether this is the first run for an already open page."""
    return this_page().reconnected


def current_query() -> dict[str, str]:
    """Return the query that this run computes, by parameter."""
    record = this_page()
    return read_query(record.rerun_query) if record.rerun_query else record.query


def controls() -> dict[str, str]:
    """Return the controls that differ from their defaults, as texts."""
    rows, session = parameters(), this_session()
    values = {name: session.get(name, row.default) for name, row in rows.items()}
    return {name: rows[name].codec.encode(value) for name, value in values.items() if value != rows[name].default}


def current_mark() -> str:
    """Return the mark of this run's query."""
    return mark_of(this_page().query)


def query_after_run(
    query: Mapping[str, str], control_texts: Mapping[str, str], page_texts: Mapping[str, str]
) -> dict[str, str]:
    """Return the query after a run; parameters that aren't ours are kept."""
    after = {name: text for name, text in query.items() if is_of_others(name)} | dict(control_texts) | dict(page_texts)
    after.pop(EXAMPLE, None)
    return naming_its_example(after)
