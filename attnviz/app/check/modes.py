"""What the page Check my numbers does: check, show published examples, or set exercises; the URL keeps it."""

import streamlit as st

from attnviz.app.parts import published_example
from attnviz.app.session import url_texts
from attnviz.app.session.link_values import take
from attnviz.documents.marking_page import STYLE
from attnviz.link.page_texts import EXAMPLES, MODES, Checked, published_names
from attnviz.link.parameter_table import CHECK
from attnviz.words import say

_KEY = "check.mode"
_LETTERS = """<style>
.st-key-check_form textarea, .st-key-check-paste textarea { font-family: monospace; white-space: pre; }
</style>"""


def chosen_mode() -> str:
    """Draw the choice of what to do and return what was chosen."""
    st.html(_LETTERS + STYLE)
    named = published_example.take_named()
    if named in published_names() and not url_texts.receive(CHECK)[0]:
        url_texts.put(CHECK, Checked(EXAMPLES, named))
    mode = st.session_state[_KEY] = checked().mode
    st.segmented_control(
        say("check.mode.label"), MODES, required=True, format_func=lambda mode: say(f"check.mode.{mode}"), key=_KEY,
        on_change=_choose, label_visibility="collapsed",
    )  # fmt: skip
    return mode


def checked() -> Checked:
    """Return what the URL says: the mode, and which example or exercise; to check one's own, where it says none."""
    found: Checked = take(CHECK)
    return found


def _choose() -> None:
    url_texts.put(CHECK, Checked(st.session_state[_KEY]))
