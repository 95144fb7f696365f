"""The address in the browser, put right without a new entry in its history."""

from collections.abc import Mapping

import streamlit as st

from attnviz.figures.pages import script_json


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
