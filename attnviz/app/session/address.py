"""The page's query and its changes; see scripts/address.js.

The page sends its whole query, as a component's value or in its address, and each run reports the query that it drew.
Parameters of controls bound to the address belong to these controls: a control that differs from the page's query, and
that the reader hasn't moved since, is set to it. A button's change is an offer, which the page applies once.
"""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnviz.app.session import page_record as known
from attnviz.app.session.component import component
from attnviz.app.session.first_paint import AT
from attnviz.app.session.page_record import Memory, Offer, lay, memory, written
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx, run_again
from attnviz.feature import pages
from attnviz.link.parameter_table import texts
from attnviz.link.set_up import EXAMPLE, PUBLISHED, VECTORS_OF_OPENING, parameters, read_controls, settings_by_class
from attnviz.link.state import MOST_CHARACTERS, read_link, read_query

_SCRIPTS = Path(__file__).parents[2] / "scripts"
_RECEIVER = "address.ears"
PLAYGROUND = ""  # Explore, the first page, has an empty path
_MOST_OFFERS = 32  # offers are kept until the page has applied them
# How long the page waits for further changes before it sends its query: TIMES as long as the last answer took, within
# these limits.
PUT_OFF = {"REST_MS": 250, "TIMES": 4, "MOST_MS": 6000}
OPENED = {page.name: list(page.parts) for page in pages() if page.parts}  # page -> parameters that open a part of it
SENT = {
    "PUT_OFF": PUT_OFF,
    "CONTROLS": list(parameters()),  # the parameters that controls are bound to
    "OPENED": OPENED,
    "BY_CLASS": {"part": VECTORS_OF_OPENING, "settings": settings_by_class()},
}

# Each run mounts the script twice: before all controls, to receive the page's query, and after them, to report the
# query that was drawn. The second one also tells the reader when the connection is lost.
_address = component(
    "address",
    '<div class="connection" role="status"></div>',
    _SCRIPTS / "address.js",
    css=(_SCRIPTS / "connection.css").read_text(),
    sent={"CONSTANTS": SENT},
)


def hear() -> None:
    """Read the page's query; restart the run where controls differ from it."""
    session, context = this_session(), get_script_run_ctx()
    _set_apart(memory())
    ears = {"asks": {"at": AT, "word": session.painting.word}, "offers": [each.sent() for each in memory().offers]}
    said = _valid(_address(key=_RECEIVER, data=ears, on_said_change=lambda: None, height=1).get("said"))
    came, history = (context.query_string, context.is_history_navigation) if context else ("", False)
    if (now := session.address) is None:  # a page that has sent a query was drawn by an earlier session
        query = read_query(said["query"] if said and not history else came)
        now = session.address = Memory(query, said=said, back=said is not None)
    else:
        _hear(now, said, came, history=history)
    asked = dict(known.current_query())
    # A control may have moved since the page sent its query, for example by a held key.
    if (drawn := session.blank is not None and not history) and now.due:
        stand = dict.fromkeys(parameters()) | known.controls()  # None stands for the default
        lay(asked, {name: text for name, text in stand.items() if all(text != q.get(name) for q in now.past)})
    now.past = (*now.past[-5:], asked)
    now.fields = {}
    named = session.blank is not None and asked.get(EXAMPLE, PUBLISHED) != PUBLISHED
    # Such a query is read like a link. It names an example (after Back, or an edit during a link's first run), or the
    # controls differ from it (the page changed them, or they weren't drawn yet).
    if named or (drawn and now.due and not _stand(asked)):
        asked = dict(read_link(asked).query)
        now.fresh |= {name for name in texts() if named or asked.get(name, "") != now.texts.get(name, "")}
    asked = _with_offers(now, asked)
    now.texts = {name: text for name, text in asked.items() if name in texts() and name != EXAMPLE and text}
    for (name, refused), text in now.corrected.items():  # made by a run that was interrupted too early
        if now.texts.get(name, "") == refused:
            lay(now.texts, {name: text or None})
    if named or _led_to(now) or (drawn and not _stand(asked)):
        _run_turned(now, asked)
    if history:  # the values that the controls will have once they are drawn
        for name, value in read_controls(asked)[0].items():
            session.put(name, value)


