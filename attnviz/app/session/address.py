"""The page's query and its changes; see scripts/address.js.

Streamlit's controls that are bound to the address own their parameters, the page owns all others. The page says its
whole query, as the value of a component or by its address; each run tells what it was asked for, and what became of
that. Python sets no control and writes no address: what a button changes is offered, once, and the page lays it over
what it has by then.
"""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.session.memory import (
    Memory,
    Offer,
    asked_of,
    becomes,
    controls,
    controls_are_quiet,
    lay,
    mark_of,
    memory,
    pages,
    patch_of,
    value_of,
    written,
)
from attnviz.app.session.painting import painting
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx, run_again
from attnviz.link.parameter_table import once, texts
from attnviz.link.set_up import EXAMPLE, parameters, read_controls
from attnviz.link.state import MOST_CHARACTERS, read_query
from attnviz.scripts import script

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
    js=script(Path(__file__).parents[2] / "scripts" / "address.js", {"CONSTANTS": {"PUT_OFF": PUT_OFF}}),
)


def hear() -> None:
    """Read the page's query, before any control is drawn.

    Where a button has turned controls, the run begins anew, as if the page had gone to an address that says so.
    """
    session = this_session()
    now, known = session.address, memory()
    offers = [each.sent() for each in known.offers]
    ears = {"asks": painting().asks(), "offers": offers, "opening": written(known.opening)}
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
            lay(now.texts, {name: text or None})
    for each in now.offers:
        if not each.left:
            lay(now.texts, {name: text for name, text in each.patch.items() if name in texts()})
    if now.turning is None and any(_turns(each) for each in now.offers):
        _run_turned(now)
    if history:  # as the controls will be, once they are drawn
        for name, value in read_controls(asked)[0].items():
            session.put(name, value)


def _hear(now: Memory, said: Any, came: str, page: str | None, *, history: bool) -> dict[str, str]:
    """Return the latest query that was asked for, by page or address."""
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
        gone = {*texts(), *once(), EXAMPLE, *now.forgotten}  # the last three leave the address once they were read
        now.asked = {name: text for name, text in now.asked.items() if name not in gone} | now.texts
    now.said, now.came, now.page = said or now.said, came, page
    return now.asked


def _valid(said: Any) -> Any:
    """Return what a page said; None for what none says."""
    if not isinstance(said, dict) or not all(isinstance(said.get(name), str) for name in ("query", "taken")):
        return None
    return said if len(said["query"]) <= MOST_CHARACTERS else None


def _turns(offer: Offer) -> bool:
    """Whether an offer leads to another page or changes a control."""
    if offer.drawn or offer.left:
        return False
    if offer.file:
        return True
    table, session = parameters(), this_session()
    turned = {name: text for name, text in offer.patch.items() if name in table}
    return any(value_of(name, text) != session.get(name, table[name].default) for name, text in turned.items())


def _run_turned(now: Memory) -> None:
    query = asked_of(now)
    for each in now.offers:
        if not each.left:
            lay(query, each.patch)
    now.turning = written(query)
    page = None
    leads = [each for each in now.offers if each.file and not each.drawn and not each.left]
    if leads:
        found = next(each for each in pages() if each["script_path"].endswith(leads[-1].file))
        leads[-1].path, page = str(found["url_pathname"]), str(found["page_script_hash"])
    run_again(now.turning, turns=True, page=page)


def _offering() -> Offer:
    now = memory()
    if now.offering is None:
        now.offering = Offer(secrets.token_urlsafe(8))
        now.offers = [*now.offers, now.offering][-_MOST_OFFERS:]
    return now.offering


def offer(patch: Mapping[str, str | None]) -> None:
    """Offer the page a change of its parameters, in one history step."""
    _offering().patch |= patch
    lay(memory().texts, patch)


def turn(values: Mapping[str, Any]) -> None:
    """Set controls in the next run; from a callback or before drawing."""
    offering, table = _offering(), parameters()
    offering.patch |= {
        name: None if value == table[name].default else table[name].codec.encode(value)
        for name, value in values.items()
    }
    offering.drawn = 0


def turn_now(values: Mapping[str, Any]) -> None:
    """Set controls and restart this run, once."""
    turn(values)
    now = memory()
    if now.turning is None:
        _run_turned(now)


def correct(name: str, text: str) -> None:
    """Replace an unusable parameter in the address, without a history step."""
    now = memory()
    if now.texts.get(name, "") != text:
        now.corrected[name] = now.texts.get(name, ""), text
        lay(now.texts, {name: text or None})
        for each in now.offers:  # where the page hasn't taken it yet
            each.patch |= {name: text or None} if name in each.patch else {}


def go_to(page: str) -> None:
    """Go to another page, given by file; only in a callback."""
    _offering().file = page


def tell(page: str, key: str = "address") -> None:
    """Tell the page what was drawn, after a run or a fragment."""
    now = memory()
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
    _address(key=key, data={"drawn": drawn, "opening": written(now.opening)}, on_said_change=lambda: None, height=1)
