"""What the pages of checking do: check, show published examples, set an exercise; the URL says which."""

import streamlit as st

from attnviz.app.parts import published_example
from attnviz.app.session import url_texts
from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.documents.marking_page import STYLE
from attnviz.link.page_texts import CHECK as CHECKING
from attnviz.link.page_texts import EXAMPLES, EXERCISE, Checked, published_names
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
    session = this_session()
    if checked().mode == EXERCISE:  # which has a page of its own, and finds it again there
        session.exercise = url_texts.current(CHECK)
        url_texts.correct(CHECK, "")
    mode = checked().mode
    session.put(_KEY, mode)
    st.segmented_control(
        say("check.mode.label"), (CHECKING, EXAMPLES), required=True, key=_KEY, on_change=_choose,
        format_func=lambda mode: say(f"check.mode.{mode}"), label_visibility="collapsed",
    )  # fmt: skip
    return mode


def open_exercise() -> None:
    """Have the page of exercises show the exercise of its link, or the one that was left."""
    st.html(_LETTERS + STYLE)
    session = this_session()
    if checked().mode != EXERCISE and session.exercise:
        url_texts.correct(CHECK, session.exercise)


def checked() -> Checked:
    """Return what the URL says: the mode, and which example or exercise; to check one's own, where it says none."""
    found: Checked = take(CHECK)
    return found


def _choose() -> None:
    url_texts.put(CHECK, Checked(this_session().get(_KEY)))
