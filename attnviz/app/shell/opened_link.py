"""How a link opens on a session's first run: read, checked, applied.

The table of parameters (:mod:`attnviz.link.state`) reads all of a link, whatever page it opens. So the app says at
once what can't be used, not only when a page that uses it is opened. After Back, each page reads its own part again.

A link that is longer than the server accepts, or has more parameters, opens with the parameters that fit. Streamlit
gives the app nothing of such a link, and reports no error: so a page that opens without any parameter asks the browser
whether there were any. Such a link gets this far only with httptools, from requirements.txt: without it, uvicorn reads
requests with h11, which answers 64 KB and more with "Invalid HTTP request received." instead of a page. Chromium itself
opens no address longer than 2 MB.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.operations import metrics
from attnviz.app.session import state, url_texts
from attnviz.app.session.page_record import came_back, current_query, this_page, written
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import run_again
from attnviz.app.text import literal
from attnviz.core.scenario import Scenario
from attnviz.feature import filled
from attnviz.link.parameter import ReadContext, listed
from attnviz.link.parameter_table import LEFT_OUT
from attnviz.link.set_up import read_controls
from attnviz.link.state import MOST_CHARACTERS, MOST_FIELDS, read_link, read_texts
from attnviz.scripts import joined
from attnviz.words import plural, say, thousands

_SCRIPT = """<script type="module">
%s
const query = reopened(openedQuery(), %d, %d, "%s", "%s");
if (query !== null) location.replace(`?${query}`);
</script>"""
_SOON = 120  # seconds in which the browser must have opened the link once more


def what_was_left_out(text: str) -> str:
    """Say what the browser left out of a long link, if anything.

    Anybody may write `left_out` into a link: only a text counts that has this server's own, fresh mark.
    """
    mark, *said = text.split(" ", 4)
    numbers = said[:3]
    if not _is_own(mark) or len(said) < 3 or not all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers):
        return ""
    length, parameters, left_out = map(int, numbers)
    names = [name for name in " ".join(said[3:]).split(" ") if name][:left_out]
    names += [""] * (left_out - len(names))  # the browser sent no names for these, only their number
    all_but = say("links.long.all_but", names=listed(names, literal))
    return say(
        "links.long.said",
        characters=plural(length, "character"),
        parameters=plural(parameters, "parameter"),
        most_characters=thousands(MOST_CHARACTERS),
        most_parameters=thousands(MOST_FIELDS),
        opened=all_but if names else say("links.long.last_of_each"),
    )


def reopen_if_too_long() -> None:
    """Reopen a refused link with what fits; on the first run."""
    reopened = joined(Path(__file__).parent / "long_link.js")
    script = _SCRIPT % (reopened, MOST_CHARACTERS, MOST_FIELDS, LEFT_OUT, own_mark(int(time.time())))
    st.html(script, unsafe_allow_javascript=True)


def own_mark(now: int) -> str:
    """Return a signed time that proves this server reopened the link."""
    secret = str(st.get_option("server.cookieSecret")).encode()
    return f"{now}.{hmac.new(secret, f'{LEFT_OUT} {now}'.encode(), hashlib.sha256).hexdigest()[:32]}"


def _is_own(mark: str) -> bool:
    start = mark.partition(".")[0]
    if not (start.isascii() and start.isdigit() and len(start) < 12):
        return False
    return 0 <= time.time() - int(start) <= _SOON and hmac.compare_digest(mark.encode(), own_mark(int(start)).encode())


@cache
def _fills() -> Mapping[str, Callable[[Any], None]]:
    """Return what fills controls that aren't bound to the address, by parameter."""
    return {name: fill for given in filled("fills_controls").values() for name, fill in given().items()}


def read(page: str) -> dict[str, Any]:
    """Read a page's link, apply its controls, and return their values.

    If part of the link can't be used, or it names a worked example, the page runs again with the query that is used.
    """
    came = current_query()
    record = this_page()  # it holds the query that the page came with
    for arrived in filled("arrived").values():
        arrived(page, record.query)
    opened = read_link(came, literal, what_was_left_out)
    if opened.messages:
        metrics.REFUSED_LINKS.inc()
    for part in opened.messages:
        state.say_ignored(part)
    if opened.example:
        this_session().example = opened.example  # the page "Check my numbers" takes it from there
    if opened.query != came:
        record.rerun_query = written(opened.query)
        run_again(record.rerun_query)
    values, _ = read_controls(opened.query)
    # The controls' keys hold these values, too, so that they stay if the reader opens another page before the controls
    # are drawn.
    session = this_session()
    for name, value in values.items():
        session.put(name, value)
    return values


def take_texts(scenario: Scenario | None) -> None:
    """Check and apply the parts of a link that aren't controls.

    While the sentence is blank, there is no scenario, and the parts about tokens and cells wait until there is one.
    """
    for name, read in read_texts(current_query(), ReadContext(scenario, digits=state.digits()), literal).items():
        if read.message:
            state.say_ignored(read.message)
        url_texts.correct(name, read.text)
        if name in _fills() and not came_back():
            _fills()[name](read.value)
