"""Links that are longer than the server takes, or of more parameters: they open with what fits of them.

Of such a link Streamlit gives the app nothing at all, and says nothing: so whatever page opens without a parameter
asks the browser whether there were any. That a link gets this far hangs on httptools, in requirements.txt: h11,
with which uvicorn reads requests where there is no httptools, answers one of 64 KB and more with "Invalid HTTP
request received." and no page. Chromium itself opens no address longer than 2 MB.
"""

import hashlib
import hmac
import time
from pathlib import Path

import streamlit as st

from attnviz.app.streamlit_internals import MOST_FIELDS, MOST_LENGTH
from attnviz.app.text import literal
from attnviz.link.parameter import listed
from attnviz.link.parameter_table import LEFT_OUT
from attnviz.scripts import joined
from attnviz.words import plural, say

_REOPENED = joined(Path(__file__).parent / "long_link.js")
_SCRIPT = """<script type="module">
%s
const query = reopened(openedQuery(), %d, %d, "%s", "%s");
if (query !== null) location.replace(`?${query}`);
</script>"""
_SOON = 120  # seconds in which the browser opens the link once more


def what_was_left_out(text: str) -> str:
    """Say what the browser left out of a link that was too long; blank where it left out nothing.

    Anybody may write `left_out` into a link: only what this server has just made the browser say counts.
    """
    mark, *said = text.split(" ", 4)
    numbers = said[:3]
    if not _is_own(mark) or len(said) < 3 or not all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers):
        return ""
    length, parameters, left_out = map(int, numbers)
    names = [name for name in " ".join(said[3:]).split(" ") if name][:left_out]
    names += [""] * (left_out - len(names))  # of these, the browser tells the number alone
    all_but = say("links.long.all_but", names=listed(names, literal))
    return say(
        "links.long.said",
        characters=plural(length, "character"),
        parameters=plural(parameters, "parameter"),
        most_characters=f"{MOST_LENGTH:,}",
        most_parameters=f"{MOST_FIELDS:,}",
        opened=all_but if names else say("links.long.last_of_each"),
    )


def reopen_if_too_long() -> None:
    """Open the link once more with what fits of it, if the server refused it as a whole; on the first run."""
    told = _SCRIPT % (_REOPENED, MOST_LENGTH, MOST_FIELDS, LEFT_OUT, own_mark(int(time.time())))
    st.html(told, unsafe_allow_javascript=True)


def own_mark(now: int) -> str:
    """Return what proves for a while that this server has asked the browser to open a link once more."""
    secret = str(st.get_option("server.cookieSecret")).encode()
    return f"{now}.{hmac.new(secret, f'{LEFT_OUT} {now}'.encode(), hashlib.sha256).hexdigest()[:32]}"


def _is_own(mark: str) -> bool:
    made = mark.partition(".")[0]
    if not (made.isascii() and made.isdigit() and len(made) < 12):
        return False
    return 0 <= time.time() - int(made) <= _SOON and hmac.compare_digest(mark.encode(), own_mark(int(made)).encode())
