"""What the page Check my numbers does: check, show published examples, or set exercises; the URL keeps it."""

import streamlit as st

from attnviz.app.parts import published_example
from attnviz.app.session import state, url_texts
from attnviz.documents.marked_tables import STYLE
from attnviz.words import say

CHECK, EXAMPLES, EXERCISE = "check", "examples", "exercise"
_MODES = (CHECK, EXAMPLES, EXERCISE)
_KEY = "check.mode"
# The set-up of the other pages plays no part here.
_ALONE = """<style>
.st-key-sentence, [data-testid="stSidebarUserContent"] { display: none; }
.st-key-check_form textarea { font-family: monospace; white-space: pre; }
</style>"""


def chosen_mode() -> str:
    """Draw the choice of what to do and return what was chosen."""
    state.run_by_entry_point()
    st.html(_ALONE + STYLE)
    received, _ = url_texts.receive(url_texts.CHECK)
    if (named := published_example.take_named()) and not received:
        choose(EXAMPLES, named)
    mode = st.session_state[_KEY] = mode_of_now()
    st.segmented_control(
        say("check.mode.label"), _MODES, required=True, format_func=lambda mode: say(f"check.mode.{mode}"), key=_KEY,
        on_change=_choose, label_visibility="collapsed",
    )  # fmt: skip
    return mode


def mode_of_now() -> str:
    """Return the mode that the URL says; to check tables of one's own, where it says none."""
    mode = url_texts.receive(url_texts.CHECK)[0].partition(".")[0] or CHECK
    if mode not in _MODES:
        state.refuse(url_texts.CHECK, mode, say("check.link.unknown_mode", names=", ".join(_MODES)), CHECK)
        return CHECK
    return mode


def _choose() -> None:
    mode = st.session_state[_KEY]
    url_texts.send(url_texts.CHECK, "" if mode == CHECK else mode)


def detail() -> str:
    """Return what the URL says beyond the mode: which example, or which exercise."""
    return url_texts.current(url_texts.CHECK).partition(".")[2]


def choose(mode: str, more: str = "") -> None:
    """Go to a mode, and to one example or exercise in it; in a callback."""
    url_texts.send(url_texts.CHECK, f"{mode}.{more}" if more else "" if mode == CHECK else mode)
