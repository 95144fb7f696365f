"""What the page says and what it is told: one query, of which each parameter has one owner; see scripts/address.js.

Streamlit's controls that are bound to the address have theirs, the page has all others. The page says its whole query,
as the value of a component or by its address; each run tells what it was asked for, and what became of that. Python
sets no control and writes no address: what a button changes is offered, once, and the page lays it over what it has by
then.
"""

import secrets
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode
from zlib import crc32

import streamlit as st

from attnviz.app.scripts import script
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import MOST_FIELDS, MOST_LENGTH, get_script_run_ctx, run_again
from attnviz.link.parameter_table import once, texts
from attnviz.link.set_up import EXAMPLE, PUBLISHED, parameters, read_controls
from attnviz.link.state import as_the_app_opens

_EARS = "address.ears"
_MOST_OFFERS = 32  # that the page may not have taken yet
_DRAWN = 3  # times, after which it has: what is drawn comes in order
# Milliseconds that the hand rests before the page is told, and so many times as long as the last answer took, at most.
PUT_OFF = {"REST_MS": 250, "TIMES": 4, "MOST_MS": 6000}

# Two of one script: the first hears what is said, before any control is drawn; the second tells, after them, from what
# the run is drawn.
_address = st.components.v2.component(
    "attnviz_address",
    html="<i></i>",
    js=script(Path(__file__).parents[2] / "scripts" / "address_part.js", {"CONSTANTS": {"PUT_OFF": PUT_OFF}}),
)


@dataclass
class Offer:
    """What a button changes: the page takes it once; `path` is the page that it leads to."""

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
    """What a session knows of its page: what was asked for, the texts that came of it, and what it was offered."""

    asked: dict[str, str]
    came: str
    page: str | None
    said: Any = None
    texts: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)  # texts that came with a link and that no page has read yet
    forgotten: set[str] = field(default_factory=set)
    corrected: dict[str, tuple[str, str]] = field(default_factory=dict)  # texts that can't be had, and those in place
    offers: list[Offer] = field(default_factory=list)
    offering: Offer | None = None  # what this run adds to
    back: bool = False  # whether the page was open already, before another server or session
    became: dict[str, str] = field(default_factory=dict)  # what the last run made of it
    opening: dict[str, str] = field(default_factory=lambda: as_the_app_opens({}))  # what a bare query stands for
    turned: str | None = None  # the last query of a run of our own
    turning: str | None = None  # the query of a run that turns controls
    whole: bool = True  # whether the controls were set by what was asked for, and not moved since


def read_query(query: str) -> dict[str, str]:
    """Return the parameters of a query; of one that comes twice, the last."""
    if len(query) > MOST_LENGTH:
        return {}
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return {}
    return dict(pairs)


def mark_of(query: Mapping[str, str]) -> str:
    """Return what tells a query from others, as address.js has it.

    >>> mark_of({"seed": "7"}), mark_of({"b": "1", "a": "é"}) == mark_of({"a": "é", "b": "1"})
    ('6.4241862541', True)
    """
    text = "\n".join(f"{name}={query[name]}" for name in sorted(query, key=_as_in_javascript))
    data = text.encode("utf-8", "replace")
    return f"{len(data)}.{crc32(data)}"


def _as_in_javascript(text: str) -> bytes:
    """Return by what JavaScript sorts texts: the halves of UTF-16."""
    return text.encode("utf-16-be", "surrogatepass")


def memory() -> Memory | None:
    """Return what this session knows of its page; None before its first run."""
    return this_session().address


def hear() -> None:
    """Take what the page says, at the start of a run, before any control is drawn.

    Where a button has turned controls, the run begins anew, as if the page had gone to an address that says so.
    """
    session = this_session()
    now = session.address
    offers = [] if now is None else [each.sent() for each in now.offers]
    ears = {"ears": True, "offers": offers, "opening": _written(as_the_app_opens({}) if now is None else now.opening)}
    told = _address(key=_EARS, data=ears, on_said_change=lambda: None, height=1)
    said, context = _valid(told.get("said")), get_script_run_ctx()
    came = "" if context is None else context.query_string
    page = None if context is None else context.page_script_hash
    history = context is not None and context.is_history_navigation
    if now is None:  # a page that has said something was drawn by a server before this one
        asked = read_query(said["query"] if said and not history else came)
        now = session.address = Memory(asked, came, page, said, fresh=set(texts()), back=said is not None)
    else:
        asked = _hear(now, said, came, page, history=history)
    now.texts = {name: text for name, text in asked.items() if name in texts() and name != EXAMPLE and text}
    for name, (refused, text) in now.corrected.items():  # of a run that was overtaken before it could tell
        if now.texts.get(name, "") == refused:
            _lay(now.texts, {name: text or None})
    for each in now.offers:
        if not each.left:
            _lay(now.texts, {name: text for name, text in each.patch.items() if name in texts()})
    if now.turning is None and any(_turns(each) for each in now.offers):
        _run_turned(now)
    if history:  # as the controls will be, once they are drawn
        for name, value in read_controls(asked)[0].items():
            session.put(name, value)


