"""The page's query and its changes; see scripts/address.js.

The page sends its whole query, as a component's value or in its address, and each run reports the query that it drew.
Parameters of controls bound to the address belong to these controls: a control that differs from the page's query, and
that the reader hasn't moved since, is set to it. A button's change is an offer, which the page applies once.
"""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnviz.app.session import page_record
from attnviz.app.session.component import component
from attnviz.app.session.first_paint import AT
from attnviz.app.session.page_record import Offer, PageRecord, apply_patch, this_page, written
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import get_script_run_ctx, run_again
from attnviz.feature import pages
from attnviz.link.parameter_table import texts
from attnviz.link.set_up import EXAMPLE, PUBLISHED, VECTORS_OF_OPENING, parameters, read_controls, settings_by_class
from attnviz.link.state import MOST_CHARACTERS, read_link, read_query

_SCRIPTS = Path(__file__).parents[2] / "scripts"
_RECEIVER = "address.receiver"
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


def receive() -> None:
    """Read the page's query; restart the run where controls differ from it."""
    session, context = this_session(), get_script_run_ctx()
    _split_offer(this_page())
    data = {"asks": {"at": AT, "word": session.painting.word}, "offers": [each.sent() for each in this_page().offers]}
    message = _valid(_address(key=_RECEIVER, data=data, on_said_change=lambda: None, height=1).get("said"))
    came, history = (context.query_string, context.is_history_navigation) if context else ("", False)
    if (record := session.address) is None:  # a page that has sent a query was drawn by an earlier session
        query = read_query(message["query"] if message and not history else came)
        record = session.address = PageRecord(query, message=message, reconnected=message is not None)
    else:
        _take_message(record, message, came, history=history)
    wanted = dict(page_record.current_query())
    # A control may have moved since the page sent its query, for example by a held key.
    if (drawn := session.blank is not None and not history) and record.pending:
        held = dict.fromkeys(parameters()) | page_record.controls()  # None stands for the default
        apply_patch(
            wanted, {name: text for name, text in held.items() if all(text != q.get(name) for q in record.recent)}
        )
    record.recent = (*record.recent[-5:], wanted)
    record.fields = {}
    named = session.blank is not None and wanted.get(EXAMPLE, PUBLISHED) != PUBLISHED
    # Such a query is read like a link. It names an example (after Back, or an edit during a link's first run), or the
    # controls differ from it (the page changed them, or they weren't drawn yet).
    if named or (drawn and record.pending and not _controls_match(wanted)):
        wanted = dict(read_link(wanted).query)
        record.fresh |= {name for name in texts() if named or wanted.get(name, "") != record.texts.get(name, "")}
    wanted = _with_offers(record, wanted)
    record.texts = {name: text for name, text in wanted.items() if name in texts() and name != EXAMPLE and text}
    for (name, refused), text in record.corrected.items():  # made by a run that was interrupted too early
        if record.texts.get(name, "") == refused:
            apply_patch(record.texts, {name: text or None})
    if named or _led_to(record) or (drawn and not _controls_match(wanted)):
        _rerun(record, wanted)
    if history:  # the values that the controls will have once they are drawn
        for name, value in read_controls(wanted)[0].items():
            session.put(name, value)


def _controls_match(query: Mapping[str, str]) -> bool:
    """Return whether the controls hold what a query says."""
    return {name: text for name, text in query.items() if name in parameters()} == page_record.controls()


def _take_message(record: PageRecord, message: Any, came: str, *, history: bool) -> None:
    """Take the latest query from the page's message or the address."""
    if came == record.rerun_query:  # a rerun that _rerun started
        return
    record.rerun_query = None
    if history:
        record.query, record.pending, record.fresh, record.corrected = read_query(came), True, set(texts()), {}
        for each in record.offers:
            each.superseded = True
    elif message and message != record.message:
        record.query, record.pending = read_query(message["query"]), True
        ids = [each.id for each in record.offers]
        if message["taken"] in ids:
            record.offers = record.offers[ids.index(message["taken"]) + 1 :]
    elif not record.pending:
        record.query = page_record.query_after_run(record.query, page_record.controls(), record.texts)
    record.message = message or record.message


def _valid(message: Any) -> Any:
    """Return a page's message; None if it isn't one of ours."""
    is_ours = isinstance(message, dict) and all(isinstance(message.get(name), str) for name in ("query", "taken"))
    return message if is_ours and len(message["query"]) <= MOST_CHARACTERS else None


def _with_offers(record: PageRecord, query: Mapping[str, str]) -> dict[str, str]:
    """Return a query with the pending offers applied."""
    changed = dict(query)
    for each in record.offers:
        if not each.superseded and (record.pending or not each.drawn):
            apply_patch(changed, each.patch)
    return changed


def _rerun(record: PageRecord, query: Mapping[str, str]) -> None:
    if record.rerun_query is None:
        record.query, record.rerun_query = _with_offers(record, record.query), written(query)
        run_again(record.rerun_query, turns=True, page=_led_to(record))


def _led_to(record: PageRecord) -> str | None:
    """Return the hash of the page that a pending offer opens."""
    paths = [each.path for each in record.offers if each.path is not None and not (each.drawn or each.superseded)]
    return next((page for page, path in page_record.pages().items() if path in paths[-1:]), None)


def offering() -> Offer:
    """Return the offer that this run adds to."""
    record = this_page()
    if not record.offers or record.offers[-1].drawn:
        record.offers = [*record.offers, Offer(secrets.token_urlsafe(8))][-_MOST_OFFERS:]
    return record.offers[-1]


def _split_offer(record: PageRecord) -> None:
    """Move an interrupted run's additions to a sent offer into another."""
    for last in record.offers[-1:]:
        if last.last_sent not in (None, (last.patch, last.path)) and not last.drawn:
            (patch, path), added = last.last_sent, dict(last.patch.items() - last.last_sent[0].items())
            record.offers.append(Offer(secrets.token_urlsafe(8), added, None if last.path == path else last.path))
            last.patch, last.path = patch, path


def set_controls(values: Mapping[str, Any]) -> None:
    """Set controls in the next run; from a callback or before drawing."""
    table = parameters()
    offering().patch |= {
        name: None if value == table[name].default else table[name].codec.encode(value)
        for name, value in values.items()
    }


def rerun_with(values: Mapping[str, Any]) -> None:
    """Set controls and restart this run, once."""
    set_controls(values)
    _rerun(this_page(), _with_offers(this_page(), page_record.current_query()))


def go_to(page: str) -> None:
    """Go to another page, by its address; only in a callback."""
    offering().path = page


def report(page: str, key: str = "address") -> None:
    """Report what a run or a fragment drew to the page."""
    record = this_page()
    query = page_record.query_after_run(record.query, page_record.controls(), record.texts)
    n, offers = (record.message or {}).get("n", 0), [each.sent() for each in record.offers]
    drawn = {"from": page_record.current_mark(), "is": written(query), "page": page, "n": n, "offers": offers,
             "fields": list(record.fields.values())}  # fmt: skip
    for each in record.offers:
        each.drawn = True
    record.query, record.recent, record.rerun_query, record.corrected = query, (*record.recent[-5:], query), None, {}
    record.pending = False
    _address(key=key, data={"drawn": drawn}, on_said_change=lambda: None, height=1)