def _stand(query: Mapping[str, str]) -> bool:
    """Return whether the controls hold what a query says."""
    return {name: text for name, text in query.items() if name in parameters()} == known.controls()


def _hear(now: Memory, said: Any, came: str, *, history: bool) -> None:
    """Take the latest query from the page's message or the address."""
    if came == now.turning:  # a rerun that _run_turned started
        return
    now.turning = None
    if history:
        now.query, now.due, now.fresh, now.corrected = read_query(came), True, set(texts()), {}
        for each in now.offers:
            each.left = True
    elif said and said != now.said:
        now.query, now.due = read_query(said["query"]), True
        ids = [each.id for each in now.offers]
        if said["taken"] in ids:
            now.offers = now.offers[ids.index(said["taken"]) + 1 :]
    elif not now.due:
        now.query = known.becomes(now.query, known.controls(), now.texts)
    now.said = said or now.said


def _valid(said: Any) -> Any:
    """Return a page's message; None if it isn't one of ours."""
    is_ours = isinstance(said, dict) and all(isinstance(said.get(name), str) for name in ("query", "taken"))
    return said if is_ours and len(said["query"]) <= MOST_CHARACTERS else None


def _with_offers(now: Memory, query: Mapping[str, str]) -> dict[str, str]:
    """Return a query with the pending offers applied."""
    found = dict(query)
    for each in now.offers:
        if not each.left and (now.due or not each.drawn):
            lay(found, each.patch)
    return found


def _run_turned(now: Memory, query: Mapping[str, str]) -> None:
    if now.turning is None:
        now.query, now.turning = _with_offers(now, now.query), written(query)
        run_again(now.turning, turns=True, page=_led_to(now))


def _led_to(now: Memory) -> str | None:
    """Return the hash of the page that a pending offer opens."""
    paths = [each.path for each in now.offers if each.path is not None and not (each.drawn or each.left)]
    return next((page for page, path in known.pages().items() if path in paths[-1:]), None)


def offering() -> Offer:
    """Return the offer that this run adds to."""
    now = memory()
    if not now.offers or now.offers[-1].drawn:
        now.offers = [*now.offers, Offer(secrets.token_urlsafe(8))][-_MOST_OFFERS:]
    return now.offers[-1]


def _set_apart(now: Memory) -> None:
    """Move an interrupted run's additions to a sent offer into another."""
    for last in now.offers[-1:]:
        if last.told not in (None, (last.patch, last.path)) and not last.drawn:
            (patch, path), added = last.told, dict(last.patch.items() - last.told[0].items())
            now.offers.append(Offer(secrets.token_urlsafe(8), added, None if last.path == path else last.path))
            last.patch, last.path = patch, path


def turn(values: Mapping[str, Any]) -> None:
    """Set controls in the next run; from a callback or before drawing."""
    table = parameters()
    offering().patch |= {
        name: None if value == table[name].default else table[name].codec.encode(value)
        for name, value in values.items()
    }


def turn_now(values: Mapping[str, Any]) -> None:
    """Set controls and restart this run, once."""
    turn(values)
    _run_turned(memory(), _with_offers(memory(), known.current_query()))


def go_to(page: str) -> None:
    """Go to another page, by its address; only in a callback."""
    offering().path = page


def tell(page: str, key: str = "address") -> None:
    """Report what a run or a fragment drew to the page."""
    now = memory()
    found = known.becomes(now.query, known.controls(), now.texts)
    n, offers = (now.said or {}).get("n", 0), [each.sent() for each in now.offers]
    drawn = {"from": known.current_mark(), "is": written(found), "page": page, "n": n, "offers": offers,
             "fields": list(now.fields.values())}  # fmt: skip
    for each in now.offers:
        each.drawn = True
    now.query, now.past, now.turning, now.corrected = found, (*now.past[-5:], found), None, {}
    now.due = False
    _address(key=key, data={"drawn": drawn}, on_said_change=lambda: None, height=1)