def _hear(now: Memory, said: Any, came: str, page: str | None, *, history: bool) -> dict[str, str]:
    """Find out what is asked for: what was said or written last, and return it. The page says it again where it isn't
    what it has."""
    if came == now.turning:  # a run of our own
        now.whole = True
        if history:
            now.asked = read_query(came)
        return read_query(came)
    now.turning, now.whole = None, history
    now.offers = [each for each in now.offers if each.drawn < _DRAWN]
    if history:
        now.asked, now.fresh = read_query(came), set(texts())
        for each in now.offers:
            each.left = True
    elif said and said != now.said:
        now.asked = read_query(said["query"])
        ids = [each.id for each in now.offers]
        if said["taken"] in ids:
            now.offers = now.offers[ids.index(said["taken"]) + 1 :]
    elif came not in (now.came, now.turned) and page == now.page:  # a control was moved
        now.asked = read_query(came)
    else:
        others = {name: text for name, text in now.asked.items() if name not in texts() and name not in _gone(now)}
        now.asked = others | now.texts
    now.said, now.came, now.page = said or now.said, came, page
    return now.asked


def open_as(query: Mapping[str, str]) -> None:
    """Run again as if the address had come with these parameters; on the first run, before what is bound to them is
    drawn."""
    now = memory()
    if now is not None:
        now.turning = _written(query)
        run_again(now.turning)


def came_bare() -> bool:
    """Whether the page was opened without parameters, as far as the server was told: of too many, it is told none."""
    now = memory()
    return now is None or not now.asked


def _valid(said: Any) -> Any:
    """Return what a page said; None for what none says."""
    if not isinstance(said, dict) or not all(isinstance(said.get(name), str) for name in ("query", "taken")):
        return None
    return said if len(said["query"]) <= MOST_LENGTH else None


def _written(query: Mapping[str, str]) -> str:
    return urlencode(query, errors="surrogatepass")


def _lay(query: dict[str, str], patch: Mapping[str, str | None]) -> None:
    for name, text in patch.items():
        if text is None:
            query.pop(name, None)
        else:
            query[name] = text


def _turns(offer: Offer) -> bool:
    """Whether an offer leads to another page, or turns controls that don't stand so yet."""
    if offer.drawn or offer.left:
        return False
    if offer.file:
        return True
    table, session = parameters(), this_session()
    turned = {name: text for name, text in offer.patch.items() if name in table}
    return any(_value(name, text) != session.get(name, table[name].default) for name, text in turned.items())


def _value(name: str, text: str | None) -> Any:
    """Return the value of a control by its text; its default without any."""
    row = parameters()[name]
    return row.default if text is None else row.read(text)[0]


def _run_turned(now: Memory) -> None:
    query = asked_of(now)
    for each in now.offers:
        if not each.left:
            _lay(query, each.patch)
    now.turning = _written(query)
    page = None
    leads = [each for each in now.offers if each.file and not each.drawn and not each.left]
    if leads:
        found = next(each for each in pages() if each["script_path"].endswith(leads[-1].file))
        leads[-1].path, page = str(found["url_pathname"]), str(found["page_script_hash"])
    run_again(now.turning, turns=True, page=page)


def pages() -> list[Any]:
    """Return what Streamlit knows of each page: its file, its hash, and what its address ends with."""
    context = get_script_run_ctx()
    return [] if context is None else list(context.pages_manager.get_pages().values())


def place_of_now() -> tuple[str, str]:
    """Return what the address of the page that was drawn last ends with, and its query."""
    now = memory()
    page = next((each.get("url_pathname", "") for each in pages() if now and each["page_script_hash"] == now.page), "")
    return str(page), _written(now.became) if now else ""


def _offering() -> Offer | None:
    now = memory()
    if now is None:
        return None
    if now.offering is None:
        now.offering = Offer(secrets.token_urlsafe(8))
        now.offers = [*now.offers, now.offering][-_MOST_OFFERS:]
    return now.offering


def offer(patch: Mapping[str, str | None]) -> None:
    """Offer the page a change of its own parameters: as a step of its history, with all else that this run offers."""
    offering, now = _offering(), memory()
    if offering is not None and now is not None:
        offering.patch |= patch
        _lay(now.texts, patch)


