"""The address in the browser, put right without a new entry in its history."""

from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attnviz.figures.pages import script_json

_LEFT_OUT = "address.left_out"


def open_without(names: Collection[str]) -> None:
    """Run again as if the address had come without these parameters; :func:`mend_left_out` takes them out of it.

    On the first run, before what is bound to them is drawn.
    """
    context = get_script_run_ctx()
    if context is None or not names:
        return
    came = parse_qsl(context.query_string, keep_blank_values=True)
    context.query_string = urlencode([(name, value) for name, value in came if name not in names])
    st.session_state[_LEFT_OUT] = (*st.session_state.get(_LEFT_OUT, ()), *names)
    st.rerun()


def mend_left_out() -> None:
    """Take what the page was opened without out of the address in the browser."""
    left_out = st.session_state.pop(_LEFT_OUT, ())
    if left_out:
        mend(dict.fromkeys(left_out, ""))


def mend(parameters: Mapping[str, str]) -> None:
    """Give these parameters other values, blank ones none, so that a link copied and the way back are right.

    In the browser, and not by `st.query_params`: that would make a further entry of its history, and a parameter
    that is bound to a control cannot be written in that way at all.
    """
    st.html(
        f"""<script type="module">
const address = new URL(location);
for (const [name, value] of Object.entries({script_json(dict(parameters))})) {{
  if (value) address.searchParams.set(name, value);
  else address.searchParams.delete(name);
}}
history.replaceState(history.state, "", address);
</script>""",
        unsafe_allow_javascript=True,
    )
