"""Links that are longer than the server takes, or of more parameters: they open with what fits of them.

Of such a link Streamlit gives the app nothing at all, and says nothing: so whatever page opens without a parameter
asks the browser whether there were any. That a link gets this far hangs on httptools, in requirements.txt: h11,
with which uvicorn reads requests where there is no httptools, answers one of 64 KB and more with "Invalid HTTP
request received." and no page. Chromium itself opens no address longer than 2 MB.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.state.query_params import (
    CLIENT_STATE_QUERY_STRING_MAX_FIELDS,
    CLIENT_STATE_QUERY_STRING_MAX_LENGTH,
)

from attnviz.ui import state
from attnviz.ui.address import mend
from attnviz.ui.text import literal

_LEFT_OUT = "left_out"
_REOPENED = (Path(__file__).parent / "long_link.js").read_text()
_LIMITS = f'{CLIENT_STATE_QUERY_STRING_MAX_LENGTH}, {CLIENT_STATE_QUERY_STRING_MAX_FIELDS}, "{_LEFT_OUT}"'
_SCRIPT = f"""<script type="module">
{_REOPENED}
const query = reopened(location.search.slice(1), {_LIMITS});
if (query !== null) location.replace(`?${{query}}`);
</script>"""


def say_what_was_left_out() -> None:
    """Say what the browser left out of a link that was too long; on the first run."""
    said = st.query_params.get(_LEFT_OUT)
    if said is None:
        return
    mend({_LEFT_OUT: ""})
    length, parameters, left_out, *names = [*said.split(" ", 5), "", "", ""]
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in (length, parameters, left_out)):
        return
    listed = [literal(name) for name in names if name][: int(left_out)]
    more = int(left_out) - len(listed)
    opened = "the last of each parameter" if not listed else f"all but {', '.join(listed)}"
    state.say(
        f"The link was too long to be taken as it is: {int(length):,} characters and {int(parameters):,} parameters, "
        f"where {CLIENT_STATE_QUERY_STRING_MAX_LENGTH:,} and {CLIENT_STATE_QUERY_STRING_MAX_FIELDS:,} can be read. "
        f"It was opened with {opened}{f' and {more:,} more' if more > 0 else ''}."
    )


def reopen_if_too_long() -> None:
    """Open the link once more with what fits of it, if the server refused it as a whole; on the first run."""
    st.html(_SCRIPT, unsafe_allow_javascript=True)