def turn(values: Mapping[str, Any]) -> None:
    """Turn controls to these values, with the next run: in a callback, or before any is drawn.

    >>> turn({"seed": 7})  # nothing, where no page is open
    """
    offering, table = _offering(), parameters()
    if offering is not None:
        offering.patch |= {
            name: None if value == table[name].default else table[name].codec.encode(value)
            for name, value in values.items()
        }
        offering.drawn = 0


def turn_now(values: Mapping[str, Any]) -> None:
    """Turn controls to these values, and begin this run anew with them; once, for they turn where they are drawn."""
    turn(values)
    now = memory()
    if now is not None and now.turning is None:
        _run_turned(now)


def correct(name: str, text: str) -> None:
    """Have the address say another text of a parameter of the page's, without a step: what was asked for isn't to be
    had."""
    now = memory()
    if now is not None and now.texts.get(name, "") != text:
        now.corrected[name] = now.texts.get(name, ""), text
        _lay(now.texts, {name: text or None})
        for each in now.offers:  # where the page hasn't taken it yet
            each.patch |= {name: text or None} if name in each.patch else {}


def go_to(page: str) -> None:
    """Leave this page for another, given by its file, with all of the set-up; in a callback: the run begins there."""
    if (offering := _offering()) is not None:
        offering.file = page


def came_back() -> bool:
    """Whether this is the first run for a page that was open already: its controls hold what was done with them."""
    now = memory()
    return now is not None and now.back


def asked() -> dict[str, str]:
    """Return what is asked for, as texts, where the page is opened."""
    now = memory()
    return {} if now is None else read_query(now.turning) if now.turning else now.asked


def forget(names: Any) -> None:
    """Take parameters out of the address that the app has none of."""
    now = memory()
    if now is not None:
        now.forgotten |= set(names)


def controls_are_quiet() -> bool:
    """Whether a control that is bound to the address leaves it to the page to say what it was moved to: once the page
    knows which are, it may ask for numbers first, and have one run for several moves."""
    now = memory()
    return now is not None and bool(now.became)


def controls(now: Memory) -> dict[str, str]:
    """Return the controls whose values are not their defaults, as the address has them."""
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
    """Return the query that this run was asked for, with the controls as they were moved since it was said."""
    asked = dict(now.asked)
    if now.whole:
        return asked
    set_up, session = controls(now), this_session()
    for name, row in parameters().items():
        if _value(name, asked.get(name)) != session.get(name, row.default):
            _lay(asked, {name: set_up.get(name)})
    return asked


def mark_of_now() -> str:
    """Return what tells the query that this run is drawn from; blank where no page is open."""
    now = memory()
    return "" if now is None else mark_of(asked_of(now))


def becomes(
    asked: Mapping[str, str], set_up: Mapping[str, str], held: Mapping[str, str], forgotten: Set[str]
) -> dict[str, str]:
    """Return what becomes of a query: the controls and the texts that came of it, and what others have put there."""
    ours = {*parameters(), *texts(), *once(), *forgotten}
    found = {name: text for name, text in asked.items() if name not in ours} | dict(set_up) | dict(held)
    found.pop(EXAMPLE, None)
    if not any(name in ours for name in found):  # bare, it would open another example
        found[EXAMPLE] = PUBLISHED
    return found


def patch_of(asked: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str | None]:
    """Return the difference of two queries: a text for each parameter that has another, None for one that goes."""
    return {name: now.get(name) for name in sorted(asked.keys() | now.keys()) if asked.get(name) != now.get(name)}


def tell(page: str, key: str = "address") -> None:
    """Draw what tells the page what was drawn, and of what; at the end of a run, or of a part that runs by itself."""
    session = this_session()
    now = session.address
    if now is None:
        return
    set_up, asked = controls(now), asked_of(now)
    found = becomes(asked, set_up, now.texts, now.forgotten)
    now.opening = now.opening if asked else found
    drawn = {
        "from": mark_of(asked),
        "is": mark_of(found),
        "patch": patch_of(asked, found),
        "page": page,
        "controls": {name: set_up.get(name) for name in parameters()},
        "quiet": controls_are_quiet(),
        "back": (now.said or {}).get("back", 0),
        "offers": [each.sent() for each in now.offers],
    }
    for each in now.offers:
        each.drawn += 1
    now.turned, now.turning = now.turning or now.turned, None
    now.offering, now.whole, now.back, now.became = None, False, False, found
    now.corrected.clear()
    _address(key=key, data={"drawn": drawn, "opening": _written(now.opening)}, on_said_change=lambda: None, height=1)


def _gone(now: Memory) -> set[str]:
    """Return the parameters that leave the address once they were read."""
    return {*once(), EXAMPLE, *now.forgotten}
